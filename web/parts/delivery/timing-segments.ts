/** Where the time of an attempt went, as pieces of one bar. Pure. */
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";

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
