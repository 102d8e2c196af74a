import { test } from "node:test";
import { pullUnderKills } from "./pull-kills.ts";

test("programs that ask lose nothing when they and the service are killed", (t) =>
  pullUnderKills(t, { ofService: 2, ofPrograms: 6, events: 2_000 }));
