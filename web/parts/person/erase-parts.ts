/**
 * Erasing a person part by part: each call goes on for some seconds. When one is lost, the next press goes on behind
 * the last part that has answered, and all parts are counted together. Pure.
 */
import type { ErasedAnswer } from "../../../src/dashboard/contract/people.ts";

export type Erased = Omit<ErasedAnswer, "next">;

/** What was answered so far, kept from press to press. */
export interface ErasedSoFar {
  current: ErasedAnswer;
}

/** `next` is where the first part begins. */
export const NOTHING_ERASED: ErasedAnswer = { lines: [], inFlight: 0, next: "" };

export async function eraseParts(
  soFar: ErasedSoFar,
  erasePart: (after: string) => Promise<ErasedAnswer>,
): Promise<Erased> {
  for (let after = soFar.current.next; after !== null; after = soFar.current.next) {
    const { lines, inFlight, next } = await erasePart(after);
    const before = soFar.current;
    soFar.current = {
      lines: lines.map((line, place) => ({ ...line, count: line.count + (before.lines[place]?.count ?? 0) })),
      inFlight: inFlight + before.inFlight,
      next,
    };
  }
  const { next: _, ...all } = soFar.current;
  soFar.current = NOTHING_ERASED;
  return all;
}
