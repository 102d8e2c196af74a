/**
 * A rolling upgrade from a real older version, taken out of git: its node and a new one run on one database under
 * load, one after the other dies by `kill -9`, and then the older one is stopped for good. Each body that any of them
 * sends must be JSON under a signature that verifies.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { setUpAccount } from "../../test/kit/process/account.ts";
import { assertKept, createWitness, startLoad } from "../../test/kit/process/oracle.ts";
import { BIN, drained, freePort, type Running, startService } from "../../test/kit/process/running.ts";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually, pause } from "../../test/kit/wait.ts";
import { type Scenario, kept } from "../scenario.ts";

const REPOSITORY = join(import.meta.dirname, "..", "..");

/** 0.1.0, which reads no shortened bodies, and the last version whose leases do not say what their nodes read. */
const OLDER = {
  "0.1.0": { commit: "4d926a7", readsShort: false },
  "before schema 7": { commit: "c148f1b", readsShort: true },
} as const;

const KILLS = 20;
const QUICK_KILLS = 4;
const EVERY_MS = 3_000;
const LOAD = { callers: 6, pauseMs: 20, answerMsMax: 2_000 };
const SLOW_MS = 200;
/** A lease that a kill has left, a claim under it, and one more round. */
const RAISED_MS_MAX = 60_000;

export const upgrade: Scenario = {
  name: "upgrade",
  forMsMax: 1_200_000,
  async run({ folder, isQuick, times = isQuick ? QUICK_KILLS : KILLS }) {
    const found: string[] = [];
    for (const [name, { commit, readsShort }] of Object.entries(OLDER)) {
      const program = checkOut(join(folder, commit), commit);
      if (program === null) return { kind: "skipped", why: `git has no ${commit} here: fetch the whole history` };
      found.push(`${name}: ${await upgradeFrom({ folder: join(folder, commit), program, times, readsShort })}`);
    }
    return kept(found.join("; "));
  },
};

/** The program of that commit on today's packages; `null` where the history is not there. */
function checkOut(folder: string, commit: string): string | null {
  mkdirSync(folder);
  const archive = spawnSync("git", ["archive", commit], { cwd: REPOSITORY, maxBuffer: 2 ** 30 });
  if (archive.status !== 0) return null;
  assert.equal(spawnSync("tar", ["-x", "-C", folder], { input: archive.stdout }).status, 0);
  symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  return join(folder, "bin", "bellwire.js");
}

interface Upgrade {
  readonly folder: string;
  readonly program: string;
  readonly times: number;
  readonly readsShort: boolean;
}

async function upgradeFrom({ folder, program, times, readsShort }: Upgrade): Promise<string> {
  await using open = new AsyncDisposableStack();
  const cluster = open.use(await startCluster());
  const database = await cluster.createDatabase();
  const fast = open.use(await startReceiver());
  const slow = open.use(await startReceiver({ delayMs: SLOW_MS }));
  const dataDir = join(folder, "data");
  const ports = [await freePort(), await freePort()];
  const env = { BELLWIRE_LOG_LEVEL: "error", BELLWIRE_DATABASE: database, BELLWIRE_DRAIN_SECONDS: "1" };
  const start = async (place: number, isOld: boolean): Promise<Running> =>
    open.use(await startService({ dataDir, port: ports[place] ?? 0, env, program: [isOld ? program : BIN, "serve"] }));
  // The older one makes the database, and goes on while a newer program changes it.
  let old = await start(0, true);
  const assistants = { sales: fast.url, support: slow.url };
  const secret = await setUpAccount({ dataDir, database, alerts: [{ url: fast.url }], assistants });
  let fresh = await start(1, false);
  const load = startLoad(folder, [old, fresh], { ...LOAD, assistants: Object.keys(assistants) });
  open.use(load.child);
  for (let time = 0; time < times; time += 1) {
    await load.during(pause(EVERY_MS));
    if (time % 2 === 0) {
      await old.crash();
      old = await load.during(start(0, true));
    } else {
      await fresh.crash();
      fresh = await load.during(start(1, false));
    }
  }
  if (!readsShort) assert.equal(await countShortened(cluster, database), 0, "bodies that the older node cannot read");
  await old.crash();
  const successor = await load.during(start(0, false));
  const isRaised = async () => (await countShortened(cluster, database)) > 0;
  const raisedMs = await load.during(eventually("the newer form", isRaised, RAISED_MS_MAX));
  if (!readsShort)
    await assert.rejects(startService({ dataDir, env, program: [program, "serve"] }), "the older one starts again");
  const acknowledged = await load.end();
  await drained(fresh);
  for (const node of [fresh, successor]) await node.stop();
  const found = createWitness([fast, slow]).judge(acknowledged);
  assertKept(found);
  const sent = countVerified([fast, slow], secret);
  return (
    `${times} x kill -9, ${found.acknowledged} acknowledged, 0 lost, ${found.duplicates} sent twice, ${sent} ` +
    `requests of valid JSON that verify; the newer form ${(raisedMs / 1000).toFixed(1)} s after the older node's end`
  );
}

async function countShortened(cluster: Cluster, database: string): Promise<number> {
  const [row] = await cluster.query(database, COUNT_SHORTENED);
  return Number(row?.["count"]);
}

/** They begin with a mark below the blank. */
const COUNT_SHORTENED = "select count(*)::integer as count from bellwire.events where body < ' '";

function countVerified(receivers: readonly Receiver[], secret: string): number {
  const webhook = new Webhook(secret);
  const requests = receivers.flatMap((receiver) => receiver.requests);
  for (const { body, headers } of requests) {
    const text = body.toString("utf8");
    assert.deepEqual(webhook.verify(text, headers), JSON.parse(text));
  }
  return requests.length;
}
