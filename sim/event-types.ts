/**
 * The event types of a run: the two that are built in, and two that its operator has declared, one of them for a higher
 * plan and with a field that webhooks have conditions on.
 */
import type { Conditions } from "../src/domain/conditions.ts";
import { toDeclaration } from "../src/events/declared/declared.kit.ts";
import { createEventTypes } from "../src/events/event-types.ts";

const LEAD_SEEN = toDeclaration({ type: "lead.seen" });
const ORDER_PAID = toDeclaration({
  type: "order_paid",
  plan: "growth",
  schema: {
    type: "object",
    required: ["id", "big"],
    properties: { id: { type: "string" }, big: { type: "boolean" } },
  },
  exampleText: '{"id":"1","big":true}',
});

export const TYPES = createEventTypes([LEAD_SEEN, ORDER_PAID]);

export const DECLARED = [LEAD_SEEN.type, ORDER_PAID.type];

/** The type that has the field. */
export const CONDITIONED = ORDER_PAID.type;
export const IF_BIG: Conditions = { join: "all", list: [{ field: "big", operator: "is", value: "true" }] };
export const isBig = (body: string): boolean => body.includes('"big":true');
