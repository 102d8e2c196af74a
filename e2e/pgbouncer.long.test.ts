/** Two nodes as real processes, which reach PostgreSQL through PgBouncer in transaction mode. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { NO_PGBOUNCER, type PgBouncer, startPgBouncer } from "../test/kit/servers/pgbouncer.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { newFolder } from "../test/kit/folder.ts";
import { type Acknowledged, createWitness } from "../test/kit/process/oracle.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { type Running, drained, startService } from "../test/kit/process/running.ts";
import { eventually, soon } from "../test/kit/wait.ts";

describe("through PgBouncer", { skip: NO_PGBOUNCER }, () => {
  let cluster: Cluster;
  let pgBouncer: PgBouncer;
  let url: string;

  before(async () => {
    cluster = await startCluster({ syncs: true });
    url = await cluster.createDatabase();
    pgBouncer = await startPgBouncer({ clusterUrl: url });
  });
  after(async () => {
    await pgBouncer[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  test("one of two nodes is killed under load: the other delivers what it held, and nothing is lost", async (t) => {
    using folder = newFolder();
    await using quick = await startReceiver();
    // There is always something on its way to this one.
    await using slow = await startReceiver({ delayMs: 100 });
    const assistants = { quick: quick.url, slow: slow.url };
    await setUpAccount({ dataDir: folder.path, database: url, assistants });
    const env = { BELLWIRE_DATABASE: pgBouncer.through(url), BELLWIRE_DATABASE_POOLER: "transaction" };
    const options = { dataDir: folder.path, env: { ...env, BELLWIRE_LOG_LEVEL: "info" } };
    await using one = await startService(options);
    await using other = await startService(options);
    // Its log is another stream than the line that says it runs, and may come after that.
    await one.child.out.match(/"database_pooler":"transaction"/);

    const receivers = [quick, slow];
    const witness = createWitness(receivers);
    const load = startPosting([one, other], Object.keys(assistants));
    await soon(quick.received(150), "deliveries under load");
    await one.crash();
    await soon(quick.received(quick.requests.length + 50), "deliveries of the other node");
    const acknowledged = await load.end();
    await eventually("only what the dead node held is left", () => isIdle(other));
    const held = await cluster.query(url, LIST_HELD);
    witness.endLife(new Set(held.map(({ id }) => String(id))));
    await cluster.query(url, LET_CLAIMS_RUN_OUT);
    await drained(other);

    const found = witness.judge(acknowledged);
    t.diagnostic(
      `${found.acknowledged} acknowledged, ${held.length} held by the dead node, ${found.lost.length} lost, ` +
        `${found.duplicates} sent twice`,
    );
    assert.ok(held.length > 0, "the dead node held nothing: nothing was shown");
    assert.deepEqual(found.lost, []);
    assert.deepEqual(found.doubled, []);
    assert.deepEqual(found.unexplained, []);
    assert.equal((await other.stop()).code, 0);
  });

  test("its end and its return are the database's: 503 meanwhile, and nobody has to help", async () => {
    using folder = newFolder();
    await using receiver = await startReceiver();
    const database = await cluster.createDatabase();
    await using between = await startPgBouncer({ clusterUrl: database, settings: ["query_wait_timeout = 1"] });
    await setUpAccount({ dataDir: folder.path, database, assistants: { bot: receiver.url } });
    const env = { BELLWIRE_DATABASE: between.through(database), BELLWIRE_DATABASE_POOLER: "transaction" };
    await using node = await startService({ dataDir: folder.path, env });
    const post = () => node.post("chat-conversations", conversationRecord(randomUUID(), "bot"));
    assert.equal((await post()).status, 202);
    await cluster.stop("immediate");
    const refused = await post();
    assert.equal(refused.status, 503);
    assert.match(String(refused.headers["retry-after"]), /^\d+$/);
    await cluster.start();
    await eventually("it is ready again", async () => (await node.get("/readyz")).status === 200);
    assert.equal((await post()).status, 202);
    await soon(receiver.received(2), "what was accepted");
  });
});

/** No claim of its own is left, and nothing waits that nobody holds. */
async function isIdle(node: Running): Promise<boolean> {
  const { text } = await node.get("/metrics");
  return /^bellwire_attempts_in_flight 0$/m.test(text) && /^bellwire_oldest_due_seconds 0$/m.test(text);
}

/** What waits or is held, also what a node took into memory with its event and what has no row. */
const LIST_HELD = `
  select id from bellwire.deliveries where state = 'pending'
  union
  select split_part(line, ' ', 1)
  from bellwire.events e
  cross join unnest(string_to_array(e.in_memory, E'\\n')) line
  where e.lease_id in (select id from bellwire.leases)
    and not exists (select from bellwire.deliveries where id = split_part(line, ' ', 1))`;

/** A minute passes, as far as the store can tell, without the test waiting for it. */
const LET_CLAIMS_RUN_OUT = `
  update bellwire.events set held_until = held_until - 60000 where lease_id is not null;
  update bellwire.leases set until_at = until_at - 60000;
  update bellwire.deliveries set due_at = due_at - 60000 where state = 'pending';
  update bellwire.destinations set next_due_at = 0`;

const CALLERS = 4;

/** A dead node refuses at once; asking on without a pause would take all there is of this process. */
const AGAIN_MS = 20;

/** Posts to the nodes in turn, each record until one of them takes it. */
function startPosting(nodes: readonly Running[], assistants: readonly string[]): { end(): Promise<Acknowledged> } {
  const acknowledged = new Map<string, { readonly eventIds: Set<string>; readonly deliveries: number }>();
  let isEnding = false;
  let turn = 0;

  async function postOne(): Promise<void> {
    const id = randomUUID();
    const record = conversationRecord(id, assistants[turn % assistants.length] ?? "");
    while (!isEnding) {
      turn += 1;
      const node = nodes[turn % nodes.length] ?? assert.fail("there is no node");
      const answer = await node.post("chat-conversations", record).catch(() => null);
      if (answer === null || answer.status === 503) {
        await setTimeout(AGAIN_MS);
        continue;
      }
      assert.ok(answer.status === 202 || answer.status === 200, `${answer.status} ${answer.text}`);
      acknowledged.set(id, { eventIds: new Set([String(answer.json["event_id"])]), deliveries: 1 });
      return;
    }
  }

  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isEnding) await postOne();
  });
  return {
    async end() {
      isEnding = true;
      await soon(Promise.all(callers), "the last posts");
      return acknowledged;
    },
  };
}
