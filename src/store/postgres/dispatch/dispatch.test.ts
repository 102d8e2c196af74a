import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock, settled } from "../../../../test/kit/world/virtual-clock.ts";
import { bucketOf } from "../../../lib/bucket.ts";
import { toCall } from "../../calls.ts";
import { AccountAway, StoreUnavailable } from "../../contract/store.ts";
import type { AttemptColumns } from "../attempts.ts";
import { toOneServer } from "../access.ts";
import { createDispatch } from "./dispatch.ts";
import { EVERYWHERE, madeUpGroups, ONE_GROUP, toGroups } from "../buckets/groups.ts";
import { newMemory } from "../transaction.ts";

const NAMES = Array.from({ length: 40 }, (_, place) => `account-${place}`);
/** An account of each group. */
const OF_GROUP = [0, 1, 2, 3].map((group) => NAMES.find((name) => bucketOf(name) % 4 === group) ?? "");

const load = (accountId: string) => toCall<"loadAccount", AttemptColumns>("loadAccount", { accountId });
const findNextDue = toCall<"findNextDue", AttemptColumns>("findNextDue", { nowMs: 0 });
const loadVersions = (accountIds: readonly string[]) =>
  toCall<"loadConfigVersions", AttemptColumns>("loadConfigVersions", { accountIds });

/** One group. */
/**
 * Four groups on two servers. Groups in `away` cannot be reached; those in `due` have something; `asked` has the groups
 * and servers that something was sent to.
 */
function openFour() {
  const clock = createVirtualClock();
  const away = new Set<number>();
  const due = new Set<number>();
  const asked: string[] = [];
  const groups = toGroups(madeUpGroups(4));
  const [one = [], two = [], three = [], four = []] = groups.all;
  const places = [
    { name: "a", groups: [one, two] },
    { name: "b", groups: [three, four] },
  ];
  const send = (name: string, group: number): void => {
    asked.push(name);
    if (away.has(group)) throw new AccountAway("gone");
  };
  const dispatch = createDispatch({
    groups,
    servers: { list: () => places },
    clock,
    node: newMemory(),
    async run(call, { group, buckets }) {
      send(buckets.length > 64 ? `server of ${group}` : `${group}`, group);
      if (call.verb === "findNextDue") return { dueAtMs: 10 - group };
      if (call.verb === "stepReplays") return { running: 1, moved: group, replays: [] };
      if ("accountIds" in call.params) {
        return call.params.accountIds.map((accountId) => ({ accountId, configVersion: group }));
      }
      if ("claims" in call.params) return { released: call.params.claims.length };
      if (call.verb === "countWaiting") return { waiting: 1, oldestDueAtMs: group };
      return null;
    },
    async look(_, __, looked) {
      const group = looked?.[0]?.[0] ?? 0;
      send(`look at ${group}`, group);
      return [...due];
    },
    aroundAll: (_, ask) => ask(),
  });
  const take = (): string[] => asked.splice(0, asked.length).toSorted();
  return { away, due, take, dispatch };
}

const stepReplays = toCall<"stepReplays", AttemptColumns>("stepReplays", { nowMs: 0, deliveriesMax: 100 });

test("a call of an account goes to its group", async () => {
  const { away, take, dispatch } = openFour();
  const [one = "", other = ""] = OF_GROUP;
  away.add(0);
  await assert.rejects(dispatch(load(one)), AccountAway);
  assert.equal(await dispatch(load(other)), null);
  assert.deepEqual(take(), ["0", "1"]);
});

test("a question of one statement is asked once of each server, and fails when all are away", async () => {
  const { away, take, dispatch } = openFour();
  assert.deepEqual(await dispatch(findNextDue), { dueAtMs: 8 });
  assert.deepEqual(take(), ["server of 0", "server of 2"]);
  away.add(2);
  assert.deepEqual(await dispatch(findNextDue), { dueAtMs: 10 });
  away.add(0);
  await assert.rejects(dispatch(findNextDue), StoreUnavailable);
});

test("a call that looks everywhere visits only groups that have something", async () => {
  const { due, take, dispatch } = openFour();
  assert.deepEqual(await dispatch(stepReplays), { running: 0, moved: 0, replays: [] });
  assert.deepEqual(take(), ["look at 0", "look at 2"]);
  due.add(1);
  due.add(3);
  assert.deepEqual(await dispatch(stepReplays), { running: 2, moved: 4, replays: [] });
  assert.deepEqual(take(), ["1", "3", "look at 0", "look at 2"]);
});

