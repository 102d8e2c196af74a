/** Asks before a destination is paused: what waits stays, and for how long. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useChange } from "../../query.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { OUTDATED_BY_STATE } from "./outdated-by-state.ts";

interface Props {
  readonly destination: DestinationView;
  readonly onClose: () => void;
}

export function PauseDialog({ destination: { id, owner }, onClose }: Props) {
  const change = useChange("PUT /destinations/:id/state", ...OUTDATED_BY_STATE);
  return (
    <ConfirmDialog
      isOpen
      title={`Pause the webhook of “${owner.name}”?`}
      action="Pause webhook"
      onClose={onClose}
      onConfirm={() => change.mutateAsync({ params: { id }, body: { state: "paused" } })}
    >
      Nothing is sent to it until somebody turns it on again. New webhooks wait for up to 14 days.
    </ConfirmDialog>
  );
}
