/**
 * A delivery: one event to one destination. Its states and the only legal edges between them:
 *
 *     pending ──► delivered          a 2xx arrived
 *        │  └───► failed             every attempt is used up
 *        └──────► cancelled          its destination is gone
 *     delivered | failed | cancelled ──► pending     only by a person: resend or replay
 *
 * A delivery that a node holds is still `pending`: it carries a claim, and its due time lies ahead.
 */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "cancelled"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Edges that the engine may take by itself. */
export const ENGINE_EDGES: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: ["pending", "delivered", "failed", "cancelled"],
  delivered: [],
  failed: [],
  cancelled: [],
};

/** Edges that only a person's resend or replay may take. */
export const PERSON_EDGES: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: [],
  delivered: ["pending"],
  failed: ["pending"],
  cancelled: ["pending"],
};
