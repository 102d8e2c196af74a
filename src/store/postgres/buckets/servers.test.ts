import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createVirtualClock, settled } from "../../../../test/kit/world/virtual-clock.ts";
import { AccountAway, StoreUnavailable } from "../../contract/store.ts";
import { type Group, madeUpGroups, toGroups } from "./groups.ts";
import type { ServerCall } from "./server-watch.ts";
import { createServers } from "./servers.ts";

const GROUPS = toGroups(madeUpGroups(4));
const [ONE = [], TWO = [], THREE = [], FOUR = []] = GROUPS.all;
const AWAY = /the server that has this account cannot be reached/;

const refused = (): Error => Object.assign(new Error("refused"), { code: "08006" });
const gone = (): Promise<never> => Promise.reject(new StoreUnavailable("gone", { cause: refused() }));
const there = (): Promise<string> => Promise.resolve("there");
const never = (): Promise<never> => new Promise(() => {});
const unasked = (): Promise<never> => assert.fail("it was asked");

/** Groups one and two on server `a`, the others on `b`; `probes` says how a probe of the first group of each ends. */
function start() {
  const clock = createVirtualClock();
  let places = new Map([ONE, TWO, THREE, FOUR].map((group, at) => [group[0] ?? 0, at < 2 ? "a" : "b"]));
  const probes = new Map<Group, () => Promise<unknown>>();
  const probed: Group[] = [];
  const calls: ServerCall[] = [];
  const servers = createServers({
    groups: GROUPS,
    clock,
    places,
    locate: () => Promise.resolve(places),
    async probe(group) {
      probed.push(group);
      await (probes.get(group) ?? there)();
    },
    connectionsMax: { path: 4, side: 4 },
    onCall: (call) => void calls.push(call),
  });
  const move = (group: Group, name: string): void => void (places = new Map([...places, [group[0] ?? 0, name]]));
  const ask = <Value>(group: Group, work: () => Promise<Value>) => servers.ask(group, "path", work);
  return { clock, probes, probed, calls, servers, move, ask };
}

describe("a server that is away", () => {
  test("is refused at once in all of its groups, and the others go on", async () => {
    const { ask, probes, servers } = start();
    probes.set(ONE, () => Promise.reject(refused()));
    await assert.rejects(ask(ONE, gone), AccountAway);
    assert.equal(servers.isHere("a"), false);
    for (const group of [ONE, TWO]) await assert.rejects(ask(group, unasked), AWAY);
    assert.equal(await ask(THREE, there), "there");
    assert.equal(servers.isHere("b"), true);
  });

  test("is here again when a probe says so, and no call has to try", async () => {
    const { ask, probes, probed, clock } = start();
    probes.set(ONE, () => Promise.reject(refused()));
    await assert.rejects(ask(TWO, gone), AccountAway);
    await settled();
    await clock.advance(2_000);
    assert.equal(probed.length, 2, "at once, and two seconds later");
    await assert.rejects(ask(ONE, unasked), AWAY);
    probes.delete(ONE);
    await clock.advance(2_000);
    assert.equal(await ask(ONE, there), "there");
    await clock.advance(10_000);
    assert.equal(probed.length, 3, "a server that is here is not probed");
  });

  test("is known again at once when only a session was lost", async () => {
    const { ask } = start();
    await assert.rejects(ask(ONE, gone), AccountAway);
    await settled();
    assert.equal(await ask(TWO, there), "there");
  });

  test("a call that fails for another reason says nothing about its server", async () => {
    const { ask, probed } = start();
    for (const cause of [undefined, Object.assign(new Error("check"), { code: "XX000" })]) {
      await assert.rejects(
        ask(ONE, () => Promise.reject(new StoreUnavailable("no", { cause }))),
        (error) => error instanceof StoreUnavailable && !(error instanceof AccountAway),
      );
    }
    assert.equal(await ask(ONE, there), "there");
    assert.deepEqual(probed, []);
  });

  test("is asked at the new place when its groups have moved", async () => {
    const { ask, probes, servers, move, clock } = start();
    probes.set(ONE, () => Promise.reject(refused()));
    await assert.rejects(ask(ONE, gone), AccountAway);
    move(ONE, "b");
    move(TWO, "c");
    await clock.advance(15_000);
    assert.deepEqual(
      servers.list().map(({ name, groups }) => [name, groups.length]),
      [
        ["b", 3],
        ["c", 1],
      ],
    );
    assert.equal(await ask(ONE, there), "there");
    assert.equal(await ask(TWO, there), "there");
  });
});

describe("a server that hangs", () => {
  test("holds half of the connections at most", async () => {
    const { ask } = start();
    let sent = 0;
    const hang = (): Promise<never> => ((sent += 1), never());
    for (let n = 0; n < 6; n += 1) void ask(n % 2 === 0 ? ONE : TWO, hang).catch(() => {});
    await settled();
    assert.equal(sent, 2);
    assert.equal(await ask(THREE, there), "there");
  });

  test("is found out by a probe, and its calls end then", async () => {
    const { ask, probes, clock, servers } = start();
    const calls = [ask(ONE, never), ask(TWO, never), ask(ONE, unasked)].map((call) => assert.rejects(call, AWAY));
    probes.set(ONE, () => Promise.reject(Object.assign(new Error("its time was over"), { code: "57014" })));
    await settled();
    await clock.advance(2_001);
    await assert.rejects(ask(ONE, unasked), AWAY);
    await Promise.all(calls);
    assert.equal(servers.isHere("a"), false);
  });

  test("a call that only takes long is left alone", async () => {
    const { ask, probed, clock } = start();
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = ask(ONE, () => promise);
    await settled();
    await clock.advance(2_001);
    assert.equal(await ask(TWO, there), "there");
    await settled();
    assert.deepEqual(probed, [ONE]);
    resolve("done");
    assert.equal(await slow, "done");
  });
});

test("each call is told with its server, its end and its time", async () => {
  const { ask, calls, probes, clock } = start();
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = ask(THREE, () => promise);
  await settled();
  await clock.advance(30);
  resolve("done");
  await slow;
  probes.set(ONE, () => Promise.reject(refused()));
  await assert.rejects(ask(ONE, gone), AccountAway);
  await assert.rejects(ask(TWO, unasked), AccountAway);
  assert.deepEqual(calls, [
    { server: "b", result: "done", durationMs: 30 },
    { server: "a", result: "lost", durationMs: 0 },
    { server: "a", result: "refused", durationMs: 0 },
  ]);
});
