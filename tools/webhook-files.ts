/**
 * Which files one webhook runs through, from the record's socket to the settled attempt: `npm run webhook-files`, for
 * SQLite and PostgreSQL; `-- --list` names them.
 *
 * V8 says in a warm process which functions ran during each of a few webhooks; a file counts when it ran in all of
 * them. SQLite's store is in memory, so that its verbs run on the thread that is counted.
 */
import { randomUUID } from "node:crypto";
import { Session } from "node:inspector/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { putAccount } from "../src/accounts/put-account.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { startCluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { soon } from "../test/kit/wait.ts";
import { createAlert } from "../test/kit/world/alerts.ts";
import { API_KEY, createTestApp } from "../test/kit/world/app-under-test.ts";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
const ACCOUNT = "acct-1";
const WARM_UP = 20;
/** What a node does now and then beside the webhook is not in each of them. */
const COUNTED = 5;
/** Long enough for the settlement's commit, which follows the receiver's answer. */
const SETTLED_MS = 100;

const { values } = parseArgs({ options: { list: { type: "boolean", default: false } } });

report("SQLite", await countFiles("sqlite::memory:"));
{
  await using cluster = await startCluster();
  report("PostgreSQL", await countFiles(await cluster.createDatabase()));
}

function report(store: string, files: readonly string[]): void {
  console.log(`${store.padEnd(12)} ${files.length} files`);
  if (values.list) for (const file of files) console.log(`  ${file}`);
}

async function countFiles(database: string): Promise<readonly string[]> {
  await using receiver = await startReceiver();
  await using scene = await createTestApp({ BELLWIRE_DATABASE: database, BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" });
  const { publicUrl } = await scene.app.start();
  const account = { id: ACCOUNT, name: "Example", plan: "starter", appUrl: "https://app.example.com" } as const;
  await putAccount(scene.app.accounts, account);
  await createAlert(scene.app.accounts, { accountId: ACCOUNT, url: receiver.url });

  const deliver = async (number: number): Promise<void> => {
    await post(publicUrl);
    await soon(receiver.received(number), `webhook ${number}`);
    await sleep(SETTLED_MS);
  };
  for (let number = 1; number <= WARM_UP; number += 1) await deliver(number);

  let common: ReadonlySet<string> | null = null;
  for (let number = WARM_UP + 1; number <= WARM_UP + COUNTED; number += 1) {
    const files = await findRunFiles(() => deliver(number));
    common = common === null ? files : files.intersection(common);
  }
  return [...(common ?? [])].toSorted();
}

/** The product's files of which a function ran meanwhile. */
async function findRunFiles(work: () => Promise<void>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const paths = result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .map(({ url }) => (url.startsWith("file:") ? fileURLToPath(url) : ""))
    .filter((path) => path.startsWith(SOURCES))
    .map((path) => path.slice(SOURCES.length));
  return new Set(paths);
}

async function post(serviceUrl: string): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const body = sessionRecord(randomUUID());
  const answer = await fetch(`${serviceUrl}/v1/accounts/${ACCOUNT}/demo-sessions`, { method: "POST", headers, body });
  await answer.text();
  if (answer.status !== 202) throw new Error(`the service answered ${answer.status}`);
}
