/**
 * A product's back end that finishes a demo: its own row and the webhook in one transaction, so that there is never one
 * without the other. With `--fail` something goes wrong behind both, and neither happens.
 *
 *     PRODUCT_DATABASE=postgres://product:…@host/database node examples/outbox/finish-demo.js <account> [--fail]
 */
import { randomUUID } from "node:crypto";
import pg from "pg";

const [account, flag] = process.argv.slice(2);
const client = new pg.Client({ connectionString: process.env.PRODUCT_DATABASE });
// A connection that dies also fails the query that waits for it, and that is caught below.
client.on("error", () => {});
await client.connect();
const view = { id: randomUUID(), demo: "Pricing tour", secondsSpent: 95 };
let isCommitSent = false;
try {
  await client.query("begin");
  const viewedAt = await insertView(view);
  await client.query("select bellwire.emit_demo_session($1, $2)", [account, toRecord(view, viewedAt)]);
  if (flag === "--fail") throw new Error("something else of this transaction failed");
  isCommitSent = true;
  await client.query("commit");
  console.log(`committed ${view.id}`);
} catch (error) {
  // Without a connection the server rolls back by itself, unless it had the commit already.
  await client.query("rollback").catch(() => {});
  const what = isCommitSent ? `not known whether it committed, look for ${view.id}` : "rolled back";
  console.log(`${what}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await client.end();
}

/** Gives the time that the database has put. */
async function insertView({ id, demo, secondsSpent }) {
  const { rows } = await client.query(
    "insert into demo_views (id, demo, seconds_spent) values ($1, $2, $3) returning viewed_at",
    [id, demo, secondsSpent],
  );
  return rows[0].viewed_at;
}

/** The record as `POST …/demo-sessions` takes it; pg makes JSON of an object. */
function toRecord({ id, demo, secondsSpent }, viewedAt) {
  return {
    id,
    name: demo,
    share_code: "abc123",
    link_name: "Newsletter",
    viewed_at: viewedAt.toISOString(),
    completion: 80,
    time_spent: secondsSpent,
    intent_level: "high",
    checklist_completed: false,
  };
}
