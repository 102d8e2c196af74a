/**
 * A week of an account's deliveries, made through the store's own verbs: most arrive at once, some after retries, some
 * never. Besides, what makes a log hard to search: a destination that answers hardly ever, one that is paused with all
 * its deliveries waiting, and single answers and states among tens of thousands of others.
 */
import type { Outcome } from "../src/domain/attempt.ts";
import { newId } from "../src/domain/id.ts";
import { daysMs } from "../src/lib/duration.ts";
import type { WantedEvents } from "../src/domain/webhook.ts";
import type { NewEvent, Settlement } from "../src/store/contract/path.ts";
import type { Store } from "../src/store/contract/store.ts";
import { makeAccount, makeAlert, makeDestinationSetup, makeNewDelivery, makeNewEvent } from "../test/kit/make.ts";
import { createSeededRandom } from "../test/kit/world/seeded-random.ts";
import { conversationBody, sessionBody } from "./log-bodies.ts";

export interface HistoryShape {
  readonly accounts: number;
  /** Destinations of each account; every fifth one is an assistant's. */
  readonly destinations: number;
  /** In all. */
  readonly deliveries: number;
  /** The end of the week. */
  readonly nowMs: number;
  /** The body of event `n`; bodies to search in when left out. */
  readonly bodyOf?: (n: number) => string;
  /** Its destinations are webhooks of their own, with events of these types; alerts' and assistants' when left out. */
  readonly types?: TypesOfHistory;
  /** Nothing of it waits; a destination's deliveries all wait when left out. */
  readonly isOver?: true;
}

export interface TypesOfHistory {
  /** Those that the webhook wants. */
  wantedBy(place: number): WantedEvents;
  /** The type of a delivery to that webhook; `unit` is random, from 0 to 1. */
  typeOf(place: number, unit: number): string;
}

export interface MadeAccount {
  readonly id: string;
  readonly configVersion: number;
  readonly destinations: readonly { readonly id: string; readonly assistantId: string | null }[];
}

const BATCH = 500;
const WEEK_MS = daysMs(7);
const BENCH = { person: "bench", role: "owner" } as const;
const CLAIM_MS = 60_000;

/** A destination of each account that hardly ever answers, and one whose deliveries all wait. */
export const FAILING = 1;
export const PAUSED = 2;

export async function makeHistory(store: Store, shape: HistoryShape): Promise<MadeAccount[]> {
  const random = createSeededRandom(1);
  const startMs = shape.nowMs - WEEK_MS;
  const accounts: MadeAccount[] = [];
  for (let n = 0; n < shape.accounts; n += 1) {
    accounts.push(await setUpAccount(store, { ...shape, id: `acc_${n}`, nowMs: startMs, random }));
  }
  for (let made = 0; made < shape.deliveries; made += BATCH) {
    const nowMs = startMs + Math.floor((WEEK_MS * made) / shape.deliveries);
    const spreadMs = Math.floor((WEEK_MS * BATCH) / shape.deliveries / BATCH);
    await makeBatch(store, accounts, { ...shape, first: made, nowMs, spreadMs, random });
  }
  return accounts;
}

type SeededRandom = ReturnType<typeof createSeededRandom>;

interface AccountToMake extends Pick<HistoryShape, "destinations" | "nowMs" | "types"> {
  readonly id: string;
  readonly random: SeededRandom;
}

async function setUpAccount(store: Store, { id, destinations, nowMs, random, types }: AccountToMake) {
  const account = makeAccount({ id });
  await store.putAccount({ account, newSealedSecret: "sealed", nowMs });
  const made: MadeAccount["destinations"][number][] = [];
  for (let n = 0; n < destinations; n += 1) {
    const destination = makeDestinationSetup({ id: newId("dst", nowMs, random), url: `https://receiver.example/${n}` });
    const decision = { accountId: id, destination, by: BENCH, nowMs };
    if (types !== undefined) {
      const webhook = { id: newId("whk", nowMs, random), name: `Webhook ${n}`, events: types.wantedBy(n) };
      await store.saveWebhook({ ...decision, webhook, expectedRevision: null, webhooksMax: 1_000 });
      made.push({ id: destination.id, assistantId: null });
    } else if (n % 5 === 4) {
      const assistant = { id: `assistant-${n}`, name: `Assistant ${n}` };
      await store.putChatAssistant({ accountId: id, assistant, rename: false, nowMs });
      await store.saveAssistantDestination({ ...decision, assistantId: assistant.id, expectedRevision: 1 });
      made.push({ id: destination.id, assistantId: assistant.id });
    } else {
      const alert = makeAlert({ id: newId("alr", nowMs, random), name: `Alert ${n}` });
      await store.saveAlert({ ...decision, alert, expectedRevision: null, alertsMax: 1_000 });
      made.push({ id: destination.id, assistantId: null });
    }
  }
  const configVersion = (await store.loadAccount({ accountId: id }))?.configVersion ?? 0;
  return { id, configVersion, destinations: made };
}

