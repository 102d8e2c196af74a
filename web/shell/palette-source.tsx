/**
 * Where the palette's entries come from: what the page knows is set up, and what the service finds for the text.
 * It draws nothing, and it is behind the first load, which the palette's box is part of.
 */
import { useEffect, useLayoutEffect, useMemo, useState } from "react";
import type { NamedOwner } from "../../src/domain/event.ts";
import type { DestinationView } from "../../src/dashboard/contract/destinations.ts";
import { canSearch } from "../parts/search/can-search.ts";
import { withReplay } from "../parts/replay/log-actions.tsx";
import { useMarks } from "../parts/tell-apart.ts";
import { useAnswer, useAnswerWhen, useSession } from "../query.ts";
import { useSettled } from "../ui/use-settled.ts";
import { usePlaces } from "./navigation.tsx";
import { findEntries, type Found, type Known, type PalettePlace } from "./palette-entries.ts";

interface Props {
  readonly text: string;
  readonly onFound: (found: Found) => void;
}

export function PaletteSource({ text, onFound }: Props) {
  const found = useFound(text);
  // Before the paint: no list is seen beside the text of another one.
  useLayoutEffect(() => onFound(found), [found, onFound]);
  return null;
}

const ACTIONS: readonly PalettePlace[] = [
  { label: "New alert", href: "/settings/alerts/new" },
  { label: "New webhook", href: "/settings/webhooks/new" },
  { label: "Send again…", href: `/deliveries?${withReplay(new URLSearchParams())}` },
];

function useFound(text: string): Found {
  const { hasWebhooks, role, uses } = useSession();
  const places = usePlaces();
  const { owners, hasAllOwners } = useOwners();
  const asked = useSettled(text.trim());
  const isAsked = asked !== "" && asked === text.trim() && canSearch(asked);
  const { data } = useAnswerWhen("GET /events", isAsked ? { query: { q: asked } } : null);
  return useMemo(
    () =>
      findEntries(text, {
        places,
        actions: role === "owner" ? ACTIONS : [],
        owners,
        hasAllOwners,
        events: data?.events ?? [],
        hasEvents: hasWebhooks,
        hasSessions: uses.demos,
      }),
    [text, places, owners, hasAllOwners, data, hasWebhooks, role, uses],
  );
}

/** Guess: longer than lists take on most lines, shorter than the patience of somebody who has pressed Enter. */
const PATIENCE_MS = 2_000;

/** Alerts, webhooks and assistants, those without an address too. No list that fails or hangs is waited for. */
function useOwners(): Pick<Known, "owners" | "hasAllOwners"> {
  const { hasWebhooks, role } = useSession();
  const alerts = useAnswer("GET /alerts");
  const assistants = useAnswer("GET /assistants");
  const webhooks = useAnswerWhen("GET /webhooks", hasWebhooks ? {} : null);
  // What tells them apart finds them too.
  const destinations = useAnswer("GET /destinations");
  const marks = useMarks();
  const isLate = useIsLate();
  const owners = useMemo(() => {
    type Each = Pick<NamedOwner, "id" | "name"> & {
      readonly destination: Pick<DestinationView, "id" | "state"> | null;
    };
    const of = (kind: NamedOwner["kind"], list: readonly Each[] = []) =>
      list.map(({ id, name, destination }) => ({
        kind,
        id,
        name,
        mark: marks.get(destination?.id ?? ""),
        canPause: role === "owner" && kind !== "assistant" && destination?.state === "on",
      }));
    return [
      ...of("alert", alerts.data?.alerts),
      ...of("webhook", webhooks.data?.webhooks),
      ...of("assistant", assistants.data?.assistants),
    ];
  }, [alerts.data, webhooks.data, assistants.data, marks, role]);
  const isLoading = [alerts, assistants, webhooks, destinations].some((list) => list.isLoading);
  return { owners, hasAllOwners: isLate || !isLoading };
}

/** The palette has been open for so long that what has not come may never come. */
function useIsLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}
