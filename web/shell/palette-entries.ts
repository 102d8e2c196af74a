/**
 * What the palette offers for a text: pages, what somebody has set up, people and ids that the service has found, and
 * the lists searched for the text. Pure.
 */
import type { EventRow } from "../../src/dashboard/contract/deliveries.ts";
import { type NamedOwner, OWNER_NOUNS, ownerPage } from "../../src/domain/event.ts";
import { deliveryCounts } from "../parts/events/event-list-words.ts";
import { kindTitle, sourceHref, titleOf } from "../parts/event-words.ts";
import { withPause } from "../parts/owner/ask-pause.ts";
import { byName } from "../parts/owner/by-need.ts";
import { isAddress, personHref } from "../parts/person-href.ts";
import { upperFirst } from "../words.ts";

export interface Entry {
  readonly label: string;
  /** Beside the label: what kind of thing it is, or which of two of one name. */
  readonly detail: string;
  readonly href: string;
}

export interface Found {
  /** For which; another one may be in the box by now. */
  readonly text: string;
  readonly entries: readonly Entry[];
  /** No page and nothing that is set up comes before the first one any more; an event that the service finds may. */
  readonly isSure: boolean;
}

export interface PalettePlace {
  readonly href: string;
  readonly label: string;
}

export interface MarkedOwner extends NamedOwner {
  /** Tells it apart from another of its name. */
  readonly mark: string | undefined;
  /** It sends, its page asks before it is paused, and whoever looks may do it. */
  readonly canPause: boolean;
}

export interface Known {
  readonly places: readonly PalettePlace[];
  /** Pages on which something is begun; none for a viewer. */
  readonly actions: readonly PalettePlace[];
  readonly owners: readonly MarkedOwner[];
  /** All of them are there, or nobody waits for the rest any more. */
  readonly hasAllOwners: boolean;
  /** What the service has found for the text. */
  readonly events: readonly EventRow[];
  /** There are events besides sessions and conversations, with a list of their own. */
  readonly hasEvents: boolean;
  readonly hasSessions: boolean;
}

const OWNERS_MAX = 8;
const EVENTS_MAX = 6;

export function findEntries(text: string, known: Known): Found {
  const words = text.trim().toLowerCase().split(/\s+/);
  const fits = (name: string): boolean => words.every((word) => name.toLowerCase().includes(word));
  const first = [
    ...toDelivery(text.trim()),
    ...toPerson(text.trim()),
    ...known.places.filter(({ label, href }) => fits(`${label} ${sectionOf(href)}`)).map(toPage),
    ...known.actions.filter(({ label }) => fits(label)).map((action) => ({ ...action, detail: "Action" })),
  ];
  const isSure = known.hasAllOwners || first.length > 0;
  if (text.trim() === "") return { text, entries: first, isSure };
  const owners = known.owners.toSorted(byName);
  const named = (verb: string) =>
    owners.filter(({ name, mark = "", kind }) => fits(`${verb} ${name} ${mark} ${OWNER_NOUNS[kind]}`));
  const isToPause = words.some((word) => word.length >= VERB_CHARS_MIN && PAUSE.startsWith(word));
  const pausable = isToPause ? named(PAUSE).filter(({ canPause }) => canPause) : [];
  const entries = [
    ...first,
    ...named("").slice(0, OWNERS_MAX).map(toOwner),
    ...pausable.slice(0, OWNERS_MAX).map(toPause),
    ...known.events.slice(0, EVENTS_MAX).map((event) => toEvent(event)),
    ...toSearches(text.trim(), known),
  ];
  return { text, entries, isSure };
}

const PAUSE = "pause";
/** Guess: with so many letters somebody means it. */
const VERB_CHARS_MIN = 3;

const sectionOf = (href: string): string => (href.startsWith("/settings/") ? "Settings" : "");

const toPage = ({ href, label }: PalettePlace): Entry => ({ label, detail: sectionOf(href) || "Page", href });

const DELIVERY_ID = /^(?:test_)?(dlv_\w+)$/i;

function toDelivery(text: string): Entry[] {
  const id = DELIVERY_ID.exec(text)?.[1]?.toLowerCase();
  return id === undefined ? [] : [{ label: id, detail: "Delivery", href: `/deliveries/${id}` }];
}

const toPerson = (text: string): Entry[] =>
  isAddress(text) ? [{ label: text, detail: "Person", href: personHref(text) }] : [];

const toOwner = ({ mark, ...owner }: MarkedOwner): Entry => ({
  label: owner.name,
  detail: [upperFirst(OWNER_NOUNS[owner.kind]), mark].filter((part) => part !== undefined).join(" · "),
  href: ownerPage(owner),
});

/** Nothing is paused before its page has asked. */
function toPause(owner: MarkedOwner): Entry {
  const { detail, href } = toOwner(owner);
  return { label: `Pause ${owner.name}…`, detail, href: withPause(href) };
}

const toEvent = ({ type, about, sourceId, assistantId, deliveries }: EventRow): Entry => ({
  label: titleOf({ type, about, sourceId }),
  detail: [kindTitle(type), about.what, deliveries.total === 0 ? "Not sent" : deliveryCounts(deliveries).words]
    .filter((part) => part !== null)
    .join(" · "),
  href: sourceHref(type, sourceId, assistantId ?? undefined),
});

function toSearches(text: string, { hasEvents, hasSessions }: Known): Entry[] {
  const query = `?${new URLSearchParams({ q: text })}`;
  const lists = [
    { label: "Deliveries", href: "/deliveries" },
    ...(hasSessions ? [{ label: "Sessions", href: "/audience/sessions" }] : []),
    ...(hasEvents ? [{ label: "Events", href: "/audience/events" }] : []),
  ];
  return lists.map(({ label, href }) => ({
    label: `${label} with “${text}”`,
    detail: "Search",
    href: `${href}${query}`,
  }));
}
