/** The system's resolver under a virtual clock: its own time limit, and a thread that stays busy behind it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dnsError } from "../../test/kit/servers/scripted-dns.ts";
import { createVirtualClock, settled } from "../../test/kit/world/virtual-clock.ts";
import { systemClock } from "../lib/clock.ts";
import { createResolver } from "./resolver.ts";
import { type AskSystem, systemNames } from "./name-sources.ts";

type Found = Awaited<ReturnType<AskSystem>>;

function rig(ask: AskSystem) {
  const clock = createVirtualClock();
  return { clock, resolver: createResolver({ clock, names: systemNames({ clock, ask }) }) };
}

test("answers with what the system knows, IPv4 first, and keeps it for thirty seconds", async () => {
  let questions = 0;
  const { clock, resolver } = rig(async () => {
    questions += 1;
    return [{ address: "2606:4700::1" }, { address: "1.1.1.1" }, { address: "1.1.1.1" }];
  });
  assert.deepEqual(await resolver.resolve("hook.test"), { ok: true, value: ["1.1.1.1", "2606:4700::1"] });
  await clock.advance(29_999);
  await resolver.resolve("hook.test");
  assert.equal(questions, 1);
  await clock.advance(1);
  await resolver.resolve("hook.test");
  assert.equal(questions, 2);
  assert.equal(clock.pending(), 0);
});

for (const code of ["ENOTFOUND", "EAI_AGAIN"]) {
  test(`reports ${code} as a failure`, async () => {
    const { resolver } = rig(() => Promise.reject(dnsError(code)));
    const result = await resolver.resolve("hook.test");
    assert.equal(result.ok ? "" : result.error.code, code);
  });
}

test("takes an empty answer for a name without an address", async () => {
  const result = await rig(async () => []).resolver.resolve("hook.test");
  assert.equal(result.ok ? "" : result.error.code, "ENODATA");
});

test("gives up in time, but the thread counts as busy until the system has", async () => {
  const stuck = [Promise.withResolvers<Found>(), Promise.withResolvers<Found>()];
  const asked: string[] = [];
  const { clock, resolver } = rig((name) => {
    asked.push(name);
    return stuck[asked.length - 1]?.promise ?? Promise.resolve([{ address: "1.1.1.1" }]);
  });
  const dead = [resolver.resolve("dead-1.test", "a"), resolver.resolve("dead-2.test", "b")];
  await clock.advance(4_500);
  for (const result of await Promise.all(dead)) assert.equal(result.ok ? "" : result.error.code, "ETIMEOUT");
  const alive = resolver.resolve("alive.test", "c");
  await settled();
  assert.deepEqual(asked, ["dead-1.test", "dead-2.test"]);
  stuck[0]?.resolve([]);
  assert.equal((await alive).ok, true);
});

test("leaves a thread to the others when one owner has nothing but dead names", async () => {
  const { resolver } = rig((name) =>
    name.startsWith("dead") ? Promise.withResolvers<Found>().promise : Promise.resolve([{ address: "1.1.1.1" }]),
  );
  for (let place = 0; place < 50; place += 1) void resolver.resolve(`dead-${place}.test`, "a");
  assert.equal((await resolver.resolve("alive.test", "b")).ok, true);
});

test("works with the real resolver of this system", async () => {
  // A literal needs no name server, and takes the same way through the system's own function.
  const { answered } = systemNames({ clock: systemClock }).ask("127.0.0.1");
  assert.deepEqual((await answered).result, { ok: true, value: ["127.0.0.1"] });
});
