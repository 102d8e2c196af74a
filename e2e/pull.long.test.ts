import { test } from "node:test";
import { pullUnderKills } from "./pull-kills.ts";

/** The promise names a hundred thousand, which take more than two minutes: `PULL_EVENTS=100000`. */
const EVENTS = Number(process.env["PULL_EVENTS"] ?? 20_000);

test("programs lose none of many events, through twenty kills of theirs and ten of the service", (t) =>
  pullUnderKills(t, { ofService: 10, ofPrograms: 20, events: EVENTS }));
