/**
 * The read routes, each said once: which keys open it, what its query takes, what it answers, and an example. Handlers,
 * checks, the OpenAPI document and the tests' matrix of routes and keys follow from this table. Without any read key in
 * the installation none of them is there but the two about accounts, for the intake key alone: the specification has no
 * calls about webhooks (its §4).
 */
import Type, { type TSchema } from "typebox";
import { DELIVERY_STATUSES } from "../domain/delivery.ts";
import { CLOSED } from "../domain/form.ts";
import type { ProblemCode } from "../domain/problem.ts";
import { PRODUCT_ID_PATTERN } from "../events/fields.ts";
import { deliveryQuery } from "../dashboard/forms/queries.ts";
import * as answers from "./answers.ts";
import * as examples from "./examples.ts";

/** What a read route and a manage route (`manage/routes.ts`) say alike. */
export interface ProgramRow {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** `all`: keys of all accounts. `account`: those, and the account's own. */
  readonly opensFor: "all" | "account";
  readonly query?: TSchema;
  readonly refusals: readonly ProblemCode[];
}

export interface ReadRow extends ProgramRow {
  /** The intake key too: accounts are its holder's. */
  readonly takesIntakeKey?: true;
  readonly answer: TSchema;
  readonly example: { readonly query?: Readonly<Record<string, string>>; readonly answer: unknown };
}

const instant = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d)$",
      "x-message": "must be an instant such as 2026-11-20T12:00:00Z (a + is written %2B)",
      description,
    }),
  );

const CURSOR = "As the `next` of the page before has it.";
const cursor = Type.Optional(Type.String({ description: CURSOR }));
/** The id of the next page's first account, or webhook. */
const idCursor = Type.Optional(
  Type.String({ pattern: PRODUCT_ID_PATTERN, "x-message": "is not one that a list gave", description: CURSOR }),
);
const { status, event: eventType } = deliveryQuery.properties;
const event = { ...eventType, description: "The event's type." };
/** `parseSearch` looks at it. */
const person = Type.Optional(
  Type.String({
    description:
      "Words of what the event is about, such as an e-mail address or a name; or the id of a delivery, of an event, " +
      "or of what it tells about.",
  }),
);

const deliveriesQuery = Type.Object(
  {
    status: Type.Optional({
      ...status,
      description: `Of ${DELIVERY_STATUSES.join(", ")}; several with commas between.`,
    }),
    event: Type.Optional(event),
    webhook: Type.Optional(
      Type.String({ maxLength: 200, description: "A webhook's id, as the list of webhooks has it." }),
    ),
    person,
    since: instant("Accepted at or after."),
    until: instant("Accepted before."),
    cursor,
  },
  CLOSED,
);

export const READ_ROUTES = {
  "GET /v1/accounts": {
    operationId: "listAccounts",
    summary: "List the accounts",
    description: "With what waits for the webhooks of each. In pages of 50.",
    opensFor: "all",
    takesIntakeKey: true,
    query: Type.Object({ cursor: idCursor }, CLOSED),
    answer: answers.accountListAnswer,
    refusals: ["invalid_parameter"],
    example: { answer: examples.accountListExample },
  },
  "GET /v1/accounts/:account_id": {
    operationId: "getAccount",
    summary: "Show an account",
    opensFor: "account",
    takesIntakeKey: true,
    answer: answers.accountAnswer,
    refusals: ["invalid_parameter", "account_not_found"],
    example: { answer: examples.accountExample },
  },
  "GET /v1/accounts/:account_id/deliveries": {
    operationId: "listDeliveries",
    summary: "List deliveries",
    description: "The log with its filters, without tests, in pages of 100.",
    opensFor: "account",
    query: deliveriesQuery,
    answer: answers.deliveryListAnswer,
    refusals: ["invalid_parameter", "account_not_found"],
    example: {
      query: { status: "waiting,retrying,delivered", person: "jane", since: "2026-01-01T00:00:00Z" },
      answer: examples.deliveryListExample,
    },
  },
  "GET /v1/accounts/:account_id/deliveries/:delivery_id": {
    operationId: "getDelivery",
    summary: "Show a delivery with its attempts",
    description: "Each with the sentence that a person reads about it.",
    opensFor: "account",
    answer: answers.deliveryAnswer,
    refusals: ["invalid_parameter", "account_not_found", "delivery_not_found"],
    example: { answer: examples.deliveryExample },
  },
  "GET /v1/accounts/:account_id/events": {
    operationId: "listEvents",
    summary: "List events",
    description: "Also those that fired nothing, in pages of 50.",
    opensFor: "account",
    query: Type.Object({ event: Type.Optional(event), person, cursor }, CLOSED),
    answer: answers.eventListAnswer,
    refusals: ["invalid_parameter", "account_not_found"],
    example: { query: { person: "jane" }, answer: examples.eventListExample },
  },
  "GET /v1/accounts/:account_id/events/:event": {
    operationId: "getEvent",
    summary: "Show an event: what it fired, and why not the rest",
    description:
      "By its own id, by the product's id of what it tells about (the newest), or by the id of one of its deliveries.",
    opensFor: "account",
    answer: answers.eventAnswer,
    refusals: ["invalid_parameter", "account_not_found", "event_not_found"],
    example: { answer: examples.eventExample },
  },
  "GET /v1/accounts/:account_id/webhooks": {
    operationId: "listWebhooks",
    summary: "List webhooks with their health",
    description: "In pages of 50.",
    opensFor: "account",
    query: Type.Object({ cursor: idCursor }, CLOSED),
    answer: answers.webhookListAnswer,
    refusals: ["invalid_parameter", "account_not_found"],
    example: { answer: examples.webhookListExample },
  },
} as const satisfies Readonly<Record<string, ReadRow>>;

export type ReadRouteName = keyof typeof READ_ROUTES;

export const readRoutes = Object.entries(READ_ROUTES) as readonly (readonly [ReadRouteName, ReadRow])[];
