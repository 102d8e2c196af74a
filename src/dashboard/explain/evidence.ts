/**
 * The evidence of a failure: the attempt that met it, in one line. A delivery that waits without an attempt has that of
 * another one, because what stopped that one keeps it waiting.
 */
import type { BodyKind } from "../../domain/body.ts";
import type { StoredDelivery } from "../../store/contract/log.ts";
import type { ReadContext, Reader } from "../call/context.ts";
import type { AttemptView, DeliveryDetail, EvidenceView } from "../contract/deliveries.ts";
import type { DestinationView } from "../contract/destinations.ts";
import { toAnswerLine } from "./answer-line.ts";
import { explainOutcome } from "./outcome.ts";

export function explainAttempt(
  { number, startedAtMs, url, requestHeaders, result }: StoredDelivery["attempts"][number],
  { body, isTest }: StoredDelivery,
  sent: SentFacts | null = null,
): AttemptView {
  const bodyBytes = sent === null ? bytesOf(body) : sent.bytes;
  const sends = sent?.kind ?? "event";
  const outcome = explainOutcome({ result, startedAtMs, url, sends, bodyBytes, isTest, isFresh: false });
  return { number, startedAtMs, url, requestHeaders, outcome, sent: sent?.place ?? null };
}

/** What an attempt has sent, where that was not the event. */
export interface SentFacts {
  readonly kind: BodyKind;
  /** `null` where it cannot be made again. */
  readonly bytes: number | null;
  /** Among the bodies of the delivery. */
  readonly place: number;
}

const bytesOf = (body: string | null): number | null => (body === null ? null : Buffer.byteLength(body));

/** Its last attempt that failed; `null` when there is none. */
export function toEvidence(stored: StoredDelivery): EvidenceView | null {
  // One line of the answer is the same whatever was sent.
  const explained = stored.attempts.map((attempt) => explainAttempt(attempt, stored));
  const failed = explained.findLast(({ outcome }) => outcome.class !== "success");
  if (failed === undefined) return null;
  const { number, startedAtMs, outcome } = failed;
  return {
    deliveryId: stored.id,
    attempt: number,
    atMs: startedAtMs,
    status: outcome.status,
    line: toAnswerLine(outcome),
  };
}

interface Asked {
  readonly stored: StoredDelivery;
  /** Its destination, with its health. */
  readonly now: DestinationView | null;
}

/** What stands beside a delivery that has not arrived; nothing is asked for one that has. */
export async function findTrouble(
  ctx: ReadContext,
  { accountId }: Reader,
  { stored, now }: Asked,
): Promise<Pick<DeliveryDetail, "evidence" | "incidentId">> {
  const own = toEvidence(stored);
  if (stored.state === "delivered" || now === null) return { evidence: own, incidentId: null };
  const asked = { accountId, destinationId: now.id };
  const isFailing = now.health.failingSinceMs !== null;
  const isFirst = stored.state === "pending" && stored.attempts.length === 0;
  const [latest] = await ctx.accounts.store.listIncidents({ ...asked, before: null, limit: 1 });
  return {
    evidence: isFirst && isFailing ? await findOthers(ctx, asked, now) : own,
    incidentId: latest?.toMs === null ? latest.id : null,
  };
}

interface OfDestination {
  readonly accountId: string;
  readonly destinationId: string;
}

/** The newest delivery whose last attempt met what the destination met last. */
async function findOthers(
  ctx: ReadContext,
  asked: OfDestination,
  { health: { lastFailure } }: DestinationView,
): Promise<EvidenceView | null> {
  if (lastFailure === null) return null;
  const status = Number(lastFailure.code);
  const response = Number.isInteger(status) ? { status } : "none";
  const wanted = { ...asked, response, withTests: false, before: null, limit: 1 } as const;
  const [found] = (await ctx.accounts.store.listDeliveries(wanted)).deliveries;
  return found === undefined ? null : await loadEvidence(ctx, asked.accountId, found.id);
}

/** `null` when the delivery is no longer there. */
export async function loadEvidence(
  ctx: ReadContext,
  accountId: string,
  deliveryId: string,
): Promise<EvidenceView | null> {
  const stored = await ctx.accounts.store.loadDelivery({ accountId, deliveryId });
  return stored === null ? null : toEvidence(stored);
}
