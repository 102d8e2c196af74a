/** Where the floor keeps its rows: SQLite on its own thread, or a PostgreSQL. Rows of the same time share a commit. */
import { DatabaseSync } from "node:sqlite";
import { openSession } from "../postgres-server.ts";

export interface Row {
  readonly kind: "event" | "attempt";
  readonly id: string;
  readonly text: string;
}

export interface Ledger {
  /** Calls back when the row is committed. */
  keep(row: Row, done: () => void): void;
}

/** `where`: a file, or the address of a database. */
export async function openLedger(where: string): Promise<Ledger> {
  const commit = where.startsWith("postgres") ? await openPostgres(where) : openSqlite(where);
  let waiting: (readonly [row: Row, done: () => void])[] = [];
  let isUnderWay = false;
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await commit(batch.map(([row]) => row));
      for (const [, done] of batch) done();
    }
    isUnderWay = false;
  };
  return {
    keep(row, done) {
      waiting.push([row, done]);
      if (isUnderWay) return;
      isUnderWay = true;
      setImmediate(() => void run());
    },
  };
}

type Commit = (rows: readonly Row[]) => Promise<void> | void;

const COLUMNS = "(kind text not null, id text not null, text text not null, primary key (kind, id))";

function openSqlite(path: string): Commit {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; create table kept ${COLUMNS}`);
  const insert = database.prepare("insert into kept values (?, ?, ?)");
  return (rows) => {
    database.exec("begin immediate");
    for (const { kind, id, text } of rows) insert.run(kind, id, text);
    database.exec("commit");
  };
}

async function openPostgres(url: string): Promise<Commit> {
  const session = await openSession(url);
  // Our sessions look in no schema of themselves.
  await session.query(`create table public.kept ${COLUMNS}`);
  const text = "insert into public.kept select * from unnest($1::text[], $2::text[], $3::text[])";
  return async (rows) => {
    const columns = (["kind", "id", "text"] as const).map((name) => rows.map((row) => row[name]));
    await session.query({ name: "keep", text, values: columns });
  };
}
