/** A destination's health as a chip: icon and words, such as "Failing since 11:12". */
import type { DestinationHealthView } from "../../../src/dashboard/contract/destinations.ts";
import { useNow } from "../../ui/relative-time.tsx";
import { HEALTH_LOOKS, StatusChip } from "../../ui/status-chip.tsx";
import { healthLabel } from "./health-words.ts";

export function HealthLabel({ health }: { readonly health: DestinationHealthView }) {
  const nowMs = useNow();
  return <StatusChip {...HEALTH_LOOKS[health.word]} word={healthLabel(health, nowMs)} />;
}
