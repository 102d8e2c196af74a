/**
 * The queries of the page's calls, each said once, as `bodies.ts` says their bodies. Every part is a text, and one that
 * is blank counts as left out: a filter that is cleared leaves it behind. A person who edits an address, or follows an
 * old link, is told which part cannot be read: without a filter that was dropped quietly the list would be another one.
 */
import Type from "typebox";
import { AUDIT_KINDS } from "../../domain/audit-kinds.ts";
import { DELIVERY_STATUSES } from "../../domain/delivery.ts";
import { TYPE_NAME_PATTERN } from "../../domain/event.ts";
import { CLOSED } from "../../domain/form.ts";

/** An id has 30 to 36: more is a paste by mistake. */
const ID_CHARS_MAX = 200;

const shaped = (pattern: string, message: string) => Type.Optional(Type.String({ pattern, "x-message": message }));
const id = Type.Optional(Type.String({ maxLength: ID_CHARS_MAX }));
const isShown = shaped("^1$", "can be 1, or left out");
const instant = shaped("^\\d{1,15}$", "must be a time in milliseconds since 1970");
const eventType = shaped(TYPE_NAME_PATTERN, "must be the name of an event type, such as order.paid");
const status = `(?:${DELIVERY_STATUSES.join("|")})`;

/** `parseSearch` looks at it: words of what an event is about, or an id. */
const q = Type.Optional(Type.String());

/** The list's own reader looks at it (`cursor.ts`). */
const cursor = Type.Optional(Type.String());

/** Names with commas between them; those that nobody declares are passed over. */
export const typesQuery = Type.Object({ types: Type.Optional(Type.String()) }, CLOSED);

export const pageQuery = Type.Object({ cursor }, CLOSED);

/** `q`: a part of a person, of what it was done to, or of a network address. */
export const auditQuery = Type.Object(
  {
    cursor,
    q: Type.Optional(Type.String({ maxLength: ID_CHARS_MAX })),
    kind: Type.Optional(Type.Enum([...AUDIT_KINDS])),
  },
  CLOSED,
);

const searched = {
  cursor,
  q,
  /** Only those that a webhook did not get, each with the reasons. */
  not_sent: isShown,
  /** Only those that this destination did not get, with its reason alone; with `not_sent`. */
  webhook: id,
};
export const searchedQuery = Type.Object(searched, CLOSED);

const deliveries = {
  status: shaped(`^${status}(?:,${status})*$`, `can be ${DELIVERY_STATUSES.join(", ")}, with commas between several`),
  event: eventType,
  destination: id,
  /** `none`: no answer came. */
  response: shaped("^(?:none|[1-5]xx|[1-9]\\d\\d)$", "can be 2xx, 3xx, 4xx, 5xx, none, or a code such as 503"),
  /** Accepted at or after. */
  from: instant,
  /** Accepted before. */
  to: instant,
  /** Also the id of a delivery or an event, and a `webhook-id`. */
  q,
  tests: isShown,
  cursor,
};
export const deliveryQuery = Type.Object(deliveries, CLOSED);

/** Besides the filters the person's time zone. */
export const exportQuery = Type.Object({ ...deliveries, zone: Type.Optional(Type.String()) }, CLOSED);

export const incidentsQuery = Type.Object(
  {
    /** The one that a link names: the list then reaches back to it. */
    incident: id,
    /** Those before this one. */
    before: id,
  },
  CLOSED,
);

export const incidentFiguresQuery = Type.Object({ incident: Type.String({ maxLength: ID_CHARS_MAX }) }, CLOSED);
const range = Type.Enum(["1h", "24h", "7d", "30d"]);
export const statisticsQuery = Type.Object({ range, destination: id }, CLOSED);
export const reportQuery = Type.Object({ range }, CLOSED);
export const decisionsQuery = Type.Object({ q }, CLOSED);
export const eventsQuery = Type.Object({ ...searched, type: eventType }, CLOSED);
