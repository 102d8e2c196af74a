/**
 * Judges every arrival at the receivers by the claims of its delivery. These rules must hold whatever happened:
 *
 * - Nothing is sent without a claim, and each claim sends once. So a second arrival needs a claim of its own.
 * - A claim is made only when the one before it was settled, was given back, or has run out.
 * - A claim runs out only because its holder was in trouble: killed, stopped, or cut off from the database.
 *
 * A node that slept beyond its claim's end may still send its next webhook: no database can take back a request
 * that is half written. Only after such a sleep may two arrivals stand under one claim.
 */
import { readInstant } from "../../src/domain/id.ts";
import type { Claim, ClaimBook } from "./claim-book.ts";

/** A fault that was made for a holder. */
export interface Trouble {
  /** `"*"` is every one. */
  readonly holder: string;
  readonly fromMs: number;
  /** When it could go on; `null` for one that was killed. */
  readonly toMs: number | null;
}

export interface Explained {
  /** Arrivals of deliveries that had arrived before. */
  readonly duplicates: number;
  /** Those of them that came after a claim which had run out. The others: after an attempt that failed. */
  readonly afterRunOut: number;
  /** Claims that ran out, whether their deliveries had arrived or not. */
  readonly ranOut: number;
  /** Each is a broken promise, in words. */
  readonly faults: readonly string[];
}

/** By delivery: when it arrived. */
export type Arrivals = ReadonlyMap<string, readonly number[]>;

/** Receivers and database read one clock, in whole milliseconds. */
const ROUNDING_MS = 1;

/** A signal takes effect a moment after it was noted, and what it interrupts began before. Guess. */
const NOTED_MS = 1_000;

export function explainArrivals(arrivals: Arrivals, book: ClaimBook, troubles: readonly Trouble[]): Explained {
  const ids = [...new Set([...arrivals.keys(), ...book.keys()])];
  const each = ids.map((id) => {
    const claims = book.get(id) ?? [];
    const repeats = judgeArrivals((arrivals.get(id) ?? []).toSorted(byTime), claims, troubles);
    return {
      ...repeats,
      faults: [...repeats.faults, ...judgeClaims(claims, troubles)].map((fault) => `${id} ${fault}`),
    };
  });
  return {
    duplicates: total(each.map(({ duplicates }) => duplicates)),
    afterRunOut: total(each.map(({ afterRunOut }) => afterRunOut)),
    ranOut: [...book.values()].flat().filter(hasRunOut).length,
    faults: each.flatMap(({ faults }) => faults),
  };
}

/** A living node has settled by then what it sent; a server that came back has answered. Guess. */
const SETTLED_MS = 5_000;

/**
 * The same where nothing notes claims: the arrival before a repeat was in somebody's hands when a trouble began or
 * lasted, and the repeat came when the claim of that time had run out, 60 s after the delivery was made.
 */
export function explainByTroubles(arrivals: Arrivals, troubles: readonly Trouble[]): Explained {
  const repeated = [...arrivals].flatMap(([id, times]) => {
    const inOrder = times.toSorted(byTime);
    return inOrder.slice(1).map((atMs, place) => ({ id, atMs, beforeMs: inOrder[place] ?? atMs }));
  });
  const faults = repeated.flatMap(({ id, atMs, beforeMs }) => {
    if (atMs + NOTED_MS < (readInstant(id) ?? beforeMs) + CLAIM_MS)
      return [`${id} was sent at ${beforeMs} and at ${atMs}, before its claim had run out`];
    const isTroubled = troubles.some(
      ({ fromMs, toMs }) => fromMs - SETTLED_MS <= beforeMs && beforeMs <= (toMs ?? fromMs) + SETTLED_MS,
    );
    return isTroubled ? [] : [`${id} was sent at ${beforeMs} and at ${atMs} without trouble`];
  });
  return { duplicates: repeated.length, afterRunOut: repeated.length, ranOut: repeated.length, faults };
}

/** See `src/delivery/engine.ts`; a claim begins a moment before its delivery. */
const CLAIM_MS = 60_000;

function judgeArrivals(
  arrivals: readonly number[],
  claims: readonly Claim[],
  troubles: readonly Trouble[],
): Omit<Explained, "ranOut"> {
  const sending = claims.filter(({ end }) => end?.how !== "given_back");
  const faults: string[] = [];
  let afterRunOut = 0;
  let last = -1;
  for (const [number, atMs] of arrivals.entries()) {
    const place = sending.findLastIndex(({ fromMs }) => fromMs <= atMs + ROUNDING_MS);
    const before = sending.slice(0, Math.max(place, 0)).filter(hasRunOut);
    if (place === -1) faults.push(`was sent at ${atMs} without a claim`);
    else if (place === last && !before.some((claim) => hasWokenUp(claim, troubles, atMs)))
      faults.push(`was sent twice under one claim, the second time at ${atMs}`);
    if (number > 0 && before.length > 0) afterRunOut += 1;
    last = place;
  }
  return { duplicates: Math.max(arrivals.length - 1, 0), afterRunOut, faults };
}

function judgeClaims(claims: readonly Claim[], troubles: readonly Trouble[]): string[] {
  return claims.filter(hasRunOut).flatMap((claim) => {
    const { holder, fromMs, untilMs, end } = claim;
    const lasted = `which ${holder} held from ${fromMs} until ${untilMs}`;
    return [
      ...(end !== null && end.atMs + ROUNDING_MS < untilMs
        ? [`was taken over at ${end.atMs} from a claim ${lasted}`]
        : []),
      ...(troubles.some((trouble) => wasTroubledBy(claim, trouble)) ? [] : [`lost a claim ${lasted}, without trouble`]),
    ];
  });
}

const hasRunOut = ({ end }: Claim): boolean => end?.how === "taken_over";

function wasTroubledBy({ holder, fromMs, untilMs }: Claim, trouble: Trouble): boolean {
  if (trouble.holder !== "*" && trouble.holder !== holder) return false;
  return trouble.fromMs - NOTED_MS <= untilMs && (trouble.toMs ?? Infinity) >= fromMs;
}

/** Its holder could go on before this arrival, and did not know yet that the claim was over. */
function hasWokenUp(claim: Claim, troubles: readonly Trouble[], atMs: number): boolean {
  return troubles.some(
    (trouble) => wasTroubledBy(claim, trouble) && trouble.toMs !== null && trouble.toMs - NOTED_MS <= atMs,
  );
}

const byTime = (a: number, b: number): number => a - b;
const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
