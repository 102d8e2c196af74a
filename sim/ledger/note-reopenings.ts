/** Notes deliveries that a person made pending again: one by one, by a replay, or by turning a destination on. */
import type { DeliveryRecord, Life } from "../records.ts";
import type { Books, Run } from "./books.ts";

export function noteResend(books: Books, { life, params, answer }: Run<"requestResend">): void {
  const delivery = books.deliveries.get(params.deliveryId);
  if (answer !== "queued" || delivery === undefined) return;
  reopen(books, delivery, { life, dueAtMs: params.nowMs, actor: params.by.person });
}

interface Reopening {
  readonly life: Life;
  readonly dueAtMs: number;
  readonly actor: string;
}

function reopen(books: Books, delivery: DeliveryRecord, { life, dueAtMs, actor }: Reopening): void {
  const stateBefore = delivery.state;
  Object.assign(delivery, { state: "pending", dueAtMs, reopenedAtMs: books.nowMs() });
  delivery.attemptsBefore = delivery.settlements.length;
  books.history().add({ kind: "reopened", life, delivery, stateBefore, actor });
}

export function noteReplay({ replays }: Books, { params, answer }: Run<"createReplay">): void {
  if ("refused" in answer) return;
  const { accountId, id, by } = params;
  const { deliveries } = answer;
  replays.set(id, { accountId, id, actor: by.person, deliveries, moved: 0, skipped: 0, state: "running" });
}

/** The answer only counts the deliveries; their rows say which ones they are. */
export async function noteSteps(books: Books, { life, answer: { moved } }: Run<"stepReplays">): Promise<void> {
  await readReplays(books);
  if (moved === 0) return;
  let found = 0;
  for (const delivery of books.deliveries.values()) {
    if (delivery.state === "pending") continue;
    const row = await books.store.loadDelivery({ accountId: delivery.event.accountId, deliveryId: delivery.id });
    if (row?.state !== "pending") continue;
    found += 1;
    reopen(books, delivery, { life, dueAtMs: row.dueAtMs ?? 0, actor: row.resentBy ?? "" });
  }
  books.history().add({ kind: "stepped", life, moved, found });
}

async function readReplays({ store, replays }: Books): Promise<void> {
  for (const replay of replays.values()) {
    const row = await store.loadReplay({ accountId: replay.accountId, replayId: replay.id });
    if (row !== null && replay.state !== "cancelled") Object.assign(replay, row);
  }
}

export function noteReplayState({ replays }: Books, { params, answer }: Run<"setReplayState">): void {
  const replay = replays.get(params.replayId);
  if (replay !== undefined && answer === "changed") replay.state = params.state;
}

/** A person also turns on a destination that is on and only held back: its breaker closes, no version changes. */
export async function noteDecision(
  { configs, holds }: Books,
  { params, answer }: Run<"setDestinationState">,
): Promise<void> {
  await configs.refresh(params.accountId);
  if (params.state === "on" && answer === "changed") holds.turnOn(params.destinationId);
}
