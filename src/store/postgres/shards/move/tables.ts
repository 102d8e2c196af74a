/**
 * The tables with rows of an account, and how these are found. A table that has such rows and is not here fails a test,
 * and a column cannot be forgotten: columns are read from the database (`catalogue.ts`).
 *
 * - `history` is what nobody on a shard finds without the account's live rows, so it can arrive while the account still
 *   lives elsewhere. It is compared in chunks and copied row by row.
 * - `live` rows make the account live. They are few, and appear on the new shard in one transaction.
 *
 * Rows `t` are those of account `$1`, of the destinations or replays `$2`. Both shards are asked the same.
 */

export type Owner = "destinations" | "replays" | "addresses";

export interface HistoryTable {
  readonly name: string;
  /** Whose ids `$2` has. */
  readonly owner: Owner | null;
  /** What stands behind `from`: the account's rows, with these columns, as `t`. */
  readonly from: (columns: readonly string[]) => string;
  /** Text that is alike for rows of one chunk. */
  readonly chunk: string;
  /** Besides the chunk itself, for an index: chunks `$3` to `$4`. */
  readonly within?: string;
  /** Columns that each shard gives by itself: numbers, and what only nodes of one shard know. */
  readonly own?: readonly string[];
  /** When a row was written, where rows are numbered: they are copied in the order of `seq`, when nobody is late. */
  readonly instant?: string;
  /**
   * `replace`: a row that differs is deleted and copied. `update`: it is changed in place, so that it keeps its number.
   * `append`: rows have no key but their number, so all from the first chunk that differs on are copied again.
   */
  readonly by: "replace" | "update" | "append";
}

export interface LiveTable {
  readonly name: string;
  readonly owner: Owner | null;
  /** Of its rows as `t`. */
  readonly where: string;
}

const listOf = (columns: readonly string[], of: string): string => columns.map((name) => `${of}.${name}`).join(", ");

/** Deliveries have no index by account: each has a destination, and a test may have none. */
const deliveriesWith = (columns: readonly string[]): string => `(
      select ${listOf(columns, "d")}
      from deliveries d
      where d.destination_id = any ($2::text[]) and not d.is_test
      union all
      select ${listOf(columns, "d")}
      from deliveries d
      where d.account_id = $1 and d.is_test
    )`;

/** Events of tests are in no list, and so in no index: their deliveries lead to them. */
const eventsWith = (columns: readonly string[]): string => `(
      select ${listOf(columns, "e")}
      from events e
      where e.account_id = $1 and e.source_id is not null
      union all
      select ${listOf(columns, "e")}
      from events e
      where e.source_id is null and e.account_id = $1 and e.id in (
        select d.event_id
        from deliveries d
        where d.account_id = $1 and d.is_test
      )
    )`;

/** A delivery that ended with its first attempt has it in its own row. */
const attemptsWith = (columns: readonly string[]): string => `(
      select ${listOf(columns, "a")}
      from ${deliveriesWith(["id", "attempts_made", "started_at"])} d
      join attempts a on a.delivery_id = d.id
      where d.attempts_made > case when d.started_at is null then 0 else 1 end
    )`;

const rowsOf =
  (table: string, where: string): HistoryTable["from"] =>
  (columns) =>
    `(
      select ${listOf(columns, "t")}
      from ${table} t
      where ${where}
    ) t`;

/** The first characters of an id tell its instant to some 33 seconds. */
const chunkOf = (id: string): string => `left(${id}, 11)`;
const withinIds = (id: string): string => `${id} >= $3::text and ${id} < $4::text || '~'`;

const BY_DAY = `lpad((t.at / 86400000)::text, 6, '0')`;
const WITHIN_DAYS = `t.at >= $3::text::bigint * 86400000 and t.at < ($4::text::bigint + 1) * 86400000`;

const OF_ACCOUNT = "t.account_id = $1";

