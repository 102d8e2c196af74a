/** The actions on an alert in the list and on its page: Edit, View deliveries, Pause or Turn on, Delete. */
import { CirclePause, CirclePlay, Ellipsis, List, Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import type { AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import { useOwnersOnly } from "../../session.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { PauseDialog } from "../health/pause-dialog.tsx";
import { TurnOnDialog } from "../health/turn-on-dialog.tsx";
import { DeleteAlert } from "./delete-alert.tsx";

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
