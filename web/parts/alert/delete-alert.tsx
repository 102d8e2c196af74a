/** Asks before an alert is deleted, and says what becomes of what it has sent and of what still waits. */
import type { AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import { call } from "../../api.ts";
import { useChange } from "../../query.ts";
import { toast } from "../../toasts.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { count } from "../../words.ts";

interface Props {
  readonly alert: AlertSummary;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteAlert({ alert: { id, name, destination }, onClose, onDeleted }: Props) {
  const change = useChange("DELETE /alerts/:id", "GET /alerts", "GET /destinations", "GET /event-types");
  const waiting = destination?.health.waiting;
  const remove = async (): Promise<void> => {
    // The list does not carry revisions; what is deleted is the alert as it is now.
    const { revision } = await call("GET /alerts/:id", { params: { id } });
    await change.mutateAsync({ params: { id }, ifMatch: revision });
    toast({ title: "Alert deleted", description: name });
    onDeleted();
  };
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title={`Delete the alert “${name}”?`}
      action="Delete alert"
      onClose={onClose}
      onConfirm={remove}
    >
      It sends nothing any more.{" "}
      {waiting !== undefined &&
        waiting.count > 0 &&
        `${count(waiting.count, "webhook")}${waiting.isCapped ? " or more" : ""} that still wait are cancelled. `}
      The log keeps what it has sent. This can’t be taken back.
    </ConfirmDialog>
  );
}
