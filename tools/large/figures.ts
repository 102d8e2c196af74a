/**
 * What docs/large.md multiplies: each figure with where it was measured. Those that the code decides are taken from the
 * code.
 */
import { ACCOUNTS_MAX } from "../../src/accounts/held-views.ts";
import { NODE_CONNECTIONS_MAX } from "../../src/store/postgres/connection/connections.ts";
import { DAYS_AHEAD } from "../../src/store/postgres/schema/partitions.ts";

export interface Figure {
  readonly value: number;
  readonly what: string;
  readonly from: string;
}

const figure = (value: number, what: string, from: string): Figure => ({ value, what, from });

const MANY = "`npm run bench -- many-nodes`";
const PATH = "`npm run bench -- path`, PostgreSQL";
const CODE = "the code";

/** Micros are CPU. */
export const FIGURES = {
  connections: figure(NODE_CONNECTIONS_MAX, "connections that a node opens at most", CODE),
  pooled: figure(5, "sessions of PgBouncer for each node", "operations.md"),
  lookMicros: figure(240, "µs of the server for a look that finds nothing", MANY),
  hintedLooks: figure(1, "look a second of a node that gets hints", CODE),
  pooledLooks: figure(4, "looks a second of a node behind a pooler, which gets none", CODE),
  hintMicros: figure(25, "µs of the server for a hint, each time that one node hears it", MANY),
  hints: figure(10, "hints a second that a node sends at most, while lanes have no room", CODE),
  idleMs: figure(1.7, "ms of the server a second for a node that idles", "`npm run bench -- little`"),
  renewSeconds: figure(5, "seconds between two renewals of a node's lease", CODE),
  versionMicros: figure(0.7, "µs of the server to confirm one account", MANY),
  versionQuestions: figure(1.4, "times a second that a node confirms the accounts in use, at most", CODE),
  viewBytes: figure(1_600, "bytes of memory for an account with one webhook", MANY),
  viewNodeMicros: figure(530, "µs of a node to load an account that it does not hold", MANY),
  viewServerMicros: figure(540, "µs of the server for that", MANY),
  viewsMax: figure(ACCOUNTS_MAX, "accounts that a node holds at most", CODE),
  nodeMicros: figure(121, "µs of a node for a webhook", PATH),
  serverMicros: figure(45, "µs of the server for a webhook, where 25 share a commit", PATH),
  aloneMicros: figure(533, "µs of the server for a webhook, where each commit has one", PATH),
  logBytes: figure(3_113, "bytes of the server's log for a webhook", PATH),
  wholeBytes: figure(
    1_599,
    "bytes of disk for a webhook with its body and its key, 30 days",
    "`npm run bench -- disk`",
  ),
  restBytes: figure(1_454, "bytes without it, until day 90", "`npm run bench -- disk`"),
  keyBytes: figure(524, "bytes of its key against repeats, which stays", "`npm run bench -- disk`"),
  daysAhead: figure(DAYS_AHEAD + 1, "days that have their tables ahead, today with them", CODE),
  tablesOfADay: figure(3, "tables of a day: events, deliveries, attempts", CODE),
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof FIGURES;

export const of = (name: FigureName): number => FIGURES[name].value;
