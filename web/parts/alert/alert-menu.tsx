/** The actions on an alert in the list and on its page: Edit, View deliveries, Pause or Turn on, Delete. */
import { CirclePause, CirclePlay, Ellipsis, List, Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import type { AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import { call } from "../../api.ts";
import { useChange, useOwnersOnly } from "../../query.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toasts.ts";
import { count } from "../../words.ts";
import { PauseDialog, TurnOnDialog } from "../health/state-dialogs.tsx";

type Open = "pause" | "turn_on" | "delete" | null;

interface Props {
  readonly alert: AlertSummary;
  /** The page is the form already, and has a link to the deliveries beside the menu. */
  readonly isOnItsPage?: boolean;
}

export function AlertMenu({ alert, isOnItsPage = false }: Props) {
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<Open>(null);
  const ownersOnly = useOwnersOnly("change alerts");
  const { id, destination } = alert;
  const close = (): void => setOpen(null);
  const ways: MenuItem[] = [
    { label: "Edit", icon: <Pencil />, onSelect: () => navigate(`/settings/alerts/${id}`) },
    ...(destination === null
      ? []
      : [
          {
            label: "View deliveries",
            icon: <List />,
            onSelect: () => navigate(`/deliveries?destination=${destination.id}`),
          },
        ]),
  ];
  const items: MenuItem[] = [
    ...(isOnItsPage ? [] : ways),
    ...(destination === null
      ? []
      : [
          destination.state === "on"
            ? { label: "Pause…", icon: <CirclePause />, disabledReason: ownersOnly, onSelect: () => setOpen("pause") }
            : {
                label: "Turn on…",
                icon: <CirclePlay />,
                disabledReason: ownersOnly,
                onSelect: () => setOpen("turn_on"),
              },
        ]),
    {
      label: "Delete…",
      icon: <Trash2 />,
      isDestructive: true,
      disabledReason: ownersOnly,
      onSelect: () => setOpen("delete"),
    },
  ];
  const dialogs: Readonly<Record<Exclude<Open, null>, ReactNode>> = {
    pause: destination !== null && <PauseDialog destination={destination} onClose={close} />,
    turn_on: destination !== null && <TurnOnDialog destination={destination} onClose={close} />,
    delete: (
      <DeleteAlert
        alert={alert}
        onClose={close}
        onDeleted={() => isOnItsPage && navigate("/settings/alerts", { replace: true })}
      />
    ),
  };
  return (
    <>
      <Menu label={`Actions for ${alert.name}`} icon={<Ellipsis />} items={items} />
      {open !== null && dialogs[open]}
    </>
  );
}

/* Asks before an alert is deleted, and says what becomes of what it has sent and of what still waits. */

interface DeleteAlertProps {
  readonly alert: AlertSummary;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteAlert({ alert: { id, name, destination }, onClose, onDeleted }: DeleteAlertProps) {
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
