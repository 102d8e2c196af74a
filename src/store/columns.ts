/**
 * Columns of the tables that the log shows, and of destinations, each written down once: its name in SQL, its kind and
 * its property. Row types, select lists, the lists of attempts' inserts, in-memory deliveries in the log, and the
 * tables of a move are made of them. Statements are written by hand around the lists.
 *
 * A new column of a delivery in the log is a line here, its column in both schemas, its writer in both stores, and its
 * place on the page.
 */
import type { AttemptPhase, OutcomeKind } from "../domain/attempt.ts";
import type { BodyKind } from "../domain/body.ts";
import type { DeliveryState } from "../domain/delivery.ts";
import type { DestinationOffReason, DestinationState } from "../domain/destination.ts";
import type { KeptSettings } from "../domain/webhook-form.ts";

export interface Column<Value> {
  readonly name: string;
  /** What is read is the column less this one. */
  readonly less?: string;
  /** Only for the compiler. */
  readonly value?: Value;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

/** The row that a select list of these columns answers. */
export type RowOf<Table extends Columns> = {
  readonly [Property in keyof Table]: Table[Property] extends Column<infer Value> ? Value : never;
};

const column = <Value>(name: string): Column<Value> => ({ name });
/** SQLite keeps 0 and 1. */
const flag = column<boolean | 0 | 1>;

const DELIVERY = {
  id: column<string>("id"),
  eventId: column<string>("event_id"),
  destinationId: column<string | null>("destination_id"),
  isTest: flag("is_test"),
  state: column<DeliveryState>("state"),
  /** In its whole life. */
  attemptsMade: column<number>("attempts_made"),
  /** Since it was accepted or last resent, without the free ones. */
  attemptsInSchedule: { ...column<number>("attempts_made"), less: "attempts_before" },
  /** While pending: when it is due or, while held, when its claim runs out. One in memory is due since its accept. */
  dueAtMs: column<number | null>("due_at"),
  createdAtMs: column<number>("created_at"),
} as const;

/** A row of the log. */
export const LISTED = {
  ...DELIVERY,
  lastOutcome: column<string | null>("last_outcome"),
  lastStatus: column<number | null>("last_status"),
  lastMs: column<number | null>("last_ms"),
} as const;

/** A delivery by itself, without its attempts. */
export const LOADED = {
  ...DELIVERY,
  accountId: column<string>("account_id"),
  settledAtMs: column<number | null>("settled_at"),
  /** The last resend, by itself or in a replay; `null` when there was none. */
  resentAtMs: column<number | null>("resent_at"),
  resentBy: column<string | null>("resent_by"),
} as const;

/* What a delivery shows that was never attempted, beside what each has of its own. */

const UNTRIED = { isTest: false, state: "pending", attemptsMade: 0, attemptsInSchedule: 0 } as const;
export const UNTRIED_LISTED = { ...UNTRIED, lastOutcome: null, lastStatus: null, lastMs: null } as const;
export const UNTRIED_LOADED = { ...UNTRIED, settledAtMs: null, resentAtMs: null, resentBy: null } as const;

export const ATTEMPT = {
  number: column<number>("number"),
  startedAtMs: column<number>("started_at"),
  kind: column<OutcomeKind>("outcome"),
  phase: column<AttemptPhase | null>("phase"),
  errorCode: column<string | null>("error_code"),
  errorMessage: column<string | null>("error_message"),
  status: column<number | null>("response_status"),
  bodyCut: column<boolean | 0 | 1 | null>("response_body_cut"),
  address: column<string | null>("address"),
  dnsMs: column<number | null>("dns_ms"),
  connectMs: column<number | null>("connect_ms"),
  tlsMs: column<number | null>("tls_ms"),
  firstByteMs: column<number | null>("first_byte_ms"),
  totalMs: column<number>("total_ms"),
  url: column<string>("url"),
  /** JSON, as the next one. */
  requestHeaders: column<string>("request_headers"),
  responseHeaders: column<string | null>("response_headers"),
  responseBody: column<Uint8Array | null>("response_body"),
  /** As `sql/log/attempts.ts` writes it; `null` where the event itself was sent, or nothing. */
  sent: column<string | null>("sent"),
} as const;

/** The settings of a webhook that are kept as they were given. */
export const KEPT = {
  ratePerSecond: column<number | null>("rate_per_second"),
  oneAtATime: flag("one_at_a_time"),
  body: column<BodyKind>("body"),
  template: column<string | null>("template"),
  /** JSON. */
  tags: column<string>("tags"),
} as const satisfies {
  readonly [Key in keyof KeptSettings]: Column<KeptSettings[Key]> | ReturnType<typeof flag> | Column<string>;
};

/** A destination as its owner set it up, and what has become of it. */
export const DESTINATION = {
  id: column<string>("id"),
  url: column<string>("url"),
  /** JSON, as the next one. */
  headers: column<string>("headers"),
  authentication: column<string | null>("authentication"),
  ...KEPT,
  state: column<DestinationState>("state"),
  offReason: column<DestinationOffReason | null>("off_reason"),
  failingSinceMs: column<number | null>("failing_since_at"),
  setUpAtMs: column<number>("updated_at"),
  /** As `MadeBy` has them: written once. */
  callerId: column<string | null>("caller_id"),
  appliedAtMs: column<number | null>("applied_at"),
} as const;

/** `d.id, d.event_id as "eventId", …` of the table's alias; `elsewhere` has what is read another way, by property. */
export const selected = <Table extends Columns>(
  table: Table,
  alias: string,
  elsewhere: { readonly [Property in keyof Table]?: string } = {},
): string =>
  Object.entries(table)
    .map(([property, { name, less }]) => {
      const own = less === undefined ? `${alias}.${name}` : `${alias}.${name} - ${alias}.${less}`;
      return `${elsewhere[property] ?? own} as "${property}"`;
    })
    .join(", ");

/** Their names in SQL, each once. */
export const namesOf = (table: Columns): readonly string[] => [
  ...new Set(Object.values(table).flatMap(({ name, less }) => (less === undefined ? [name] : [name, less]))),
];

/** What a row has for them, in the same order. */
export const valuesOf = <Table extends Columns>(table: Table, row: RowOf<Table>): RowOf<Table>[keyof Table][] =>
  Object.keys(table).map((property) => row[property as keyof Table]);
