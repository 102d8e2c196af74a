/** Readers of counts find what no commit has written yet: each of them once, and nothing that was not asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptCalls, setUpCalls, settleCalls, type Webhooks } from "../../../../test/budget/path-calls.ts";
import { systemClock } from "../../../lib/clock.ts";
import { minutesMs } from "../../../lib/duration.ts";
import { type Call, toCall, type VerbParams } from "../../calls.ts";
import { ACCOUNT, accept, due, held, makeAttempt, makeEvent, makeSettlement } from "../../conformance/world.ts";
import { loadVersion, purgeNow, setUp, T0 } from "../../conformance/world.ts";
import type { AttemptCount, CountAttempts } from "../../contract/log.ts";
import type { Store } from "../../contract/store.ts";
import { type AttemptColumns, packAttempt } from "../attempts.ts";
import { commitCalls } from "../commit.ts";
import { openInlineStore } from "../open.ts";
import { openMemory } from "../writer/database-file.ts";

const OTHER = { ...ACCOUNT, id: "acc_2" };

async function openStore(): Promise<Store> {
  const { store } = openInlineStore({ clock: systemClock });
  await setUp(store, ["dst_a", "dst_b", "dst_c"]);
  await setUp(store, ["dst_x"], OTHER);
  return store;
}

interface Arrival {
  readonly n: number;
  readonly at: string;
  readonly ms?: number;
  readonly accountId?: string;
}

/** An event's only webhook, `dlv_n`, arrives at the destination `at` as soon as it is accepted. */
async function arrive(store: Store, { n, at, ms = T0, accountId = ACCOUNT.id }: Arrival): Promise<void> {
  const configVersion = await loadVersion(store, accountId);
  await accept(store, [makeEvent(n, { accountId, configVersion, deliveries: [held(`dlv_${n}`, at)] })], ms);
  const settlement = makeSettlement(`dlv_${n}`, { accountId, attempt: makeAttempt(1, { startedAtMs: ms }) });
  await store.settleAttemptsIfClaimed({ nowMs: ms, settlements: [settlement] });
}

const SPAN: CountAttempts = {
  accountId: ACCOUNT.id,
  fromMs: T0 - minutesMs(1),
  toMs: T0 + minutesMs(10),
  bucketMs: minutesMs(1),
};

const countAttempts = (counts: readonly AttemptCount[]): number =>
  counts.reduce((sum, { kind, count }) => sum + (kind === "attempt" ? count : 0), 0);

test("a chart has those of its account, of its destination and of its span", async () => {
  await using store = await openStore();
  // Within a second, or a commit would write the first one.
  const minuteMs = T0 + minutesMs(1);
  await arrive(store, { n: 1, at: "dst_a", ms: minuteMs - 400 });
  await arrive(store, { n: 2, at: "dst_b", ms: minuteMs + 200 });
  await arrive(store, { n: 3, at: "dst_x", ms: minuteMs, accountId: OTHER.id });
  const count = async (parts: Partial<CountAttempts>) =>
    countAttempts(await store.countAttempts({ ...SPAN, ...parts }));
  for (const joined of ["destinations", "answers"] as const) {
    assert.equal(await count({ joined }), 2);
    assert.equal(await count({ joined, accountId: OTHER.id }), 1);
    assert.equal(await count({ joined, destinationId: "dst_b" }), 1);
    assert.equal(await count({ joined, toMs: minuteMs }), 1);
    assert.equal(await count({ joined, fromMs: minuteMs }), 1);
  }
});

test("a destination whose oldest delivery waits had an attempt all the same", async () => {
  await using store = await openStore();
  const configVersion = await loadVersion(store);
  await accept(store, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
  await arrive(store, { n: 2, at: "dst_a", ms: T0 + 1 });
  const asked = { accountId: ACCOUNT.id, withDeleted: true, nowMs: T0 + 1, waitingMax: 1 };
  const attempted = (await store.loadDestinations(asked)).filter(({ hasAttempts }) => hasAttempts);
  assert.deepEqual(
    attempted.map(({ id }) => id),
    ["dst_a"],
  );
});

test("the log finds an answer that is counted nowhere else, beside older ones that are written", async () => {
  await using store = await openStore();
  await arrive(store, { n: 1, at: "dst_a" });
  await arrive(store, { n: 2, at: "dst_b" });
  await purgeNow(store, T0);
  await arrive(store, { n: 3, at: "dst_c", ms: T0 + minutesMs(30) });
  const page = { accountId: ACCOUNT.id, withTests: false, before: null, limit: 9, response: { status: 200 } } as const;
  const list = async (destinationId?: string): Promise<string[]> => {
    const asked = destinationId === undefined ? page : { ...page, destinationId };
    return (await store.listDeliveries(asked)).deliveries.map(({ id }) => id);
  };
  assert.deepEqual(await list(), ["dlv_3", "dlv_2", "dlv_1"]);
  assert.deepEqual(await list("dst_c"), ["dlv_3"]);
  assert.deepEqual(await list("dst_a"), ["dlv_1"]);
});

const CONFIG_VERSION = 3;

const COUNTING: Call<AttemptColumns> = toCall("countAttempts", { ...SPAN, joined: "destinations" });
const PURGING: Call<AttemptColumns> = toCall("purge", {
  nowMs: T0,
  payloadsBeforeMs: 0,
  attemptBodiesBeforeMs: 0,
  rowsBeforeMs: 0,
  rowsMax: 9,
});

/** Their attempts are counted by this commit, because the deliveries are tried again. */
function retryCalls(webhooks: Webhooks): readonly Call<AttemptColumns>[] {
  const next = { state: "pending", dueAtMs: T0 + minutesMs(1) } as const;
  return settleCalls(webhooks, packAttempt).map(({ params }) => {
    const { nowMs, settlements } = params as VerbParams<"settleAttemptsIfClaimed", AttemptColumns>;
    return toCall("settleAttemptsIfClaimed", { nowMs, settlements: settlements.map((each) => ({ ...each, next })) });
  });
}

test("a reader finds what other calls of its commit have counted, and what they have written meanwhile", async () => {
  using file = openMemory({ nowMs: T0 });
  await commitCalls(file.db, setUpCalls());
  await commitCalls(file.db, acceptCalls({ first: 1, count: 4 }, CONFIG_VERSION));
  await commitCalls(file.db, settleCalls({ first: 1, count: 1 }, packAttempt));
  const answers = await commitCalls(file.db, [
    COUNTING,
    PURGING,
    COUNTING,
    ...settleCalls({ first: 2, count: 1 }, packAttempt),
    COUNTING,
    ...retryCalls({ first: 3, count: 1 }),
    COUNTING,
  ]);
  const counted = [0, 2, 4, 6].map((place) => {
    const answer = answers[place];
    return answer?.kind === "done" ? countAttempts(answer.value as AttemptCount[]) : answer;
  });
  assert.deepEqual(counted, [1, 1, 2, 3]);
});
