import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setUpAccount } from "../../test/kit/process/account.ts";
import { startChild } from "../../test/kit/process/child.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { ACCOUNT, startService } from "../../test/kit/process/running.ts";
import { eventually, soon } from "../../test/kit/wait.ts";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});
after(() => cluster[Symbol.asyncDispose]());

/** The role is the whole cluster's, so the other test may have made it. */
const PRODUCT_ROLE = `
  do $$ begin create role product login; exception when duplicate_object then null; end $$;
  grant create on schema public to product`;

/** A check at a transaction's end ends its connection instead: the client has sent its commit by then. */
const DIE_IN_COMMIT = `
  create function die_in_commit() returns trigger language plpgsql security definer as
    $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
  create constraint trigger die_in_commit after insert on demo_views deferrable initially deferred
    for each row execute function die_in_commit()`;

const asRole = (url: string, role: string): string => url.replace(/user=\w+/, `user=${role}`);

async function finishDemo(database: string, ...args: string[]) {
  const program = join(import.meta.dirname, "finish-demo.js");
  await using child = startChild({ args: [program, ...args], env: { PRODUCT_DATABASE: database } });
  const { code } = await soon(child.exited, "the end of the example");
  return { code, out: child.out.text + child.err.text };
}

test("the example's commit arrives at the receiver, and its roll-back nowhere", async () => {
  using folder = newFolder();
  await using receiver = await startReceiver();
  const url = await cluster.createDatabase();
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir, database: url, alerts: [{ url: receiver.url }] });
  await cluster.query(url, PRODUCT_ROLE);
  const product = asRole(url, "product");
  await cluster.query(product, read("examples/outbox/tables.sql"));

  const ungranted = await finishDemo(product, ACCOUNT);
  assert.equal(ungranted.code, 1);
  assert.match(ungranted.out, /permission denied/);
  await cluster.query(url, read("examples/outbox/grants.sql"));

  await using service = await startService({ dataDir, env: { BELLWIRE_DATABASE: url, BELLWIRE_LOG_LEVEL: "warn" } });
  assert.equal((await service.get("/readyz")).status, 200);
  const failed = await finishDemo(product, ACCOUNT, "--fail");
  assert.equal(failed.code, 1);
  assert.match(failed.out, /^rolled back: something else/);
  const done = await finishDemo(product, ACCOUNT);
  assert.equal(done.code, 0, done.out);
  await soon(receiver.received(1), "the webhook");
  const body = JSON.parse(receiver.requests[0]?.body.toString("utf8") ?? "") as { id: string; event: string };
  assert.deepEqual([body.event, done.out], ["demo_viewed", `committed ${body.id}`]);

  await cluster.query(url, DIE_IN_COMMIT);
  const unknown = await finishDemo(product, ACCOUNT);
  assert.equal(unknown.code, 1);
  assert.match(unknown.out, /^not known whether it committed, look for [0-9a-f-]{36}: terminating connection/);
  await cluster.query(url, "drop function die_in_commit cascade");

  await finishDemo(product, "nobody-has-put-it");
  const waiting = async () =>
    (await cluster.query(url, "select count(1) as n from bellwire.inbox where account_id <> 'x'"))[0]?.["n"];
  await eventually("what waits for its account is all that is left", async () => (await waiting()) === "1");
  assert.equal(receiver.requests.length, 1);
  assert.equal((await cluster.query(url, "select 1 from demo_views")).length, 2);
});

test("every block of SQL in the documentation runs as it is, and what it emits is accepted", async () => {
  using folder = newFolder();
  const url = await cluster.createDatabase();
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir, database: url });
  await cluster.query(url, PRODUCT_ROLE);
  await cluster.query(url, "create table public.demo_views (id uuid, demo text)");
  const blocks = [...read("docs/outbox.md").matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql);
  const grants = read("examples/outbox/grants.sql").split("\n").slice(1).join("\n");
  assert.ok(blocks.includes(grants), "the page shows the grants of the example");
  for (const sql of blocks) await cluster.query(url, sql.replaceAll("'acme'", `'${ACCOUNT}'`));
  const numbers = async () => {
    const sql = `select (select last_value from bellwire.inbox_seq_seq) as emitted,
      (select count(1) from bellwire.inbox) as waiting, (select count(1) from bellwire.event_keys) as events`;
    const [row = {}] = await cluster.query(url, sql);
    return Object.values(row).map(Number);
  };
  assert.deepEqual(await numbers(), [2, 2, 0]);
  await using service = await startService({ dataDir, env: { BELLWIRE_DATABASE: url, BELLWIRE_LOG_LEVEL: "warn" } });
  assert.equal((await service.get("/readyz")).status, 200);
  await eventually("one session, emitted twice, is one event", async () => String(await numbers()) === "2,0,1");
  assert.deepEqual(await cluster.query(url, "select detail from bellwire.refused_records"), []);
});
