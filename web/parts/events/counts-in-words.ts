/** The outcome of an event's deliveries, in a few words. Pure. */
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { number } from "../../words.ts";

/** Failures come first, because they need somebody; then those under way. */
export function deliveryCounts({ total, delivered, failed }: EventRow["deliveries"]): {
  readonly words: string;
  readonly tone: "ok" | "bad" | "quiet";
} {
  if (total === 0) return { words: "None", tone: "quiet" };
  if (failed > 0) return { words: failed === total ? all(failed, "failed") : of(failed, total, "failed"), tone: "bad" };
  if (delivered === total) return { words: all(delivered, "delivered"), tone: "ok" };
  return {
    words: delivered === 0 ? `${number(total)} not delivered` : of(delivered, total, "delivered"),
    tone: "quiet",
  };
}

const all = (count: number, word: string): string => `${number(count)} ${word}`;
const of = (count: number, total: number, word: string): string => `${number(count)} of ${number(total)} ${word}`;