/** In the order in which they are copied: what leads to others first. */
export const HISTORY: readonly HistoryTable[] = [
  {
    name: "deliveries",
    owner: "destinations",
    from: (columns) => `${deliveriesWith(columns)} t`,
    chunk: chunkOf("t.id"),
    within: withinIds("t.id"),
    by: "replace",
  },
  {
    name: "attempts",
    owner: "destinations",
    from: (columns) => `${attemptsWith(columns)} t`,
    chunk: chunkOf("t.delivery_id"),
    within: withinIds("t.delivery_id"),
    by: "replace",
  },
  {
    name: "events",
    owner: null,
    from: (columns) => `${eventsWith(columns)} t`,
    chunk: chunkOf("t.id"),
    within: withinIds("t.id"),
    // Leases are a shard's own. What was in memory has rows when the account is let go.
    own: ["seq", "lease_id", "held_until", "claim_token"],
    instant: "accepted_at",
    by: "update",
  },
  {
    name: "event_keys",
    owner: null,
    from: rowsOf("event_keys", OF_ACCOUNT),
    chunk: chunkOf("t.event_id"),
    by: "update",
  },
  {
    name: "attempt_counts",
    owner: "destinations",
    from: rowsOf("attempt_counts", "t.destination_id = any ($2::text[])"),
    chunk: BY_DAY,
    within: WITHIN_DAYS,
    by: "replace",
  },
  {
    name: "account_attempt_counts",
    owner: null,
    from: rowsOf("account_attempt_counts", OF_ACCOUNT),
    chunk: BY_DAY,
    within: WITHIN_DAYS,
    by: "replace",
  },
  { name: "account_hours", owner: null, from: rowsOf("account_hours", OF_ACCOUNT), chunk: BY_DAY, by: "replace" },
  {
    name: "body_texts",
    owner: null,
    from: rowsOf("body_texts", OF_ACCOUNT),
    chunk: "left(t.id, 1)",
    by: "replace",
  },
  { name: "incidents", owner: null, from: rowsOf("incidents", OF_ACCOUNT), chunk: chunkOf("t.id"), by: "replace" },
  {
    name: "replay_items",
    owner: "replays",
    from: rowsOf("replay_items", "t.replay_id = any ($2::text[])"),
    chunk: chunkOf("t.delivery_id"),
    by: "replace",
  },
  {
    name: "destination_changes",
    owner: null,
    from: rowsOf("destination_changes", OF_ACCOUNT),
    chunk: BY_DAY,
    own: ["seq"],
    instant: "at",
    by: "append",
  },
  {
    name: "audit_entries",
    owner: null,
    from: rowsOf("audit_entries", OF_ACCOUNT),
    chunk: BY_DAY,
    own: ["seq"],
    instant: "at",
    by: "append",
  },
];

/** Copied by whole blocks (`search-copy.ts`). */
export const SEARCH = ["search_blocks", "search_entries"] as const;

const ofAccount = (name: string): LiveTable => ({ name, owner: null, where: OF_ACCOUNT });

export const LIVE: readonly LiveTable[] = [
  { name: "accounts", owner: null, where: "t.id = $1" },
  ofAccount("account_states"),
  ofAccount("verification_secrets"),
  ofAccount("alerts"),
  ofAccount("chat_assistants"),
  ofAccount("webhooks"),
  ofAccount("destinations"),
  ofAccount("pulls"),
  ofAccount("ordered_deliveries"),
  ofAccount("failure_responses"),
  ofAccount("replays"),
  ofAccount("sign_in_links"),
  ofAccount("sessions"),
  ofAccount("read_keys"),
  ofAccount("saved_views"),
  ofAccount("messages"),
  ofAccount("mail_addresses"),
  { name: "mail_links", owner: "addresses", where: "t.address_id = any ($2::text[])" },
  ofAccount("confirmation_requests"),
  ofAccount("channels"),
  { name: "operator_conditions", owner: "destinations", where: "t.subject = any ($2::text[])" },
];

/** Tables without rows of an account, or whose rows of accounts do not move: the test wants each to be somewhere. */
export const OF_SHARD: Readonly<Record<string, string>> = {
  attempt_deltas: "added to the counters under the fence",
  attempt_deltas_0: "added to the counters under the fence",
  attempt_deltas_1: "added to the counters under the fence",
  leases: "a node's in this shard",
  schema_migrations: "the shard's",
  search_cursors: "the shard's",
  fences: "the shard's",
  arriving_accounts: "the move's own",
  departed_accounts: "the move's own",
  shards: "at home alone",
  accounts_at: "at home alone",
  inbox: "at home alone",
  refused_records: "at home alone",
  settings: "at home alone",
  event_types: "at home alone",
  probes: "at home alone",
};
