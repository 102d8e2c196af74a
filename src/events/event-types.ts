/**
 * The event types that a program knows: the two that are built in, then those that its operator declares. What the
 * store has of a type that nobody declares any more stays readable: its title is its name.
 */
import { type EventWords, NO_ABOUT, OWNER_KINDS, type OwnerKind } from "../domain/event.ts";
import { chatConversationCompleted } from "./chat-conversation-completed.ts";
import { demoViewed } from "./demo-viewed.ts";
import { type Problem, problem } from "../domain/problem.ts";
import { nearestName } from "../lib/nearest-name.ts";
import type { Declaration } from "./declared/declaration.ts";
import { createEventType } from "./declared/create-event-type.ts";
import { EVENT_PAGE, type EventType, type Readers } from "./event-type.ts";

const BUILT_IN: readonly EventType[] = [demoViewed, chatConversationCompleted];

export interface EventTypes {
  /** What the operator declares, as data that crosses threads. */
  readonly declarations: readonly Declaration[];
  /** In the order of pages. */
  readonly all: readonly EventType[];
  /** `undefined` for one that is not declared. */
  find(type: string): EventType | undefined;
  /** How events of the type are called and read; also for one that is not declared any more. */
  read(type: string): EventWords & Readers;
  /** What a caller is told who sends one that is not declared. */
  refuse(type: string): Problem;
  /** The types that webhooks of such an owner may get, in the same order. */
  of(owner: OwnerKind): readonly EventType[];
}

/** Throws when a name is there twice: the reader of declarations refuses that first. */
export function createEventTypes(declarations: readonly Declaration[]): EventTypes {
  const all = [...BUILT_IN, ...declarations.map(createEventType)];
  const byName = new Map(all.map((each) => [each.type, each]));
  if (byName.size < all.length) throw new Error("an event type is declared twice");
  return {
    declarations,
    all,
    find: (type) => byName.get(type),
    refuse: (type) => refuseUnknown(type, [...byName.keys()]),
    read: (type) => byName.get(type) ?? unknownType(type),
    of: (owner) => all.filter(({ owners }) => owners.includes(owner)),
  };
}

/** What is there without a declaration. */
export const BUILT_IN_TYPES: EventTypes = createEventTypes([]);

const unknownType = (type: string): EventWords & Readers => ({
  type,
  title: type,
  noun: "event",
  unnamed: type,
  page: EVENT_PAGE,
  owners: OWNER_KINDS,
  readSourceId: () => null,
  readAbout: () => NO_ABOUT,
  listTexts: () => [],
  readOccurredAt: () => null,
  readSession: null,
});

/** An installation may have 200 types. */
const NAMES_SHOWN = 5;

function refuseUnknown(type: string, names: readonly string[]): Problem {
  const nearest = nearestName(type, names);
  const some = names.slice(0, NAMES_SHOWN).join(", ");
  const hint = nearest === undefined ? `there are ${names.length}, such as ${some}` : `did you mean ${nearest}?`;
  return problem("unknown_event_type", `There is no event type ${JSON.stringify(type.slice(0, 64))}: ${hint}`);
}
