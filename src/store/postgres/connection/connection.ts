/**
 * One connection inside one transaction: all SQL of the store runs through it. Queries are sent without waiting for the
 * answers of those before (pipelining, `batch.ts`), so `Promise.all` of several costs one round trip.
 * `Promise.all` and nothing else: pg answers a query only when all before it are answered.
 */
import type { Socket } from "node:net";
import type { ClientBase, QueryResult } from "pg";
import { assert } from "../../../lib/assert.ts";
import { isAftermath } from "../failures.ts";
import { openBatches, PassedOver } from "./batch.ts";

export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[];

/** How a transaction begins, on a session that is ours or on one that a pooler lends for it. */
export interface Beginning {
  /** Sent together with the first statement. */
  readonly sql: string;
  /** The same for what changes nothing. */
  readonly readSql: string;
  /** The same for accepts and settlements, whose statements' plans a session keeps. */
  readonly pathSql: string;
  /** The session is ours, so that it knows a statement again by its name. */
  readonly keepsStatements: boolean;
}

export interface Connection {
  /** Rows changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** The first row. `Row` is the caller's word for what its columns are. */
  get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Several statements, without values and answers. */
  exec(sql: string): Promise<void>;
}

/** For migrations, days and the installation. */
export const overClient = (client: ClientBase, beginning: Pick<Beginning, "sql" | "keepsStatements">): Connection =>
  openTransaction(client, beginning).db;

/** How it begins; `null`: it does not, and each statement is a transaction by itself. */
interface Opening extends Pick<Beginning, "keepsStatements"> {
  readonly sql: string | null;
}

export interface OpenTransaction {
  readonly db: Connection;
  /** Goes out with what was asked before in this turn of the event loop. False: the server has rolled back instead. */
  commit(): Promise<boolean>;
  /** Ends it without a trace, so that its session can be used again. */
  rollback(): Promise<void>;
  /** Something was asked, so that there is a transaction to end. */
  hasBegun(): boolean;
}

/** The first statement goes out together with `begin`, and waits for both answers. */
export function openTransaction(client: ClientBase, { sql: begin, keepsStatements }: Opening): OpenTransaction {
  const batches = openBatches(client);
  let begun: Promise<unknown> | null = null;
  let cause: unknown = null;

  const ask = (name: string, text: string, values: readonly Value[] = []): Promise<QueryResult> =>
    batches.ask({ ...(keepsStatements ? { name } : {}), text, values });

  /** Several in one text, which have a `Sync` of their own. They share a write with what is asked behind them. */
  async function askPlainly(sql: string): Promise<unknown> {
    batches.send();
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    stream.cork();
    process.nextTick(() => {
      batches.send();
      stream.uncork();
    });
    return await client.query(sql);
  }

  async function begins(): Promise<unknown> {
    if (begin === null) return;
    return await (begin.includes(";") ? askPlainly(begin) : ask(begin, begin));
  }

  /** Statements behind one that failed fail of that alone: whichever the caller hears of first, it hears the cause. */
  async function answered<Answer>(answer: Promise<Answer>, others: readonly Promise<unknown>[]): Promise<Answer> {
    try {
      const [result] = await Promise.all([answer, ...others]);
      return result;
    } catch (error) {
      if (error instanceof PassedOver) throw error.cause;
      if (isAftermath(error)) throw cause ?? error;
      cause = error;
      throw error;
    }
  }

  async function query(sql: string, values: readonly Value[]): Promise<QueryResult> {
    // Both are awaited together, because no one else would hear of a `begin` that failed.
    begun ??= begins();
    return await answered(ask(findName(sql), sql, values), [begun]);
  }

  return {
    db: {
      run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
      get: async <Row>(sql: string, ...values: Value[]) => (await query(sql, values)).rows[0] as Row | undefined,
      all: async <Row>(sql: string, ...values: Value[]) => (await query(sql, values)).rows as Row[],
      exec: async (sql) => {
        begun ??= begins();
        await answered(askPlainly(sql), [begun]);
      },
    },
    async commit() {
      // The server would note a warning in its log.
      if (begin === null || begun === null) return true;
      return (await ask("commit", "commit")).command === "COMMIT";
    },
    async rollback() {
      if (begin !== null && begun !== null) await ask("rollback", "rollback");
    },
    hasBegun: () => begun !== null,
  };
}

/** PostgreSQL's own limit for a statement's name, less its closing zero. */
const NAME_CHARS_MAX = 63;

/** A session of ours parses each statement once, under the name in its first line. */
function findName(sql: string): string {
  const known = NAMES.get(sql);
  if (known !== undefined) return known;
  const name = /^-- name: (.+)\n/.exec(sql)?.[1] ?? "";
  assert(name !== "" && name.length <= NAME_CHARS_MAX, `a statement needs a name in its first line: ${sql}`);
  NAMES.set(sql, name);
  return name;
}

const NAMES = new Map<string, string>();
