/** Webhooks of their own, beside those of alerts and chat assistants: which event types they want. */
import type { Conditions } from "./conditions.ts";

/** A webhook under Settings → Webhooks. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly events: WantedEvents;
}

/** `all`: every type, also one that is declared later. Else at least one, each once. */
export type WantedEvents = "all" | readonly WantedType[];

export interface WantedType {
  /** One that is not declared any more has no events. */
  readonly type: string;
  /** On fields of its body; `null` for none. */
  readonly conditions: Conditions | null;
}

/** How the webhook wants events of the type; `null` when it does not. */
export const findWanted = ({ events }: Pick<Webhook, "events">, type: string): WantedType | null =>
  events === "all" ? { type, conditions: null } : (events.find((wanted) => wanted.type === type) ?? null);
