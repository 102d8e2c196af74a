/**
 * The tables that a move takes along: each with its columns, where each comes from, and in which order it is read. A
 * test compares this list with both schemas, so that a column which is added later cannot be forgotten here.
 */
import { ATTEMPT, kindsOf, LISTED, LOADED } from "../columns.ts";
import { type Kind, type Column, type MovedTable } from "./cells.ts";
import { HISTORY_TABLES } from "./history-tables.ts";
import { RECIPIENT_TABLES } from "./recipient-tables.ts";

/** How far a move is, in `settings`; see `marks.ts`. */
export const MARKS = { away: "moved_away", arriving: "moving_here", arrived: "moved_here" } as const;

const ID = { id: "text" } as const;
const SEQ = { seq: "whole" } as const;
const ID_OF_ACCOUNT = { account_id: "text", id: "text" } as const;
const OF_SOURCE = { account_id: "text", type: "text", source_id: "uuid" } as const;
const TOKEN = { token_hash: "text" } as const;
/** Who holds a token, for what, and for how long. */
const HOLDER = {
  account_id: "text",
  person: "text",
  role: "text",
  expires_at: "whole",
  created_at: "whole",
} as const;
/** The columns that alerts and assistants share. */
const OWNER = { conditions: "text", destination_id: "text", revision: "whole", changed_by: "text" } as const;
const MADE = { created_at: "whole", updated_at: "whole" } as const;

/** SQLite keeps a row for each histogram, PostgreSQL one for each of its bins; slot 0 is no connection's. */
const toCountsTable = (name: string, owner: string): MovedTable => {
  const order = { [owner]: "text", at: "whole", kind: "text", result: "text", code: "text" } as const;
  return {
    name,
    order,
    key: [...Object.keys(order), "bin", "slot"],
    columns: {
      ...order,
      bin: { kind: "whole", read: "cast(b.key as integer)" },
      slot: { kind: "whole", read: "0" },
      count: { kind: "whole", read: "b.value" },
    },
    unpack: "json_each(t.bins)",
  };
};

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
] as const satisfies readonly (keyof typeof ATTEMPT)[];

const inDetail = (property: (typeof IN_DETAIL)[number], place: number): [name: string, column: Column] => {
  const { name, kind } = ATTEMPT[property];
  return [name, { kind, read: `json_extract(t.detail, '$[${place}]')` }];
};

