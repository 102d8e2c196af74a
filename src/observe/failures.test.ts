/** Failures that come again and again, on a virtual clock: what the log says of them, how often, and without what. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { AccountAway, StoreUnavailable } from "../store/contract/store.ts";
import { createTellFailure } from "./failures.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createRepeats } from "../lib/repeats.ts";

function stage() {
  const lines: Record<string, unknown>[] = [];
  const clock = createVirtualClock();
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const repeats = createRepeats(log, clock);
  const fail = createTellFailure(repeats, createMetrics());
  return {
    clock,
    repeats,
    lines,
    said: () => lines.map(({ msg }) => String(msg).replace("bellwire.failed", "…")),
    fail: (what: string, error: unknown) => fail({ what, error }),
  };
}

const refused = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });
const away = (code = "ECONNREFUSED"): Error => new StoreUnavailable("no connection", { cause: refused(code) });

describe("a database that is away", () => {
  test("is a line, counts, and a line at its end with the number, the time and the code", async () => {
    const { clock, lines, said, fail } = stage();
    for (let call = 0; call < 20 * 50; call += 1) {
      fail(`delivering dlv_${call}`, away(call % 2 === 0 ? "ECONNREFUSED" : "ECONNRESET"));
      await clock.advance(20);
    }
    await clock.advance(secondsMs(20));
    assert.deepEqual(said(), ["…", "….repeated", "….repeated", "….ended"]);
    const { time: _, ...end } = lines.at(-1) ?? {};
    assert.deepEqual(end, {
      level: "info",
      what: "the database cannot be used",
      code: "ECONNRESET",
      reason: "no connection",
      times: 1_000,
      since: "2026-11-20T12:00:00.000Z",
      lasted_ms: 19_980,
      msg: "bellwire.failed.ended",
    });
    assert.doesNotMatch(JSON.stringify(lines), /stack/);
    assert.equal(clock.pending(), 0);
  });

  test("hides neither a full disk, nor one account's server, nor a bug", () => {
    const { said, lines, fail } = stage();
    fail("claiming", away());
    fail("claiming", away("57P01"));
    fail("claiming", new StoreUnavailable("no space left on device (PostgreSQL error 53100)"));
    fail("claiming", new StoreUnavailable("database or disk is full (SQLite error 13)"));
    fail("claiming", new AccountAway("the server that has this account cannot be reached"));
    fail("claiming", new TypeError("x is not a function"));
    assert.equal(said().length, 5);
    const stacks = lines.filter((line) => JSON.stringify(line).includes("stack"));
    assert.deepEqual(stacks, [lines.at(-1)]);
  });

  test("that is met once is one line", async () => {
    const { clock, said, fail } = stage();
    fail("claiming", away());
    await clock.advance(minutesMs(10));
    assert.deepEqual(said(), ["…"]);
  });

  test("again after its end begins anew", async () => {
    const { clock, said, fail } = stage();
    for (const _ of ["one", "two"]) {
      fail("claiming", away());
      fail("claiming", away());
      await clock.advance(secondsMs(20));
    }
    assert.deepEqual(said(), ["…", "….repeated", "….ended", "…", "….repeated", "….ended"]);
  });
});

describe("a failure", () => {
  test("of the same kind with another id is the same", () => {
    const { said, fail } = stage();
    const bug = new TypeError("x is not a function");
    fail("delivering dlv_01", bug);
    fail("delivering dlv_02", bug);
    assert.deepEqual(said(), ["…"]);
  });

  test("at another place in the code is told, as is other work that fails", () => {
    const { said, fail } = stage();
    fail("housekeeping", new TypeError("one"));
    fail("housekeeping", new TypeError("another"));
    fail("the index of search", new TypeError("one"));
    assert.deepEqual(said(), ["…", "…", "…"]);
  });

  test("of a mail server or an operator's webhook has its reason and no stack", () => {
    const { lines, fail } = stage();
    fail("the mail server cannot be used", refused("ECONNREFUSED"));
    fail("the operator's webhook did not take a notice", "it answered 500");
    assert.deepEqual(
      lines.map(({ reason, code }) => [reason, code]),
      [
        ["connect ECONNREFUSED", "ECONNREFUSED"],
        ["it answered 500", undefined],
      ],
    );
    assert.doesNotMatch(JSON.stringify(lines), /stack/);
  });

  test("in more kinds than are kept apart still leaves room for other lines, and no timer when it stops", () => {
    const { repeats, said, lines, fail, clock } = stage();
    for (let kind = 0; kind < 500; kind += 1) fail("x".repeat(kind + 1), "it failed");
    repeats.tell({ key: "", level: "warn", message: "claim.lost", fields: {} });
    assert.equal(said().filter((name) => name === "…").length, 101);
    assert.equal(said().at(-1), "claim.lost");
    repeats.stop();
    assert.equal(lines.at(-1)?.["times"], 400, "the end tells what no line has told");
    assert.equal(clock.pending(), 0);
  });
});
