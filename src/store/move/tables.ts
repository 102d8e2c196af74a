/**
 * The tables that a move takes along. Their columns and keys are read from the target, so that none can be forgotten,
 * and SQLite has the same ones; here is what it keeps in another way.
 */
import { ATTEMPT } from "../columns.ts";
import { FIRST_ATTEMPT } from "../postgres/path/settle-in-memory.ts";
import { HOME_MARK } from "../postgres/shards/home-mark.ts";
import { SCHEMA_BUILD } from "../sql/schema-history.ts";
import { type Catalogue, columnsOf } from "../postgres/shards/move/catalogue.ts";
import { findKind, type MovedColumn, type MovedTable } from "./cells.ts";

/** How far a move is, in `settings`; see `marks.ts`. */
export const MARKS = { away: "moved_away", arriving: "moving_here", arrived: "moved_here" } as const;

interface ListedTable extends Pick<MovedTable, "name" | "unpack" | "only"> {
  /** Where SQLite has its rows; a table of the same name when left out. */
  readonly from?: string;
  /** SQLite's own key, where it is another. */
  readonly order?: readonly string[];
  /** PostgreSQL's, without what its partitions ask for. */
  readonly key?: readonly string[];
  /** What SQLite has, of the table as `t`, for a column that it calls or keeps otherwise. */
  readonly read?: Readonly<Record<string, string>>;
  /** PostgreSQL's columns that get nothing. */
  readonly without?: readonly string[];
}

/** SQLite keeps a row for each histogram, PostgreSQL one for each of its bins; slot 0 is no connection's. */
const toCountsTable = (name: string, owner: string): ListedTable => ({
  name,
  order: [owner, "at", "kind", "result", "code"],
  read: { bin: "cast(b.key as integer)", slot: "0", count: "b.value" },
  unpack: "json_each(t.bins)",
});

/** Where figures are kept or a failure is, PostgreSQL knows it from those. */
const WAS_ATTEMPTED = `coalesce((
  select d.attempts_made > 0
  from deliveries d
  where d.destination_id = t.id and d.is_test = 0
  order by d.created_at
  limit 1
), 0)`;

/** In the order of `Detail` of `../sqlite/attempts.ts`. */
const IN_DETAIL = [
  "url",
  "requestHeaders",
  "address",
  "dnsMs",
  "connectMs",
  "tlsMs",
  "firstByteMs",
  "phase",
  "errorCode",
  "errorMessage",
  "bodyCut",
  "sent",
] as const satisfies readonly (keyof typeof ATTEMPT)[];

const inDetail = (property: (typeof IN_DETAIL)[number], place: number): [name: string, read: string] => [
  ATTEMPT[property].name,
  `json_extract(t.detail, '$[${place}]')`,
];

/** Small tables first, so that a fault of the target shows before hours of copying. */
const TABLES: readonly ListedTable[] = [
  { name: "settings", only: `t.name not in ('${[...Object.values(MARKS), HOME_MARK, SCHEMA_BUILD].join("', '")}')` },
  { name: "event_types" },
  // Nothing of it has moved between shards.
  { name: "accounts", without: ["moves", "closed_until"] },
  { name: "account_states" },
  { name: "verification_secrets" },
  { name: "alerts" },
  { name: "chat_assistants" },
  { name: "webhooks" },
  // PostgreSQL keeps `was_attempted` in a column: it has a table of deliveries for each day, too many to search.
  { name: "destinations", read: { was_attempted: WAS_ATTEMPTED } },
  { name: "pulls" },
  { name: "ordered_deliveries", order: ["seq"] },
  { name: "destination_changes" },
  { name: "body_texts" },
  { name: "incidents" },
  { name: "failure_responses" },
  { name: "replays" },
  { name: "replay_items" },
  { name: "sign_in_links" },
  { name: "sessions" },
  { name: "read_keys" },
  { name: "saved_views" },
  { name: "audit_entries" },
  { name: "mail_addresses" },
  { name: "channels" },
  { name: "confirmation_requests" },
  { name: "mail_links" },
  { name: "messages" },
  { name: "operator_conditions" },
  toCountsTable("attempt_counts", "destination_id"),
  toCountsTable("account_attempt_counts", "account_id"),
  { name: "event_keys" },
  {
    name: "events",
    order: ["seq"],
    // Moved deliveries have rows.
    without: ["in_memory", "lease_id", "held_until", "claim_token"],
  },
  {
    name: "deliveries",
    key: ["id"],
    read: { event_id: "(select e.id from events e where e.seq = t.event_seq)" },
    // All of their attempts have rows too.
    without: FIRST_ATTEMPT,
  },
  { name: "attempts", from: "every_attempt", read: Object.fromEntries(IN_DETAIL.map(inDetail)) },
];

/** `catalogue`: the target's. */
export const listTables = (catalogue: Catalogue): MovedTable[] => TABLES.map((listed) => toMoved(listed, catalogue));

function toMoved({ read = {}, without = [], ...listed }: ListedTable, catalogue: Catalogue): MovedTable {
  const { name, from = name, unpack, only } = listed;
  const { columns: all, key: primary } = columnsOf(catalogue, name);
  const columns = all
    .filter((column) => !without.includes(column.name))
    .map((column) => ({
      name: column.name,
      kind: findKind(column.type),
      read: read[column.name] ?? `t.${column.name}`,
    }));
  const pick = (names: readonly string[]): MovedColumn[] =>
    names.flatMap((each) => columns.filter((column) => column.name === each));
  const { key = primary.map((column) => column.name), order = key } = listed;
  return { name, from, columns, key: pick(key), order: pick(order), unpack, only };
}