/** Small tables first, so that a fault of the target shows before hours of copying. */
export const TABLES: readonly MovedTable[] = [
  {
    name: "settings",
    order: { name: "text" },
    key: ["name"],
    columns: { name: "text", value: "text" },
    only: `t.name not in ('${Object.values(MARKS).join("', '")}')`,
  },
  {
    name: "accounts",
    order: ID,
    key: ["id"],
    columns: {
      ...ID,
      name: "text",
      plan: "text",
      app_url: "text",
      config_version: "whole",
      ...MADE,
    },
  },
  {
    name: "verification_secrets",
    order: { account_id: "text", role: "text" },
    key: ["account_id", "role"],
    columns: {
      account_id: "text",
      role: "text",
      sealed: "text",
      created_at: "whole",
      becomes_current_at: "whole",
    },
  },
  {
    name: "alerts",
    order: ID_OF_ACCOUNT,
    key: ["account_id", "id"],
    columns: {
      ...ID_OF_ACCOUNT,
      name: "text",
      audience: "text",
      demos: "text",
      intent_levels: "text",
      webhooks_on: "boolean",
      ...OWNER,
      ...MADE,
      deleted_at: "whole",
    },
  },
  {
    name: "chat_assistants",
    order: ID_OF_ACCOUNT,
    key: ["account_id", "id"],
    columns: { ...ID_OF_ACCOUNT, name: "text", ...OWNER, changed_at: "whole", ...MADE },
  },
  {
    name: "destinations",
    order: ID,
    key: ["id"],
    columns: {
      ...ID,
      account_id: "text",
      state: "text",
      off_reason: "text",
      failing_since_at: "whole",
      failure_score: "whole",
      consecutive_opens: "whole",
      next_due_at: "whole",
      not_before_at: "whole",
      trial_token: "text",
      served_at: "whole",
      rate_per_second: "real",
      owner_kind: "text",
      owner_id: "text",
      deleted_at: "whole",
      last_failure_at: "whole",
      last_failure_outcome: "text",
      last_failure_status: "whole",
      notified_at: "whole",
      certificate_ends_at: "whole",
      is_notified: "boolean",
      // PostgreSQL does not look for it among deliveries, of which there are tables for each day.
      was_attempted: { kind: "boolean", read: WAS_ATTEMPTED },
      url: "text",
      headers: "text",
      authentication: "text",
      ...MADE,
    },
  },
  ...HISTORY_TABLES,
  {
    name: "replays",
    order: ID,
    key: ["id"],
    columns: {
      ...ID,
      account_id: "text",
      filter: "text",
      rate_per_second: "real",
      state: "text",
      deliveries: "whole",
      moved: "whole",
      skipped: "whole",
      credit: "real",
      stepped_at: "whole",
      actor: "text",
      state_actor: "text",
      created_at: "whole",
      ended_at: "whole",
      is_prepared: "boolean",
    },
  },
  {
    name: "replay_items",
    order: { replay_id: "text", delivery_id: "text" },
    key: ["replay_id", "delivery_id"],
    columns: {
      replay_id: "text",
      delivery_id: "text",
    },
  },
  {
    name: "sign_in_links",
    order: TOKEN,
    key: ["token_hash"],
    columns: { ...TOKEN, ...HOLDER, purpose: "text", used_at: "whole", ended_at: "whole" },
  },
  {
    name: "sessions",
    order: TOKEN,
    key: ["token_hash"],
    columns: { ...TOKEN, ...HOLDER, purpose: "text", id: "text", seen_at: "whole" },
  },
  {
    name: "audit_entries",
    order: SEQ,
    key: ["seq"],
    columns: {
      ...SEQ,
      account_id: "text",
      at: "whole",
      person: "text",
      role: "text",
      action: "text",
      subject: "text",
    },
    isNumbered: true,
  },
  ...RECIPIENT_TABLES,
  {
    name: "operator_conditions",
    order: { subject: "text" },
    key: ["subject"],
    columns: { subject: "text", is_raised: "boolean", raised_at: "whole" },
  },
  toCountsTable("attempt_counts", "destination_id"),
  toCountsTable("account_attempt_counts", "account_id"),
  {
    name: "event_keys",
    order: OF_SOURCE,
    key: Object.keys(OF_SOURCE),
    columns: {
      ...OF_SOURCE,
      event_id: "text",
      deliveries: "whole",
    },
  },
  {
    name: "events",
    order: SEQ,
    key: ["id"],
    columns: {
      ...SEQ,
      id: "text",
      account_id: "text",
      type: "text",
      accepted_at: "whole",
      source_id: "uuid",
      // A session has none, and PostgreSQL says so by an empty text.
      assistant_id: { kind: "text", read: "coalesce(t.assistant_id, '')" },
      body: "text",
      not_sent: "text",
      trace_context: "text",
    },
    isNumbered: true,
  },
  {
    name: "deliveries",
    order: ID,
    key: ["id"],
    columns: {
      ...kindsOf(LISTED),
      ...kindsOf(LOADED),
      event_id: { kind: "text", read: "(select e.id from events e where e.seq = t.event_seq)" },
      is_ended: { kind: "boolean", read: "t.state <> 'pending'" },
      claim_token: "text",
    },
  },
  {
    name: "attempts",
    from: "every_attempt",
    order: { delivery_id: "text", number: "whole" },
    key: ["delivery_id", "number"],
    columns: {
      delivery_id: "text",
      ...kindsOf(ATTEMPT),
      ...Object.fromEntries(IN_DETAIL.map(inDetail)),
    },
  },
];

export const findKind = (column: Column): Kind => (typeof column === "string" ? column : column.kind);

/** The key's cells of a row, by the names of its columns. */
export function findKey(table: MovedTable, row: readonly unknown[]): Readonly<Record<string, unknown>> {
  const names = Object.keys(table.columns);
  return Object.fromEntries(table.key.map((name) => [name, row[names.indexOf(name)]]));
}
