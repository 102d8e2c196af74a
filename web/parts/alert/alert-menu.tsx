/** The actions on an alert in the list: Edit, View deliveries, Pause or Turn on, Delete. */
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

export function AlertMenu({ alert }: { readonly alert: AlertSummary }) {
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<Open>(null);
  const ownersOnly = useOwnersOnly("change alerts");
  const { id, destination } = alert;
  const close = (): void => setOpen(null);
  const items: MenuItem[] = [
    { label: "Edit", icon: <Pencil />, onSelect: () => navigate(`/settings/alerts/${id}`) },
    ...(destination === null
      ? []
      : [
          {
            label: "View deliveries",
            icon: <List />,
            onSelect: () => navigate(`/deliveries?destination=${destination.id}`),
          },
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
    delete: <DeleteAlert alert={alert} onClose={close} />,
  };
  return (
    <>
      <Menu label={`Actions for ${alert.name}`} icon={<Ellipsis />} items={items} />
      {open !== null && dialogs[open]}
    </>
  );
}
