/**
 * Where the palette's entries come from: what the page knows is set up, and what the service finds for the text.
 * It draws nothing, and it is behind the first load, which the palette's box is part of.
 */
import { useLayoutEffect, useMemo } from "react";
import type { NamedOwner } from "../../src/domain/event.ts";
import { canSearch } from "../parts/search/can-search.ts";
import { withReplay } from "../parts/replay/log-actions.tsx";
import { useMarks } from "../parts/tell-apart.ts";
import { useAnswer, useAnswerWhen, useSession } from "../query.ts";
import { useSettled } from "../ui/use-settled.ts";
import { usePlaces } from "./navigation.tsx";
import { type Entry, findEntries, type Found, type MarkedOwner, type PalettePlace } from "./palette-entries.ts";

interface Props {
  readonly text: string;
  readonly onFound: (found: Found) => void;
}

export function PaletteSource({ text, onFound }: Props) {
  const entries = useEntries(text);
  // Before the paint: no list is seen beside the text of another one.
  useLayoutEffect(() => onFound({ text, entries }), [text, entries, onFound]);
  return null;
}

const ACTIONS: readonly PalettePlace[] = [
  { label: "New alert", href: "/settings/alerts/new" },
  { label: "New webhook", href: "/settings/webhooks/new" },
  { label: "Send again…", href: `/deliveries?${withReplay(new URLSearchParams())}` },
];

function useEntries(text: string): readonly Entry[] {
  const { hasWebhooks, role, uses } = useSession();
  const places = usePlaces();
  const owners = useOwners();
  const asked = useSettled(text.trim());
  const isAsked = asked !== "" && asked === text.trim() && canSearch(asked);
  const { data } = useAnswerWhen("GET /events", isAsked ? { query: { q: asked } } : null);
  return useMemo(
    () =>
      findEntries(text, {
        places,
        actions: role === "owner" ? ACTIONS : [],
        owners,
        events: data?.events ?? [],
        hasEvents: hasWebhooks,
        hasSessions: uses.demos,
      }),
    [text, places, owners, data, hasWebhooks, role, uses],
  );
}

/** Alerts, webhooks and assistants, those without an address too. */
function useOwners(): readonly MarkedOwner[] {
  const { hasWebhooks } = useSession();
  const { data: alerts } = useAnswer("GET /alerts");
  const { data: assistants } = useAnswer("GET /assistants");
  const { data: webhooks } = useAnswerWhen("GET /webhooks", hasWebhooks ? {} : null);
  const marks = useMarks();
  return useMemo(() => {
    type Each = Pick<NamedOwner, "id" | "name"> & { readonly destination: { readonly id: string } | null };
    const of = (kind: NamedOwner["kind"], list: readonly Each[] = []) =>
      list.map(({ id, name, destination }) => ({ kind, id, name, mark: marks.get(destination?.id ?? "") }));
    return [
      ...of("alert", alerts?.alerts),
      ...of("webhook", webhooks?.webhooks),
      ...of("assistant", assistants?.assistants),
    ];
  }, [alerts, webhooks, assistants, marks]);
}
