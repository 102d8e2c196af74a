/**
 * The actions on an alert or a webhook, in the list and on its page: Edit, Duplicate, View deliveries, Pause, Turn on,
 * Delete.
 */
import { CirclePause, CirclePlay, Copy, Ellipsis, List, Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { isReachable } from "../../embed.ts";
import { useOwnersOnly } from "../../query.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toasts.ts";
import { count } from "../../words.ts";
import { PauseDialog, TurnOnDialog } from "../health/state-dialogs.tsx";
import { ASKS_PAUSE } from "./ask-pause.ts";
import { type AnyOwnerCalls, useOwnerChanges } from "./owner-calls.ts";

type Open = "pause" | "turn_on" | "delete" | null;

interface ListedOwner {
  readonly id: string;
  readonly name: string;
  readonly destination: DestinationView | null;
}

interface Props {
  readonly owner: ListedOwner;
  readonly calls: AnyOwnerCalls;
  /** Its own page or its form: those have links to each other and to the deliveries. */
  readonly isOnItsPage?: boolean;
}

export function OwnerMenu({ owner, calls, isOnItsPage = false }: Props) {
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const [pressed, setPressed] = useState<Open>(null);
  const [wasAsked, setWasAsked] = useState(false);
  const ownersOnly = useOwnersOnly(`change ${calls.noun}s`);
  const { id, destination } = owner;
  const isAsked = isOnItsPage && search.has(ASKS_PAUSE);
  const close = (): void => setPressed(null);
  // Once: what is turned on later is not asked about, nor is whoever comes back to the page.
  if (isAsked !== wasAsked) {
    setWasAsked(isAsked);
    if (isAsked && destination?.state === "on" && ownersOnly === undefined) setPressed("pause");
  }
  useEffect(() => {
    if (isAsked) setSearch(withoutAsking, { replace: true });
  }, [isAsked, setSearch]);
  const ways: MenuItem[] = [
    { label: "Edit", icon: <Pencil />, onSelect: () => navigate(`${calls.page}/${id}/edit`) },
    ...(destination === null || !isReachable("/deliveries")
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
    {
      label: "Duplicate",
      icon: <Copy />,
      disabledReason: ownersOnly,
      onSelect: () => navigate(`${calls.page}/new?from=${id}`),
    },
    ...(destination === null
      ? []
      : [
          destination.state === "on"
            ? {
                label: "Pause…",
                icon: <CirclePause />,
                disabledReason: ownersOnly,
                onSelect: () => setPressed("pause"),
              }
            : {
                label: "Turn on…",
                icon: <CirclePlay />,
                disabledReason: ownersOnly,
                onSelect: () => setPressed("turn_on"),
              },
        ]),
    {
      label: "Delete…",
      icon: <Trash2 />,
      isDestructive: true,
      disabledReason: ownersOnly,
      onSelect: () => setPressed("delete"),
    },
  ];
  const dialogs: Readonly<Record<Exclude<Open, null>, ReactNode>> = {
    pause: destination !== null && <PauseDialog destination={destination} onClose={close} />,
    turn_on: destination !== null && <TurnOnDialog destination={destination} onClose={close} />,
    delete: (
      <DeleteOwner
        owner={owner}
        calls={calls}
        onClose={close}
        onDeleted={() => isOnItsPage && navigate(calls.page, { replace: true })}
      />
    ),
  };
  return (
    <>
      <Menu label={`Actions for ${owner.name}`} icon={<Ellipsis />} items={items} />
      {pressed !== null && dialogs[pressed]}
    </>
  );
}

function withoutAsking(search: URLSearchParams): URLSearchParams {
  search.delete(ASKS_PAUSE);
  return search;
}

/* Asks before one is deleted, and says what becomes of what it has sent and of what still waits. */

interface DeleteProps {
  readonly owner: ListedOwner;
  readonly calls: AnyOwnerCalls;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteOwner({ owner, calls, onClose, onDeleted }: DeleteProps) {
  const { id, name, destination } = owner;
  const { remove } = useOwnerChanges(calls);
  const waiting = destination?.health.waiting;
  const confirm = async (): Promise<void> => {
    await remove(id);
    toast({ title: `${calls.label} deleted`, description: name });
    onDeleted();
  };
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title={`Delete the ${calls.noun} “${name}”?`}
      action={`Delete ${calls.noun}`}
      onClose={onClose}
      onConfirm={confirm}
    >
      It sends nothing any more.{" "}
      {waiting !== undefined &&
        waiting.count > 0 &&
        `${count(waiting.count, "webhook")}${waiting.isCapped ? " or more" : ""} that still wait are cancelled. `}
      The log keeps what it has sent. This can’t be taken back.
    </ConfirmDialog>
  );
}
