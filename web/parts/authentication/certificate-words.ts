/** The warning before a client certificate ends. Pure. */
import { count, date } from "../../words.ts";

const DAY_MS = 86_400_000;
/** Guess. Owners need some days to get a new one. */
const WARNING_MS = 30 * DAY_MS;

/** `null` while it has more than 30 days. */
export function certificateEndWords(
  validToMs: number,
  nowMs: number,
): { readonly tone: "warn" | "bad"; readonly title: string } | null {
  const leftMs = validToMs - nowMs;
  if (leftMs > WARNING_MS) return null;
  if (leftMs <= 0) return { tone: "bad", title: `This certificate ended on ${date(validToMs)}. Replace it.` };
  const days = Math.floor(leftMs / DAY_MS);
  const left = days === 0 ? "in less than a day" : `in ${count(days, "day")}`;
  return { tone: "warn", title: `This certificate ends ${left}, on ${date(validToMs)}. Replace it before.` };
}
