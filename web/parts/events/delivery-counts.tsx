/** The outcome of an event's deliveries as a chip: "2 delivered", "1 of 2 failed", "3 not delivered". */
import { Check, Clock, Minus, X } from "lucide-react";
import type { EventRow } from "../../../src/dashboard/contract/deliveries.ts";
import { StatusChip } from "../../ui/status-chip.tsx";
import { deliveryCounts } from "./counts-in-words.ts";

export function DeliveryCounts({ counts }: { readonly counts: EventRow["deliveries"] }) {
  const { words, tone } = deliveryCounts(counts);
  if (tone === "ok") return <StatusChip word={words} tone="ok" icon={Check} />;
  if (tone === "bad") return <StatusChip word={words} tone="bad" icon={X} />;
  return (
    <StatusChip word={words} tone={counts.total === 0 ? "neutral" : "info"} icon={counts.total === 0 ? Minus : Clock} />
  );
}
