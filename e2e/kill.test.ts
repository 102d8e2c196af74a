import { test } from "node:test";
import { killUnderLoad } from "./kills.ts";

test("three kills under load lose nothing that was acknowledged, and every duplicate has its cause", (t) =>
  killUnderLoad(t, 3));
