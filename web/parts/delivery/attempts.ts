/** Attempts as the page draws them: steps of the timeline, parts of the time they took, the request to show. Pure. */
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import type { SentRequest } from "../../curl.ts";
import { isPulled } from "../../../src/domain/pull.ts";
import { sentText } from "./sent-text.ts";

export type Step =
  | { readonly kind: "accepted"; readonly atMs: number }
  | { readonly kind: "attempt"; readonly attempt: AttemptView }
  | { readonly kind: "resent"; readonly atMs: number; readonly by: string }
  /** `atMs` is `null` while its destination is not on. */
  | { readonly kind: "next"; readonly atMs: number | null }
  | { readonly kind: "cancelled"; readonly atMs: number | null };

export function toSteps(detail: DeliveryDetail): readonly Step[] {
  const { createdAtMs, attempts, resent, isTest } = detail;
  const before = resent === null ? attempts : attempts.filter(({ startedAtMs }) => startedAtMs < resent.atMs);
  const after = attempts.slice(before.length);
  return [
    // A test was made, not accepted.
    ...(isTest ? [] : [{ kind: "accepted", atMs: createdAtMs } as const]),
    ...before.map(asStep),
    ...(resent === null ? [] : [{ kind: "resent", ...resent } as const]),
    ...after.map(asStep),
    ...toEnd(detail),
  ];
}

const asStep = (attempt: AttemptView): Step => ({ kind: "attempt", attempt });

function toEnd({ status, nextAttemptAtMs, settledAtMs }: DeliveryDetail): readonly Step[] {
  switch (status) {
    case "waiting":
    case "retrying":
      return [{ kind: "next", atMs: nextAttemptAtMs }];
    case "cancelled":
      return [{ kind: "cancelled", atMs: settledAtMs }];
    case "delivered":
    case "failed":
      return [];
  }
}

/* Where the time of an attempt went, as pieces of one bar. Pure. */

export interface TimingSegment {
  readonly id: "dns" | "connect" | "tls" | "waiting" | "reading" | "other";
  readonly label: string;
  readonly ms: number;
  /** Its place in the whole, 0 to 1. */
  readonly start: number;
  readonly share: number;
}

/**
 * The segments in the order in which they happened. Without a first byte the rest counts as waiting; with one, but
 * without an answer, the rest was never complete. Steps that were not reached, or that an open connection spared, are
 * left out.
 */
export function timingSegments(
  { dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: ExplainedOutcome["timings"],
  isAnswered: boolean,
): readonly TimingSegment[] {
  const opening = [
    toPiece("dns", "Name look-up", dnsMs),
    toPiece("connect", "Connection", connectMs),
    toPiece("tls", "Encryption (TLS)", tlsMs),
  ];
  const openedMs = opening.reduce((sum, { ms }) => sum + ms, 0);
  const rest =
    firstByteMs === null
      ? [toPiece("other", "No answer until the end", totalMs - openedMs)]
      : [
          toPiece("waiting", "Waiting for the first byte", firstByteMs - openedMs),
          isAnswered
            ? toPiece("reading", "Reading the answer", totalMs - firstByteMs)
            : toPiece("other", "Waiting for the rest of the answer", totalMs - firstByteMs),
        ];
  return placed([...opening, ...rest].filter(({ ms }) => ms > 0));
}

type Piece = Pick<TimingSegment, "id" | "label" | "ms">;

const toPiece = (id: TimingSegment["id"], label: string, ms: number | null): Piece => ({ id, label, ms: ms ?? 0 });

/** Shares of the sum of the pieces: the clocks of the phases need not add up to the total by the millisecond. */
function placed(pieces: readonly Piece[]): readonly TimingSegment[] {
  const sum = pieces.reduce((total, { ms }) => total + ms, 0);
  let start = 0;
  return pieces.map((each) => {
    const share = each.ms / sum;
    const segment = { ...each, start, share };
    start += share;
    return segment;
  });
}

/* A delivery's latest request as it was sent, to be made into a command. Pure. */

/** `null` when `notCopyable` says why. */
export function findSentRequest(detail: DeliveryDetail): SentRequest | null {
  const last = detail.attempts.at(-1);
  const body = last === undefined ? null : sentText(last, detail);
  if (last === undefined || body === null || isPulled(last)) return null;
  return { url: last.url, headers: last.requestHeaders, body };
}

/** The reason for a missing request, in words; `null` when there is one. */
export function notCopyable(detail: DeliveryDetail): string | null {
  const last = detail.attempts.at(-1);
  if (detail.body === null) return "Its payload has reached the end of its retention time and was deleted.";
  if (last === undefined || last.outcome.class === "body") return "Nothing was sent yet.";
  if (isPulled(last)) return "Nothing was sent: your program asked for it.";
  return sentText(last, detail) === null ? "What the last attempt has sent can’t be made again." : null;
}

/**
 * The same request to another place: what is typed is an origin, or an address with a path that is used instead of the
 * webhook's. `null` for what is no http address.
 */
export function redirected(request: SentRequest, typed: string): SentRequest | null {
  // Browsers make a host of "a b", which is a mistake in every case.
  if (/\s/.test(typed.trim())) return null;
  const target = URL.parse(/^[a-z]+:\/\//i.test(typed.trim()) ? typed.trim() : `http://${typed.trim()}`);
  if (target === null || !/^https?:$/.test(target.protocol) || target.hostname === "") return null;
  const original = URL.parse(request.url);
  if (original !== null && target.pathname === "/" && target.search === "") {
    target.pathname = original.pathname;
    target.search = original.search;
  }
  target.hash = "";
  return { ...request, url: target.href };
}
