/**
 * The types of events, one row each. Everything that differs by type and is no schema stands here, and everything else
 * asks: lists, addresses, words on pages. The compiler demands a row to be whole, and the linter forbids a type's name
 * outside of this table and `src/events`. There is exactly one event per record, at all times.
 */

/** Whose webhooks an event goes to: those of demo alerts, or the one of its chat assistant. */
export type OwnerKind = "alert" | "assistant";

interface EventFacts {
  readonly owner: OwnerKind;
  /** Its name on pages. */
  readonly label: string;
  /** The thing that it tells about, in a sentence; more of them end in "s". */
  readonly noun: string;
  /** The same where the words around it say nothing of demos and chats. */
  readonly record: string;
  /** In a list, where the record names nothing. */
  readonly unnamed: string;
  /** The name of the record's schema. */
  readonly schema: string;
  /** The last part of the address that takes its records. */
  readonly path: string;
  /** The name of that call in OpenAPI. */
  readonly operationId: string;
  /** What `bellwire send --family` calls it. */
  readonly family: string;
  /** The record's page, with `:id` and `:assistant` in it; `null` without one. */
  readonly page: string | null;
}

export const EVENTS = {
  demo_viewed: {
    owner: "alert",
    label: "Demo viewed",
    noun: "session",
    record: "Demo session",
    unnamed: "A demo without a name",
    schema: "demo_session",
    path: "demo-sessions",
    operationId: "sendDemoSessions",
    family: "demo",
    page: "/audience/sessions/:id",
  },
  chat_conversation_completed: {
    owner: "assistant",
    label: "Chat completed",
    noun: "conversation",
    record: "Chat conversation",
    unnamed: "No summary",
    schema: "chat_conversation",
    path: "chat-conversations",
    operationId: "sendChatConversations",
    family: "chat",
    page: "/assistants/:assistant/conversations/:id",
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[] as readonly [EventType, ...EventType[]];

export const eventFacts = (type: EventType): EventFacts => EVENTS[type];

export const ownerKindOf = (type: EventType): OwnerKind => eventFacts(type).owner;

/** The types that webhooks of such an owner get, in the order of the table. */
export const typesOf = (owner: OwnerKind): readonly EventType[] =>
  EVENT_TYPES.filter((type) => ownerKindOf(type) === owner);

/* The two things that a list says of an event first: who it is about, and what happened. */

export interface About {
  /** The lead's name, else an e-mail address, else the company; `null` when nothing of them is known. */
  readonly who: string | null;
  /** The demo's name, or the beginning of the conversation's summary. */
  readonly what: string | null;
}

export const NO_ABOUT: About = { who: null, what: null };
