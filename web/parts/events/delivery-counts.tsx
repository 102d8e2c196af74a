/** The outcome of an event's deliveries, in words: "2 delivered", "1 of 2 failed", "3 on their way". */
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { deliveryCounts } from "./counts-in-words.ts";

const TONES = { ok: "text-ok", bad: "text-bad", quiet: "text-ink-soft" } as const;

export function DeliveryCounts({ counts }: { readonly counts: EventRow["deliveries"] }) {
  const { words, tone } = deliveryCounts(counts);
  return <span className={TONES[tone]}>{words}</span>;
}
