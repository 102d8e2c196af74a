/** Records as a product's back end would send them: the families' own samples under an id of their own. */
import { EVENT_FAMILIES } from "../../../src/events/catalog.ts";

export function sessionRecord(id: string, changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...EVENT_FAMILIES.demo_viewed.sampleRecord, id, ...changes });
}

export function conversationRecord(id: string, assistantId: string): string {
  const { sampleRecord } = EVENT_FAMILIES.chat_conversation_completed;
  return JSON.stringify({ ...sampleRecord, id, assistant_id: assistantId });
}
