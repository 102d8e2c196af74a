/**
 * After an erasure a server's files still have the person, until the commands of `docs/secure.md` were run: these are
 * taken from there, and then every byte of the data folder is searched.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startCluster } from "../../test/kit/servers/postgres.ts";
import { openNode } from "../../test/kit/servers/shards.ts";
import { newId } from "../domain/id.ts";
import { systemRandom } from "../lib/random.ts";
import { eraseAll } from "../store/conformance/erasing.ts";
import * as world from "../store/conformance/world.ts";

const JANE = "jane7canary";
const SECURE = readFileSync(join(import.meta.dirname, "..", "..", "docs", "secure.md"), "utf8");
const [, COMMANDS = ""] = /\n```sql\n(vacuum full [\s\S]*?)```/.exec(SECURE) ?? [];

/** Files of the server that have the address. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(JANE));

/** Too long for a page and without repeats, so that PostgreSQL stores it apart and does not compress it. */
const long = (): string => `${JANE}@example.com ${Buffer.from(systemRandom.bytes(6_000)).toString("base64")}`;

test("an erased person is in no file of PostgreSQL once the documented commands were run", async () => {
  await using cluster = await startCluster({ settings: ["full_page_writes=on", "autovacuum=off"] });
  const url = await cluster.createDatabase();
  const data = join(new URL(url).searchParams.get("host") ?? "", "data");
  await using store = await openNode(url);
  const configVersion = await world.setUp(store, ["dst_a"]);
  const nowMs = Date.now();
  for (let n = 0; n < 12; n += 1) {
    const [id, deliveryId] = [newId("evt", nowMs, systemRandom), newId("dlv", nowMs, systemRandom)];
    const body = JSON.stringify({ event: "demo_viewed", lead: { email: long(), first_name: `${JANE}@example.com` } });
    const deliveries = [world.held(deliveryId, "dst_a")];
    await world.accept(store, [world.makeEvent(n, { id, configVersion, body, deliveries })], nowMs);
    const response = {
      status: 200,
      headers: { "x-to": `${JANE}@example.com` },
      body: Buffer.from(long()),
      bodyCut: false,
    };
    const attempt = world.makeAttempt(1, { outcome: { kind: "response", response } });
    await store.settleAttemptsIfClaimed({ nowMs, settlements: [world.makeSettlement(deliveryId, { attempt })] });
    await cluster.query(url, `select bellwire.emit_demo_session('acc_1', '${body}')`);
    // So that segments are used again.
    if (n % 6 === 0) await cluster.query(url, "select pg_switch_wal(); checkpoint");
  }
  const accountId = world.ACCOUNT.id;
  await store.putView({ accountId, name: "Hers", search: `email=${JANE}@example.com`, viewsMax: 9 });
  await store.indexEvents({ nowMs, eventsMax: 99, bytesMax: 10 ** 7 });
  await cluster.query(url, "analyze");
  const email = `${JANE}@example.com`;
  const { events, searches } = await eraseAll(store, { email, nowMs });
  assert.deepEqual([events, searches], [12, 1]);
  const outbox = await store.eraseFromInbox({
    accountId,
    email,
    after: { waiting: 0, refused: 0 },
    recordsMax: 99,
    nowMs,
  });
  assert.equal(outbox.waiting, 12);
  await cluster.query(url, "checkpoint");
  assert.ok(listFiles(data).length > 0, "the files still have the address");
  // Each by itself: a vacuum is in no transaction.
  for (const command of COMMANDS.split(/;\n(?! |end)/)) await cluster.query(url, command);
  assert.deepEqual(listFiles(data), []);
});
