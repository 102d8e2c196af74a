/**
 * Notes what people do for deliveries: sent again or sent now, some of them or all that wait, by a replay, by turning a
 * destination on, or by giving it another URL.
 */
import type { DestinationSetup } from "../../src/store/contract/accounts.ts";
import type { DeliveryRecord, Life } from "../records.ts";
import type { Books, Run } from "./books.ts";

export function noteResends(books: Books, { life, params, answer }: Run<"requestResends">): void {
  const { nowMs, by } = params;
  for (const [place, deliveryId] of params.deliveryIds.entries()) {
    const delivery = books.deliveries.get(deliveryId);
    if (answer[place] !== "queued" || delivery === undefined) continue;
    if (delivery.state === "pending") hurry(books, delivery, nowMs);
    else reopen(books, delivery, { life, dueAtMs: nowMs, actor: by.person });
    delivery.goesFirst = delivery.claim === null;
    endCoolDown(books, delivery.destinationId, nowMs);
  }
}

export function noteWaitingSent(books: Books, { params, answer }: Run<"sendWaiting">): void {
  if (answer.kind !== "sent") return;
  hurryAll(books, params.destinationId, params.nowMs);
  if (!params.isContinued) endCoolDown(books, params.destinationId, params.nowMs);
}

/** Another URL begins a new health, and what waits goes there at once. */
export async function noteSetUp(
  books: Books,
  { params, answer }: { params: SetUp; answer: { kind: string } },
): Promise<void> {
  const { accountId, destination, nowMs } = params;
  const before = destination === null ? null : books.configs.destination(accountId, destination.id);
  await books.configs.refresh(accountId);
  if (answer.kind !== "saved" || destination === null) return;
  if (before === null || before.url === destination.url) return;
  hurryAll(books, destination.id, nowMs);
  books.holds.turnOn(destination.id);
}

interface SetUp {
  readonly accountId: string;
  readonly destination: DestinationSetup | null;
  readonly nowMs: number;
}

function hurryAll(books: Books, destinationId: string, nowMs: number): void {
  for (const delivery of books.deliveries.values()) {
    if (delivery.destinationId === destinationId && delivery.state === "pending") hurry(books, delivery, nowMs);
  }
}

/** One that a node holds, or held until its claim ran out, keeps its time. */
function hurry(books: Books, delivery: DeliveryRecord, nowMs: number): void {
  if (delivery.claim !== null || delivery.dueAtMs <= nowMs) return;
  Object.assign(delivery, { dueAtMs: nowMs, hurriedAtMs: books.nowMs() });
}

/** The next one is the trial, unless one is out. */
function endCoolDown({ deliveries, holds }: Books, destinationId: string, nowMs: number): void {
  const isTrial = ({ claim, ...delivery }: DeliveryRecord): boolean =>
    delivery.destinationId === destinationId && claim !== null && claim.isTrial && claim.untilMs > nowMs;
  if (![...deliveries.values()].some(isTrial)) holds.endCoolDown(destinationId, nowMs);
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
    const [row] = await store.listReplays({ accountId: replay.accountId, replayId: replay.id });
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
