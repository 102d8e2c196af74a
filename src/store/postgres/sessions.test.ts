/** Signing in on one node while the same people are signed out on another. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { shareCluster } from "../../../test/kit/servers/postgres.ts";
import { minutesMs } from "../../lib/duration.ts";
import { systemClock } from "../../lib/clock.ts";
import { ACCOUNT, ADA, setUp, T0 } from "../conformance/world.ts";
import type { Store } from "../contract/store.ts";
import { openPostgresStore } from "./open.ts";

const cluster = await shareCluster();
after(() => cluster[Symbol.asyncDispose]());

const accountId = ACCOUNT.id;
const ROUNDS = 12;
const LINKS = 16;

async function makeLinks(store: Store, round: number): Promise<string[]> {
  const hashes = Array.from({ length: LINKS }, (_, n) => `${round}-${n}`);
  const link = { accountId, person: "bo", role: "owner", expiresAtMs: T0 + minutesMs(5), nowMs: T0 } as const;
  await Promise.all(hashes.map((hash) => store.createSignInLink({ ...link, tokenHash: hash })));
  return hashes;
}

/** The node's clock is behind: what counts is the order of the commits. */
const open = (store: Store, hash: string) =>
  store.openSession({
    tokenHash: hash,
    sessionHash: `session ${hash}`,
    sessionId: `ses_${hash}`,
    replacedHash: null,
    expiresAtMs: T0 + minutesMs(60),
    nowMs: T0,
  });

test("a sign-in that meets an ending comes too late, or its session ends with the others", async (t) => {
  const url = await cluster.createStoreDatabase();
  await using one = (await openPostgresStore({ url, clock: systemClock })).store;
  await using other = (await openPostgresStore({ url, clock: systemClock })).store;
  await setUp(one, []);
  const met = { opened: 0, ended: 0 };
  for (let round = 1; round <= ROUNDS; round += 1) {
    const hashes = await makeLinks(one, round);
    const half = hashes.length / 2;
    const end = (which: Parameters<Store["endSessions"]>[0]["which"]) =>
      other.endSessions({ accountId, which, by: ADA, nowMs: T0 + 1 });
    const early = hashes.slice(0, half).map((hash) => open(one, hash));
    // Two at once, which want the same rows.
    const endings = [end({ kind: "person", person: "bo" }), end({ kind: "all" })];
    const late = hashes.slice(half).map((hash) => open(one, hash));
    const results = await Promise.all([...early, ...late]);
    await Promise.all(endings);
    for (const { kind } of results) {
      assert.ok(kind === "opened" || kind === "ended", kind);
      met[kind] += 1;
    }
    const left = await one.listSessions({ accountId, before: null, limit: 99, nowMs: T0 + 1 });
    assert.deepEqual(left, [], `round ${round}`);
  }
  t.diagnostic(`${met.opened} were in time and ended, ${met.ended} came too late`);
});
