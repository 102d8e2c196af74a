/** Which alert or assistant a destination belongs to. Pure. */
import type { AccountView, DestinationView } from "../../accounts/account-view.ts";
import type { OwnerKind } from "../../domain/event.ts";

export interface DestinationWithOwner {
  readonly destination: DestinationView;
  readonly owner: OwnerKind;
  /** Only an assistant's destination has one. */
  readonly assistantId?: string;
  /** The owner's name. */
  readonly subject: string;
}

/** `null` when the account has no such destination now. */
export function findOwner(view: AccountView, destinationId: string): DestinationWithOwner | null {
  for (const { alert, destination } of view.alerts) {
    if (destination?.id === destinationId) return { destination, owner: "alert", subject: alert.name };
  }
  for (const [assistantId, { name, destination }] of view.assistants) {
    if (destination?.id === destinationId) {
      return { destination, owner: "assistant", assistantId, subject: name };
    }
  }
  return null;
}
