/**
 * The rows of a webhook that succeeds at once, as the SQLite store writes them and with numbers in place of texts:
 *
 *     text       events (id, unique)        event_keys (account, type, source)     deliveries (id, destination)
 *     numbers    events (no id of its own)  event_keys (account number, source)    deliveries (n, destination number)
 *
 * With numbers an event is `n` and its delivery `n + 1`, and the ids that people see would be made of them.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Webhook } from "./webhooks.ts";

export interface Layout {
  readonly name: string;
  /** Changes the store's own tables, which are empty. */
  readonly change: string;
  readonly insertEvent: string;
  readonly insertDelivery: string;
  readonly findKey: string;
  readonly insertKey: string;
  readonly toEvent: (webhook: Webhook) => SQLInputValue[];
  readonly toDelivery: (webhook: Webhook) => SQLInputValue[];
  readonly toKey: (source: Uint8Array) => SQLInputValue[];
}

const ACCOUNT = "acc_acme";
const TYPE = "demo_viewed";

/** The columns that both layouts write, behind those that tell them apart. */
const EVENT = "account_id, type, accepted_at, deliveries, body, source_id, assistant_id, trace_context, not_sent";
const DELIVERY = `event_seq, account_id, created_at, state, settled_at, epoch, attempts_made, attempted_at,
  last_outcome, last_status, last_ms, attempt_detail, answer_headers, answer_body`;

const insert = (table: string, columns: string): string =>
  `insert into ${table} (${columns}) values (${columns.replaceAll(/\w+/g, "?")})`;

/** The values of `EVENT` and of `DELIVERY`. */
const ofEvent = ({ atMs, body, source }: Webhook, deliveries: string): SQLInputValue[] => [
  ACCOUNT,
  TYPE,
  atMs,
  deliveries,
  body,
  source,
  null,
  null,
  null,
];

const ofDelivery = ({ n, atMs, detail, headers, answer }: Webhook): SQLInputValue[] => [
  n,
  ACCOUNT,
  atMs,
  "delivered",
  atMs + 5,
  3,
  1,
  atMs + 1,
  "response",
  200,
  1.25,
  detail,
  headers,
  answer,
];

const TEXT: Layout = {
  name: "text",
  change: "",
  insertEvent: insert("events", `seq, id, ${EVENT}`),
  insertDelivery: insert("deliveries", `id, destination_id, ${DELIVERY}`),
  findKey: "select event_seq from event_keys where account_id = ? and type = ? and source_id = ?",
  insertKey: `${insert("event_keys", "account_id, type, source_id, event_seq")} on conflict do nothing`,
  toEvent: (webhook) => {
    const { n, eventId, deliveryId, destinationId } = webhook;
    return [n, eventId, ...ofEvent(webhook, `{"${deliveryId}":"${destinationId}"}`)];
  },
  toDelivery: (webhook) => [webhook.deliveryId, webhook.destinationId, ...ofDelivery(webhook)],
  toKey: (source) => [ACCOUNT, TYPE, source],
};

const SOURCE_FIRST: Layout = {
  ...TEXT,
  name: "text, a key's source before its account",
  change: `
    alter table event_keys rename to earlier_keys;
    create table event_keys (account_id text, type text, source_id blob, event_seq integer, event_id text,
      deliveries integer, primary key (source_id, account_id, type)) strict, without rowid`,
};

const NUMBERS: Layout = {
  ...TEXT,
  name: "numbers",
  change: `
    drop table events;
    create table events (seq integer primary key, account_id text not null, type text not null,
      accepted_at integer not null, deliveries text not null, body text not null,
      source_id blob check (length(source_id) = 16), assistant_id text, trace_context text, not_sent text) strict;
    create index events_listed on events (account_id, assistant_id) where source_id is not null;
    create index events_with_body on events (accepted_at) where octet_length(body) > 0;
    create index events_without_body on events (accepted_at) where octet_length(body) = 0;
    drop table event_keys;
    create table event_keys (account_n integer, type_n integer, source_id blob, event_seq integer, event_n integer,
      deliveries integer, primary key (account_n, type_n, source_id)) strict, without rowid;`,
  insertEvent: insert("events", `seq, ${EVENT}`),
  insertDelivery: insert("deliveries", `n, destination_n, ${DELIVERY}`),
  findKey: "select event_seq from event_keys where account_n = ? and type_n = ? and source_id = ?",
  insertKey: `${insert("event_keys", "account_n, type_n, source_id, event_seq")} on conflict do nothing`,
  toEvent: (webhook) => [webhook.n, ...ofEvent(webhook, `[${webhook.destinationN}]`)],
  toDelivery: (webhook) => [webhook.n + 1, webhook.destinationN, ...ofDelivery(webhook)],
  toKey: (source) => [1, 1, source],
};

export const LAYOUTS: readonly Layout[] = [TEXT, SOURCE_FIRST, NUMBERS];

/** The layout's tables, of the store's own, which are empty. */
export function layOut(db: DatabaseSync, layout: Layout): void {
  db.exec(layout === NUMBERS ? `${layout.change}${numberDeliveries(db)}` : layout.change);
}

/** The store's own table and indexes of deliveries, with numbers where a delivery and its destination have ids. */
function numberDeliveries(db: DatabaseSync): string {
  const rows = db.prepare("select sql from sqlite_schema where tbl_name = 'deliveries' and sql is not null").all();
  const statements = rows.map(({ sql }) =>
    String(sql)
      .replace("id text primary key", "n integer primary key")
      .replaceAll("destination_id text", "destination_n integer")
      .replaceAll("destination_id", "destination_n")
      .replace("created_at, id, last_status", "created_at, last_status")
      .replace(", without rowid", ""),
  );
  return ["drop view every_attempt", "drop table deliveries", ...statements].join(";\n");
}

/** The statements of a layout, prepared once. */
export interface Writer {
  readonly event: StatementSync;
  readonly delivery: StatementSync;
  readonly find: StatementSync;
  readonly key: StatementSync;
}

export const prepare = (db: DatabaseSync, layout: Layout): Writer => ({
  event: db.prepare(layout.insertEvent),
  delivery: db.prepare(layout.insertDelivery),
  find: db.prepare(layout.findKey),
  key: db.prepare(layout.insertKey),
});
