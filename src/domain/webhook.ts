/**
 * Webhooks of their own, beside those of alerts and chat assistants: which event types they want.
 *
 * A group, `order.*`, stands for every type whose name begins with `order.`, also for those that are declared later. A
 * type that is listed beside its group has conditions of its own; the group has none, because its types have different
 * fields.
 */
import type { Conditions } from "./conditions.ts";
import { isInGroup } from "./event.ts";

/** A webhook under Settings → Webhooks. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly events: WantedEvents;
}

/** `all`: every type, also one that is declared later. Else at least one, each once. */
export type WantedEvents = "all" | readonly WantedType[];

export interface WantedType {
  /** A type, or a group. One that is not declared any more has no events. */
  readonly type: string;
  /** On fields of its body; `null` for none, as for each group. */
  readonly conditions: Conditions | null;
}

/** How the webhook wants events of the type; `null` when it does not. */
export function findWanted({ events }: Pick<Webhook, "events">, type: string): WantedType | null {
  if (events === "all") return { type, conditions: null };
  const listed = events.find((wanted) => wanted.type === type);
  if (listed !== undefined) return listed;
  return events.some((wanted) => isInGroup(type, wanted.type)) ? { type, conditions: null } : null;
}
