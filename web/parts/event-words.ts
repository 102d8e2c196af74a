/** The two kinds of events in words; their types are what receivers see in the documentation. */
import type { EventRow } from "../../src/dashboard/contract/deliveries.ts";

const LABELS: Readonly<Record<EventRow["type"], string>> = {
  demo_viewed: "Demo viewed",
  chat_conversation_completed: "Chat completed",
};

export function eventLabel(type: EventRow["type"]): string {
  return LABELS[type];
}

/** The source of an event, as in "the session’s id". */
export function sourceWord(type: EventRow["type"]): "session" | "conversation" {
  return type === "demo_viewed" ? "session" : "conversation";
}

/** Where the session has its page, or the conversation of the assistant that owns its webhook. */
export function sourceHref(type: EventRow["type"], sourceId: string, assistantId: string | undefined): string {
  const id = encodeURIComponent(sourceId);
  if (type === "demo_viewed") return `/audience/sessions/${id}`;
  if (assistantId === undefined) return `/deliveries?q=${id}`;
  return `/assistants/${encodeURIComponent(assistantId)}/conversations/${id}`;
}
