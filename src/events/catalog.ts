/**
 * The list of event families. A third one is a file like its neighbours, its row in `domain/event.ts`, and a line here.
 */
import type { EventType } from "../domain/event.ts";
import { chatConversationCompleted } from "./chat-conversation-completed.ts";
import { demoViewed } from "./demo-viewed.ts";
import type { EventFamily } from "./family.ts";

export const EVENT_FAMILIES: Readonly<Record<EventType, EventFamily>> = {
  demo_viewed: demoViewed,
  chat_conversation_completed: chatConversationCompleted,
};
