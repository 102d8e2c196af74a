import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, makeAttempt, makeSettlement, T0 } from "../../conformance/world.ts";
import type { NewDelivery } from "../../contract/path.ts";
import { packAttempt } from "../attempts.ts";
import { commitCalls } from "../commit.ts";
import type { Connection } from "../connection/connection.ts";
import { openMemory } from "../writer/database-file.ts";
import { toCall } from "../../calls.ts";
import { makeAccount, makeDestinationSetup, makeNewDelivery, makeNewEvent } from "../../../../test/kit/make.ts";

const claim = { token: "token", untilMs: T0 + 60_000 };

/** Two claimed deliveries of one destination. */
async function setUp(db: Connection): Promise<void> {
  const account = makeAccount({ plan: "free" });
  const accountId = account.id;
  const deliveries: NewDelivery[] = ["dlv_1", "dlv_2"].map((id) =>
    makeNewDelivery({ id, destinationId: "dst_1", claimed: true }),
  );
  const event = makeNewEvent({ accountId, configVersion: 3, body: "{}" });
  const destination = makeDestinationSetup({ id: "dst_1", url: "https://receiver.example/" });
  const answers = await commitCalls(db, [
    toCall("putAccount", { account, newSealedSecret: "s", nowMs: T0 }),
    toCall("putChatAssistant", { accountId, assistant: { id: "bot", name: "" }, rename: false, nowMs: T0 }),
    toCall("saveAssistantDestination", {
      accountId,
      assistantId: "bot",
      destination,
      expectedRevision: 1,
      by: ADA,
      nowMs: T0,
    }),
    toCall("acceptEvents", { nowMs: T0, claim, events: [{ ...event, deliveries }] }),
  ]);
  assert.deepEqual(answers.at(-1), { kind: "done", value: [{ kind: "accepted", unclaimed: [] }] });
}

const written = (db: Connection): number => db.get<{ rows: number }>("select total_changes() as rows")?.rows ?? 0;

/** Rows written by settling deliveries in one call. */
async function rowsWrittenBy(db: Connection, ids: readonly string[], state: "delivered" | "failed"): Promise<number> {
  const before = written(db);
  const settlements = ids.map((id) => ({
    ...makeSettlement(id, { next: { state } }),
    attempt: packAttempt(makeAttempt(1)),
  }));
  await commitCalls(db, [toCall("settleAttemptsIfClaimed", { nowMs: T0, settlements })]);
  return written(db) - before;
}

test("an end at the first attempt writes a row and deltas, and a failure its destination and incident", async () => {
  using file = openMemory({ nowMs: T0 });
  await setUp(file.db);
  assert.equal(await rowsWrittenBy(file.db, ["dlv_1"], "delivered"), 3, "itself, with its attempt, and two deltas");
  const failed = await rowsWrittenBy(file.db, ["dlv_2"], "failed");
  assert.equal(failed, 4, "and the destination, which fails now, its incident, and one delta");
});
