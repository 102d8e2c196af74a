/**
 * A product's back end, a process of its own: in each transaction it writes a row of its own and emits a session or a
 * record of a declared type, then commits or, now and then, rolls back. It goes on until it is killed, at whatever
 * moment that is: its own rows are the oracle of what was committed.
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { LEAD_TYPE, leadRecord } from "../declared-types.ts";
import { sessionRecord } from "./records.ts";
import { pause } from "../wait.ts";

export interface CallerJob {
  readonly databaseUrl: string;
  readonly account: string;
  /** Transactions at once. */
  readonly callers: number;
}

const job = JSON.parse(process.env["CALLER_JOB"] ?? "") as CallerJob;

console.log("calling");
await Promise.all(Array.from({ length: job.callers }, callForEver));

/** A database that was cut off is asked again with a new session, as a back end would. */
async function callForEver(): Promise<never> {
  for (;;) {
    await callUntilCut().catch(() => {});
    await pause(50);
  }
}

async function callUntilCut(): Promise<never> {
  const client = new pg.Client({ connectionString: job.databaseUrl });
  client.on("error", () => {});
  await client.connect();
  for (;;) {
    const id = randomUUID();
    await client.query("begin");
    await client.query("insert into public.orders (id) values ($1)", [id]);
    if (Math.random() < 0.5) {
      await client.query("select bellwire.emit_demo_session($1, $2)", [job.account, sessionRecord(id)]);
    } else {
      await client.query("select bellwire.emit($1, $2, $3)", [job.account, LEAD_TYPE, leadRecord(id)]);
    }
    await client.query(Math.random() < 0.2 ? "rollback" : "commit");
    await pause(Math.random() * 20);
  }
}
