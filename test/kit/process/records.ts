/** Records as a product's back end would send them: the families' own samples under an id of their own. */
import { demoViewed } from "../../../src/events/demo-viewed.ts";
import { chatConversationCompleted } from "../../../src/events/chat-conversation-completed.ts";
export function sessionRecord(id: string, changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...demoViewed.example, id, ...changes });
}

export function conversationRecord(id: string, assistantId: string): string {
  const { example } = chatConversationCompleted;
  return JSON.stringify({ ...example, id, assistant_id: assistantId });
}
