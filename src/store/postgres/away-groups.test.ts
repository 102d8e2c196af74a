import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { AccountAway, StoreUnavailable } from "../contract/store.ts";
import { createAwayGroups } from "./away-groups.ts";

const ONE = [1];
const OTHER = [2];
const AWAY = /the server that has this account cannot be reached/;

const gone = (): Promise<never> =>
  Promise.reject(new StoreUnavailable("gone", { cause: Object.assign(new Error("refused"), { code: "08006" }) }));

describe("a group whose server is away", () => {
  function start() {
    const clock = createVirtualClock();
    return { clock, away: createAwayGroups(clock) };
  }

  test("is refused at once, and the others go on", async () => {
    const { away } = start();
    await assert.rejects(away.guard(ONE, gone), AccountAway);
    await assert.rejects(
      away.guard(ONE, () => assert.fail("it was asked")),
      AWAY,
    );
    assert.equal(await away.guard(OTHER, async () => "there"), "there");
  });

  test("is tried by one call at a time of all groups, and all come in when it is back", async () => {
    const { away, clock } = start();
    await assert.rejects(away.guard(ONE, gone), AccountAway);
    await assert.rejects(away.guard(OTHER, gone), /gone/);
    await clock.advance(2_000);
    const { promise, resolve } = Promise.withResolvers<string>();
    const tried = away.guard(ONE, () => promise);
    await assert.rejects(
      away.guard(OTHER, async () => "asked"),
      AWAY,
    );
    resolve("back");
    assert.equal(await tried, "back");
    assert.equal(await away.guard(OTHER, async () => "back too"), "back too");
    assert.equal(await away.guard(ONE, async () => "still"), "still");
  });

  test("is away again when the one that tries fails", async () => {
    const { away, clock } = start();
    await assert.rejects(away.guard(ONE, gone), AccountAway);
    await clock.advance(2_000);
    await assert.rejects(away.guard(ONE, gone), AccountAway);
    await assert.rejects(
      away.guard(ONE, async () => "asked"),
      AWAY,
    );
  });

  test("a call that fails for another reason says nothing about its server", async () => {
    const { away } = start();
    for (const cause of [undefined, Object.assign(new Error("check"), { code: "XX000" })]) {
      await assert.rejects(
        away.guard(ONE, () => Promise.reject(new StoreUnavailable("no", { cause }))),
        /no/,
      );
    }
    assert.equal(await away.guard(ONE, async () => "there"), "there");
  });
});
