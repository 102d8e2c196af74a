/**
 * A delivery: one event to one destination. Its states and the only legal edges between them:
 *
 *     pending ──► delivered          a 2xx arrived, or a program acknowledged it
 *        │  └───► failed             every attempt is used up
 *        └──────► cancelled          its destination is gone
 *     delivered | failed | cancelled ──► pending     only by a person: resend or replay
 *
 * A delivery that a node holds is still `pending`: it carries a claim, and its due time lies ahead.
 *
 * The state words stand here once. Types, forms, filters and the page derive from these lists, and each store's schema
 * test compares the `check` of its migrations with them.
 */
export const ENDED_STATES = ["delivered", "failed", "cancelled"] as const;
export const DELIVERY_STATES = ["pending", ...ENDED_STATES] as const;

export type EndedState = (typeof ENDED_STATES)[number];
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The words that lists show and filter by: `pending` before and after the first failed attempt of its schedule. */
export const DELIVERY_STATUSES = ["waiting", "retrying", ...ENDED_STATES] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

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

/*
 * Marks a test so that a receiver can tell it from a real event, without another field in the body: the `webhook-id` of
 * a test begins with `test_`, and a header says the same. The id is the proof, because `webhook-signature` covers it.
 * No signature covers the header, which is for people and for filters in front of the receiver.
 */

export const TEST_HEADER = "bellwire-test";

const TEST_PREFIX = "test_";

/** The `webhook-id` of a test: `test_dlv_…`. Real deliveries go out under their own id, which has another prefix. */
export const testWebhookId = (deliveryId: string): string => `${TEST_PREFIX}${deliveryId}`;

export const isTestWebhookId = (webhookId: string): boolean => webhookId.startsWith(TEST_PREFIX);

/** The id of the delivery behind this `webhook-id`, real or a test. */
export const toDeliveryId = (webhookId: string): string =>
  isTestWebhookId(webhookId) ? webhookId.slice(TEST_PREFIX.length) : webhookId;
