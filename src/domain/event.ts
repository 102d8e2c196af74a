/** An event: something that happened and is to be told. Exactly one per session and per conversation, for ever. */
export const EVENT_TYPES = ["demo_viewed", "chat_conversation_completed"] as const;

export type EventType = (typeof EVENT_TYPES)[number];
