/** A destination's status word in lists, also where there is none. */
import { CircleDashed } from "lucide-react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { StatusChip } from "../../ui/status-chip.tsx";
import { HealthLabel } from "../health/health-label.tsx";

interface Props {
  readonly destination: DestinationView | null;
  /** The words when nothing is sent, such as "No webhook". */
  readonly none: string | null;
}

export function DestinationStatus({ destination, none }: Props) {
  if (none !== null) return <StatusChip word={none} tone="neutral" icon={CircleDashed} />;
  return destination !== null && <HealthLabel health={destination.health} />;
}