test("a call that looks everywhere passes over what is away, and fails when all is", async () => {
  const { away, due, take, dispatch } = openFour();
  for (const group of [0, 1, 2, 3]) due.add(group);
  away.add(2);
  assert.deepEqual(await dispatch(stepReplays), { running: 2, moved: 1, replays: [] });
  assert.deepEqual(take(), ["0", "1", "look at 0", "look at 2"], "no group of that server is visited");
  away.add(0);
  await assert.rejects(dispatch(stepReplays), StoreUnavailable);
});

test("a count of what waits says whether a server that has a part of it is away", async () => {
  const { away, due, dispatch } = openFour();
  const count = toCall<"countWaiting", AttemptColumns>("countWaiting", { nowMs: 0 });
  for (const group of [0, 1, 2, 3]) due.add(group);
  assert.deepEqual(await dispatch(count), { waiting: 4, oldestDueAtMs: 0 });
  away.add(0);
  assert.deepEqual(await dispatch(count), { waiting: 2, oldestDueAtMs: 2, isPart: true });
  away.delete(0);
  assert.deepEqual(await dispatch(count), { waiting: 4, oldestDueAtMs: 0 });
});

test("a server that hangs keeps a look from no other's answer", async () => {
  const clock = createVirtualClock();
  const groups = toGroups(madeUpGroups(4));
  const hanging = createDispatch({
    groups,
    servers: { list: () => groups.all.map((group) => ({ name: `${group[0]}`, groups: [group] })) },
    clock,
    node: newMemory(),
    run: async (_, { group }) => ({ running: 1, moved: group, replays: [] }),
    look: (_, __, looked) => (looked?.[0]?.[0] === 3 ? new Promise(() => {}) : Promise.resolve("all")),
    aroundAll: (_, ask) => ask(),
  });
  const stepped = hanging(stepReplays);
  await settled();
  await clock.advance(1_000);
  assert.deepEqual(await stepped, { running: 3, moved: 3, replays: [] });
});

test("a call about several accounts is split by their groups, and fails as a whole when one part does", async () => {
  const { away, take, dispatch } = openFour();
  const claims = [2, 1].map((group) => ({
    accountId: OF_GROUP[group] ?? "",
    deliveryId: `dlv_${group}`,
    claimToken: "node",
  }));
  const release = toCall<"releaseClaims", AttemptColumns>("releaseClaims", { claims, dueAtMs: 0 });
  assert.deepEqual(await dispatch(release), { released: 2 });
  assert.deepEqual(take(), ["1", "2"]);
  away.add(2);
  await assert.rejects(dispatch(release), StoreUnavailable);
  assert.deepEqual(take(), ["1", "2"], "the other part runs to its end");
});

test("versions of accounts are answered for those that can be reached", async () => {
  const { away, dispatch } = openFour();
  const both = [OF_GROUP[2] ?? "", OF_GROUP[1] ?? ""];
  const versions = () => dispatch(loadVersions(both));
  assert.deepEqual(
    await versions(),
    both.map((accountId) => ({ accountId, configVersion: bucketOf(accountId) % 4 })),
  );
  away.add(2);
  assert.deepEqual(await versions(), [
    { accountId: both[0], configVersion: null },
    { accountId: both[1], configVersion: 1 },
  ]);
});

test("with one group a call about several accounts goes as it is", async () => {
  const sent: unknown[] = [];
  const dispatch = toOneServer({
    groups: ONE_GROUP,
    run: (call, where) => (sent.push(call, where), Promise.resolve([])),
  });
  const call = loadVersions(NAMES);
  await dispatch(call);
  assert.equal(sent[0], call);
  assert.equal(sent[1], EVERYWHERE, "no bucket is looked up");
});

test("with one group a failure refuses nothing afterwards", async () => {
  let failures = 1;
  const dispatch = toOneServer({
    groups: ONE_GROUP,
    run: () => ((failures -= 1) === 0 ? Promise.reject(new StoreUnavailable("gone")) : Promise.resolve(null)),
  });
  await assert.rejects(dispatch(load("acme")), StoreUnavailable);
  assert.equal(await dispatch(load("acme")), null);
});
