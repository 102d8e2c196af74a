/** Nodes that start at the same moment on a database that is still empty. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkEncryptionKey } from "../src/accounts/encryption-check.ts";
import { systemClock } from "../src/lib/clock.ts";
import { systemRandom } from "../src/lib/random.ts";
import { createSealer } from "../src/lib/seal.ts";
import { openPostgresStore } from "../src/store/postgres/open.ts";
import { type SharedCluster, shareCluster } from "../test/kit/servers/postgres.ts";
import { type Child, startChild } from "../test/kit/process/child.ts";
import { newFolder } from "../test/kit/folder.ts";
import { BIN } from "../test/kit/process/running.ts";
import { eventually, soon } from "../test/kit/wait.ts";

let cluster: SharedCluster;

before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

const serve = (env: Readonly<Record<string, string>>): Child =>
  startChild({ args: [BIN, "serve"], env: { BELLWIRE_PORT: "0", ...env } });

const isRunning = ({ err }: Child): boolean => err.text.includes("Bellwire is running at");

const REFUSAL = /made with another encryption key\. Set BELLWIRE_ENCRYPTION_KEY to that key/;

test("with keys of their own: the first one's holds, and the others refuse", async () => {
  using folder = newFolder();
  const database = { BELLWIRE_DATABASE: await cluster.createDatabase() };
  await using processes = new AsyncDisposableStack();
  const nodes = ["a", "b", "c"].map((name) =>
    processes.use(serve({ ...database, BELLWIRE_DATA_DIR: join(folder.path, name) })),
  );
  const ended: Child[] = [];
  for (const node of nodes) void node.exited.then(() => ended.push(node));
  await eventually("one runs, and the others have ended", async () => ended.length === 2 && nodes.some(isRunning));
  for (const node of ended) {
    assert.equal((await soon(node.exited, "its end")).code, 1);
    assert.match(node.err.text, REFUSAL);
    assert.ok(!isRunning(node));
  }
});

test("at the very same moment: one key is taken, whichever", async () => {
  const url = await cluster.createDatabase();
  const open = () => openPostgresStore({ url, clock: systemClock });
  await using one = (await open()).store;
  await using other = (await open()).store;
  const sealers = [1, 2].map((byte) => createSealer(new Uint8Array(32).fill(byte), systemRandom));
  const checks = await Promise.allSettled(
    [one, other].map((store, place) => checkEncryptionKey(store, sealers[place] ?? assert.fail())),
  );
  const refused = checks.filter((check) => check.status === "rejected");
  assert.equal(refused.length, 1);
  assert.match(String(refused[0]?.reason), REFUSAL);
});

test("with the same keys: all run, and one greets", async () => {
  using folder = newFolder();
  const shared = {
    BELLWIRE_DATABASE: await cluster.createDatabase(),
    BELLWIRE_DATA_DIR: folder.path,
    BELLWIRE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    BELLWIRE_API_KEY: "intake-key-of-every-node",
  };
  await using processes = new AsyncDisposableStack();
  const nodes = [1, 2, 3].map(() => processes.use(serve(shared)));
  await Promise.all(nodes.map(({ err }) => err.match(/^Bellwire is running at /)));
  await eventually("a node greets", async () => nodes.some(({ err }) => err.text.includes("Sign-in link")));
  for (const node of nodes) {
    node.kill("SIGTERM");
    assert.equal((await soon(node.exited, "its end")).code, 0);
  }
  assert.equal(nodes.filter(({ err }) => err.text.includes("This is its first start")).length, 1);
  const secrets = await cluster.query(shared.BELLWIRE_DATABASE, "select account_id from bellwire.verification_secrets");
  assert.deepEqual(secrets, [{ account_id: "main" }]);
});
