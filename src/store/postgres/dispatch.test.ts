import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { bucketOf } from "../../lib/bucket.ts";
import { secondsMs } from "../../lib/duration.ts";
import { type Call, toCall } from "../calls.ts";
import { StoreUnavailable } from "../contract/store.ts";
import type { AttemptColumns } from "./attempts.ts";
import { createDispatch } from "./dispatch.ts";
import { EVERYWHERE, madeUpGroups, ONE_GROUP, toGroups } from "./groups.ts";

const NAMES = Array.from({ length: 40 }, (_, place) => `account-${place}`);
/** An account of each group. */
const OF_GROUP = [0, 1, 2, 3].map((group) => NAMES.find((name) => bucketOf(name) % 4 === group) ?? "");

const load = (accountId: string) => toCall<"loadAccount", AttemptColumns>("loadAccount", { accountId });
const findNextDue = toCall<"findNextDue", AttemptColumns>("findNextDue", { nowMs: 0 });
const loadVersions = (accountIds: readonly string[]) =>
  toCall<"loadConfigVersions", AttemptColumns>("loadConfigVersions", { accountIds });

const REFUSED = Object.assign(new Error("connection refused"), { code: "08006" });

/** Four groups, of which those in `away` cannot be reached; `asked` has the groups that a call was sent to. */
function openFour() {
  const clock = createVirtualClock();
  const away = new Set<number>();
  const asked: number[] = [];
  const run = (call: Call<AttemptColumns>, { group }: { readonly group: number }) => {
    asked.push(group);
    if (away.has(group)) return Promise.reject(new StoreUnavailable("gone", { cause: REFUSED }));
    if (call.verb === "findNextDue") return Promise.resolve({ dueAtMs: 10 - group });
    if ("accountIds" in call.params) {
      return Promise.resolve(call.params.accountIds.map((accountId) => ({ accountId, configVersion: group })));
    }
    return Promise.resolve(null);
  };
  const groups = toGroups(madeUpGroups(4));
  const dispatch = createDispatch({ groups, clock, run, aroundAll: (_, ask) => ask() });
  const take = (): number[] => asked.splice(0, asked.length).toSorted((a, b) => a - b);
  return { clock, away, take, dispatch };
}

test("a group that is away fails its own calls, at once for a moment, and no others", async () => {
  const { clock, away, take, dispatch } = openFour();
  const [one = "", other = ""] = OF_GROUP;
  away.add(0);
  await assert.rejects(dispatch(load(one)), StoreUnavailable);
  await assert.rejects(dispatch(load(one)), StoreUnavailable);
  assert.equal(await dispatch(load(other)), null);
  assert.deepEqual(take(), [0, 1], "the second call is not sent");
  away.clear();
  await clock.advance(secondsMs(2));
  assert.equal(await dispatch(load(one)), null);
});

test("a call that looks everywhere passes over groups that are away, and fails when all are", async () => {
  const { clock, away, take, dispatch } = openFour();
  assert.deepEqual(await dispatch(findNextDue), { dueAtMs: 7 });
  assert.deepEqual(take(), [0, 1, 2, 3]);
  away.add(3);
  assert.deepEqual(await dispatch(findNextDue), { dueAtMs: 8 });
  for (const group of [0, 1, 2]) away.add(group);
  await assert.rejects(dispatch(findNextDue), StoreUnavailable);
  away.clear();
  await clock.advance(secondsMs(2));
  assert.deepEqual(await dispatch(findNextDue), { dueAtMs: 7 });
});

test("a call about several accounts is split by their groups, and fails as a whole when one part does", async () => {
  const { away, take, dispatch } = openFour();
  const both = [OF_GROUP[2] ?? "", OF_GROUP[1] ?? ""];
  const versions = await dispatch(loadVersions(both));
  assert.deepEqual(
    versions,
    both.map((accountId) => ({ accountId, configVersion: bucketOf(accountId) % 4 })),
  );
  assert.deepEqual(take(), [1, 2]);
  away.add(2);
  await assert.rejects(dispatch(loadVersions(both)), StoreUnavailable);
  assert.deepEqual(take(), [1, 2], "the other part runs to its end");
});

test("with one group a call about several accounts goes as it is", async () => {
  const sent: unknown[] = [];
  const dispatch = createDispatch({
    groups: ONE_GROUP,
    clock: createVirtualClock(),
    run: (call, where) => (sent.push(call, where), Promise.resolve([])),
    aroundAll: (_, ask) => ask(),
  });
  const call = loadVersions(NAMES);
  await dispatch(call);
  assert.equal(sent[0], call);
  assert.equal(sent[1], EVERYWHERE, "no bucket is looked up");
});

test("with one group a failure refuses nothing afterwards", async () => {
  let failures = 1;
  const dispatch = createDispatch({
    groups: ONE_GROUP,
    clock: createVirtualClock(),
    run: () => ((failures -= 1) === 0 ? Promise.reject(new StoreUnavailable("gone")) : Promise.resolve(null)),
    aroundAll: (_, ask) => ask(),
  });
  await assert.rejects(dispatch(load("acme")), StoreUnavailable);
  assert.equal(await dispatch(load("acme")), null);
});
