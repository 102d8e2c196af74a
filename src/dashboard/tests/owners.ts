/** Which alert or assistant a destination belongs to, and with it the kind of event that goes there. Pure. */
import type { AccountView, DestinationView } from "../../accounts/account-view.ts";
import type { EventType } from "../../domain/event.ts";

export interface DestinationWithOwner {
  readonly destination: DestinationView;
  readonly type: EventType;
  /** Only a conversation's destination has one. */
  readonly assistantId?: string;
  /** The owner's name. */
  readonly subject: string;
}

/** `null` when the account has no such destination now. */
export function findOwner(view: AccountView, destinationId: string): DestinationWithOwner | null {
  for (const { alert, destination } of view.alerts) {
    if (destination?.id === destinationId) return { destination, type: "demo_viewed", subject: alert.name };
  }
  for (const [assistantId, { name, destination }] of view.assistants) {
    if (destination?.id === destinationId) {
      return { destination, type: "chat_conversation_completed", assistantId, subject: name };
    }
  }
  return null;
}
