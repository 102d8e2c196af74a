/**
 * An event: something that happened in the product and is to be delivered. There is exactly one per session and one per
 * conversation, at all times.
 */
export const EVENT_TYPES = ["demo_viewed", "chat_conversation_completed"] as const;

export type EventType = (typeof EVENT_TYPES)[number];
