/**
 * Columns of the tables that the log shows, each written down once: its name in SQL, its kind and its property. Row
 * types, select lists, the lists of attempts' inserts, in-memory deliveries in the log, and the tables of a move are
 * made of them. Statements are written by hand around the lists.
 *
 * A new column of a delivery in the log is a line here, its column in both schemas, its writer in both stores, and its
 * place on the page.
 */
import type { AttemptPhase, OutcomeKind } from "../domain/attempt.ts";
import type { DeliveryState } from "../domain/delivery.ts";

/** `whole`: instants, counts and other integers. */
export type ColumnKind = "text" | "whole" | "real" | "boolean" | "bytes";

export interface Column<Value> {
  readonly name: string;
  readonly kind: ColumnKind;
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

const column =
  (kind: ColumnKind) =>
  <Value>(name: string): Column<Value> => ({ name, kind });
const text = column("text");
const whole = column("whole");
const real = column("real");
const bytes = column("bytes");
/** SQLite keeps 0 and 1. */
const flag = <Value = boolean | 0 | 1>(name: string): Column<Value> => column("boolean")(name);

const DELIVERY = {
  id: text<string>("id"),
  eventId: text<string>("event_id"),
  destinationId: text<string | null>("destination_id"),
  isTest: flag("is_test"),
  state: text<DeliveryState>("state"),
  /** In its whole life. */
  attemptsMade: whole<number>("attempts_made"),
  /** Since it was accepted or last resent, without the free ones. */
  attemptsInSchedule: { ...whole<number>("attempts_made"), less: "attempts_before" },
  /** When it is due, while pending and free; when its claim runs out, while held. */
  dueAtMs: whole<number | null>("due_at"),
  createdAtMs: whole<number>("created_at"),
} as const;

/** A row of the log. */
export const LISTED = {
  ...DELIVERY,
  lastOutcome: text<string | null>("last_outcome"),
  lastStatus: whole<number | null>("last_status"),
  lastMs: real<number | null>("last_ms"),
} as const;

/** A delivery by itself, without its attempts. */
export const LOADED = {
  ...DELIVERY,
  accountId: text<string>("account_id"),
  settledAtMs: whole<number | null>("settled_at"),
  /** The last resend, by itself or in a replay; `null` when there was none. */
  resentAtMs: whole<number | null>("resent_at"),
  resentBy: text<string | null>("resent_by"),
} as const;

/* What a delivery shows that was never attempted, beside what each has of its own. */

const UNTRIED = { isTest: false, state: "pending", attemptsMade: 0, attemptsInSchedule: 0 } as const;
export const UNTRIED_LISTED = { ...UNTRIED, lastOutcome: null, lastStatus: null, lastMs: null } as const;
export const UNTRIED_LOADED = { ...UNTRIED, settledAtMs: null, resentAtMs: null, resentBy: null } as const;

export const ATTEMPT = {
  number: whole<number>("number"),
  startedAtMs: whole<number>("started_at"),
  kind: text<OutcomeKind>("outcome"),
  phase: text<AttemptPhase | null>("phase"),
  errorCode: text<string | null>("error_code"),
  errorMessage: text<string | null>("error_message"),
  status: whole<number | null>("response_status"),
  bodyCut: flag<boolean | 0 | 1 | null>("response_body_cut"),
  address: text<string | null>("address"),
  dnsMs: real<number | null>("dns_ms"),
  connectMs: real<number | null>("connect_ms"),
  tlsMs: real<number | null>("tls_ms"),
  firstByteMs: real<number | null>("first_byte_ms"),
  totalMs: real<number>("total_ms"),
  url: text<string>("url"),
  /** JSON, as the next one. */
  requestHeaders: text<string>("request_headers"),
  responseHeaders: text<string | null>("response_headers"),
  responseBody: bytes<Uint8Array | null>("response_body"),
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

/** By their names in SQL. */
export const kindsOf = (table: Columns): Readonly<Record<string, ColumnKind>> =>
  Object.fromEntries(
    Object.values(table).flatMap(({ name, less, kind }) => [name, less ?? name].map((each) => [each, kind])),
  );
