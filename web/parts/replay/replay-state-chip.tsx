/** A replay's state as icon and word. */
import { Ban, Check, CirclePause, Hourglass, RotateCw } from "lucide-react";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { StatusChip } from "../../ui/status-chip.tsx";

export function ReplayStateChip({ replay: { state, isPrepared } }: { readonly replay: ReplayView }) {
  if (isPrepared && state === "paused") return <StatusChip word="Not confirmed" tone="warn" icon={Hourglass} />;
  switch (state) {
    case "running":
      return <StatusChip word="Running" tone="info" icon={RotateCw} />;
    case "paused":
      return <StatusChip word="Paused" tone="neutral" icon={CirclePause} />;
    case "cancelled":
      return <StatusChip word="Cancelled" tone="neutral" icon={Ban} />;
    case "finished":
      return <StatusChip word="Finished" tone="ok" icon={Check} />;
  }
}
