/**
 * The demo's oracle compares the records and answers of the product with the arrivals at the receiver. It keeps its own
 * books and asks the service nothing, so the service is not its own witness.
 *
 *     handed in ──► accepted (202) ──┐
 *          └──────► arrived ─────────┴──► both: the record is through, and is forgotten
 *
 * The arrival may come first: a webhook is sent while the 202 is still on its way. Memory stays bounded, because the
 * oracle keeps only records between the two, and the latest of everything else.
 */
import { isTestWebhookId } from "../domain/delivery.ts";
import { BUILT_IN_TYPES, type EventTypes } from "../events/event-types.ts";
import { asMembers } from "../events/summary.ts";
import type { ReceivedWebhook } from "../receiver/receiver.ts";

export interface Tally {
  /** Called before the request to intake; `records` are new ones, never repeats. */
  handedIn(records: readonly { readonly id: string }[], atMs: number): void;
  /** Intake's answer to a new record. "unknown": no answer came, so it may have been accepted or not. */
  answered(id: string, answer: "accepted" | "refused" | "unknown"): void;
  /** Intake's answer to a record that it had accepted before. */
  answeredRepeat(answer: "known" | "accepted" | "refused"): void;
  /**
   * An arrival at the receiver. `latencyMs` counts from handing the record in, for the first arrival of one of ours.
   */
  arrived(webhook: ReceivedWebhook, atMs: number): { readonly latencyMs: number | null; readonly isRepeat: boolean };
  /** `apart` are ids of deliveries that do not count: a record counts by its other webhook. */
  counts(apart?: readonly string[]): TallyCounts;
}

export interface TallyCounts {
  /** New records that intake answered with 202. */
  readonly accepted: number;
  readonly refused: number;
  /** Repeats that intake recognised, and repeats that it accepted as new, which must not happen. */
  readonly duplicates: number;
  readonly acceptedTwice: number;
  /** Deliveries (by `webhook-id`) that arrived and verified, by event and in all. */
  readonly verified: number;
  readonly byEvent: Readonly<Partial<Record<string, number>>>;
  /** Arrivals of a delivery that had arrived before. */
  readonly repeats: number;
  readonly unverified: number;
  /** Ids of accepted records that have not arrived. */
  readonly missing: readonly string[];
  /** The latest deliveries' times in milliseconds, sorted. */
  readonly latenciesMs: readonly number[];
}

interface UnderWay {
  readonly handedInMs: number;
  accepted: boolean;
  arrived: boolean;
}

const LATENCIES_MAX = 10_000;
/** Repeats come within moments; a delivery that comes again after this many others counts as another one. */
const WEBHOOK_IDS_MAX = 10_000;

export function createTally(types: Pick<EventTypes, "read"> = BUILT_IN_TYPES): Tally {
  const underWay = new Map<string, UnderWay>();
  const webhookIds = new Set<string>();
  const latenciesMs: number[] = [];
  const counted = { accepted: 0, refused: 0, duplicates: 0, acceptedTwice: 0, verified: 0, repeats: 0, unverified: 0 };
  const byEvent: Partial<Record<string, number>> = {};

  function note(id: string, change: Partial<UnderWay>): UnderWay | null {
    const record = underWay.get(id);
    if (record === undefined) return null;
    Object.assign(record, change);
    if (record.accepted && record.arrived) underWay.delete(id);
    return record;
  }

  function firstArrival(webhook: ReceivedWebhook, atMs: number): number | null {
    counted.verified += 1;
    const { id, event } = idAndEvent(types, webhook.body);
    byEvent[event] = (byEvent[event] ?? 0) + 1;
    const record = note(id, { arrived: true });
    if (record === null) return null;
    const latencyMs = atMs - record.handedInMs;
    keepLatest(latenciesMs, latencyMs);
    return latencyMs;
  }

  return {
    handedIn(records, atMs) {
      for (const { id } of records) underWay.set(id, { handedInMs: atMs, accepted: false, arrived: false });
    },
    answered(id, answer) {
      if (answer !== "unknown") counted[answer] += 1;
      if (answer === "accepted") note(id, { accepted: true });
      else underWay.delete(id);
    },
    answeredRepeat(answer) {
      if (answer === "known") counted.duplicates += 1;
      else if (answer === "accepted") counted.acceptedTwice += 1;
      else counted.refused += 1;
    },
    arrived(webhook, atMs) {
      const { verification } = webhook;
      if (!verification.valid) {
        counted.unverified += 1;
        return { latencyMs: null, isRepeat: false };
      }
      // A person has pressed Test webhook: no record was accepted for it.
      if (isTestWebhookId(verification.webhookId ?? "")) return { latencyMs: null, isRepeat: false };
      if (!isNew(webhookIds, verification.webhookId)) {
        counted.repeats += 1;
        return { latencyMs: null, isRepeat: true };
      }
      return { latencyMs: firstArrival(webhook, atMs), isRepeat: false };
    },
    counts(apart = []) {
      const missing = [...underWay].flatMap(([id, record]) => (record.accepted && !record.arrived ? [id] : []));
      const verified = counted.verified - apart.filter((id) => webhookIds.has(id)).length;
      return {
        ...counted,
        verified,
        byEvent: { ...byEvent },
        missing,
        latenciesMs: latenciesMs.toSorted((a, b) => a - b),
      };
    },
  };
}

/** The value below which `share` of the sorted values lie (nearest rank), or `null` when there are none. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

/** A webhook without a signed id cannot be told from another, so it counts as new. */
function isNew(seen: Set<string>, webhookId: string | null): boolean {
  if (webhookId === null) return true;
  if (seen.has(webhookId)) return false;
  seen.add(webhookId);
  const [oldest] = seen;
  if (seen.size > WEBHOOK_IDS_MAX && oldest !== undefined) seen.delete(oldest);
  return true;
}

function keepLatest(values: number[], value: number): void {
  values.push(value);
  if (values.length > LATENCIES_MAX) values.shift();
}

/** A person who reads the secret on the screen can sign anything, so a verified webhook may still not be a record. */
function idAndEvent(types: Pick<EventTypes, "read">, body: Buffer): { readonly id: string; readonly event: string } {
  const parsed = asMembers(parseJson(body));
  const event = String(parsed["event"]);
  return { id: types.read(event).readSourceId(parsed) ?? "", event };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}