interface Batch extends Pick<HistoryShape, "nowMs" | "bodyOf" | "types" | "isOver"> {
  readonly first: number;
  readonly spreadMs: number;
  readonly random: SeededRandom;
}

/** Accepts a batch, each event at a time of its own, and settles what does not wait. */
async function makeBatch(store: Store, accounts: readonly MadeAccount[], batch: Batch): Promise<void> {
  const made = Array.from({ length: BATCH }, (_, place) => makeOne(accounts, batch, place));
  await Promise.all(
    made.map(({ event, atMs }) =>
      store.acceptEvents({ nowMs: atMs, claim: { token: "bench", untilMs: atMs + CLAIM_MS }, events: [event] }),
    ),
  );
  await Promise.all(
    made.flatMap(({ atMs, settlement }) =>
      settlement === null ? [] : store.settleAttemptsIfClaimed({ nowMs: atMs + 50, settlements: [settlement] }),
    ),
  );
}

function makeOne(accounts: readonly MadeAccount[], batch: Batch, place: number) {
  const { first, nowMs, spreadMs, random, bodyOf, types, isOver } = batch;
  const n = first + place;
  const atMs = nowMs + place * spreadMs;
  const account = accounts[n % accounts.length];
  if (account === undefined) throw new Error("there are no accounts");
  const to = Math.floor(random.unit() * account.destinations.length);
  const { id: destinationId, assistantId } = account.destinations[to] ?? { id: "", assistantId: null };
  const waits = to === PAUSED && isOver !== true;
  const delivery = makeNewDelivery({ id: newId("dlv", atMs, random), destinationId, claimed: !waits });
  const event: NewEvent = makeNewEvent({
    id: newId("evt", atMs, random),
    accountId: account.id,
    configVersion: account.configVersion,
    type: types?.typeOf(to, random.unit()) ?? (assistantId === null ? "demo_viewed" : "chat_conversation_completed"),
    sourceId: `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`,
    assistantId,
    body: bodyOf?.(n) ?? (assistantId === null ? sessionBody(n) : conversationBody(n)),
    deliveries: [delivery],
  });
  const fate = to === FAILING && isOver !== true ? fateOfFailing(n) : findFate(n);
  return {
    event,
    atMs,
    settlement: waits
      ? null
      : makeSettlement({ deliveryId: delivery.id, accountId: account.id }, { fate, atMs, random }),
  };
}

interface Fate {
  readonly next: Settlement["next"];
  readonly outcome: Outcome;
}

const answer = (status: number): Outcome => ({
  kind: "response",
  response: { status, headers: { "content-type": "text/plain" }, body: new TextEncoder().encode("ok"), bodyCut: false },
});

const DELIVERED: Fate = { next: { state: "delivered" }, outcome: answer(200) };
const TIMED_OUT: Outcome = { kind: "timeout", phase: "headers" };

/** By number, so that the rare ones are known to be there, and old. */
function findFate(n: number): Fate {
  if (n === 1_000) return { next: { state: "delivered" }, outcome: answer(204) };
  if (n === 1_001) return { next: { state: "failed" }, outcome: answer(501) };
  if (n === 1_002) return { next: { state: "cancelled" }, outcome: answer(410) };
  if (n % 100 === 7) return { next: { state: "failed" }, outcome: answer(503) };
  if (n % 500 === 8) return { next: { state: "failed" }, outcome: TIMED_OUT };
  return DELIVERED;
}

/** One in a thousand arrives; the others fail or are retried. */
function fateOfFailing(n: number): Fate {
  if (n % 1_000 === 9) return DELIVERED;
  const outcome = n % 3 === 0 ? TIMED_OUT : answer(500);
  return n % 10 === 0
    ? { next: { state: "pending", dueAtMs: Date.UTC(2100, 0) }, outcome }
    : { next: { state: "failed" }, outcome };
}

function makeSettlement(
  { deliveryId, accountId }: Pick<Settlement, "deliveryId" | "accountId">,
  { fate: { next, outcome }, atMs, random }: { fate: Fate; atMs: number; random: SeededRandom },
): Settlement {
  // Some tens of milliseconds, rarely seconds.
  const totalMs = 20 / (0.005 + random.unit());
  const timings = { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: totalMs, totalMs };
  return {
    deliveryId,
    accountId,
    claimToken: "bench",
    attempt: {
      number: 1,
      startedAtMs: atMs,
      url: "https://receiver.example/",
      requestHeaders: { "content-type": "application/json", "webhook-id": deliveryId },
      result: { outcome, timings, address: "203.0.113.7" },
    },
    next,
    isFree: false,
    isTrial: false,
    destinationOff: null,
    setUpAtMs: null,
    holdUntilMs: null,
  };
}
