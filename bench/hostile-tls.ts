/**
 * `npm run bench -- hostile-tls [--only "long chain"]`: what one account takes from the others when the work of the
 * event loop has the size that its receivers choose, or its own key. Each row is a real process of its own with two
 * accounts: one is posted to at a steady rate, and the other gets batches for webhooks that all lead to one hostile
 * receiver. Receivers are another process. Exit code 1 when a gate is missed.
 */
import { fork } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeAccount, makeWebhookForm } from "../test/kit/make.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { openApp, setUpAccount } from "../test/kit/process/account.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import { certify, makeWorkingSlowRsa } from "../test/kit/servers/costly-tls.ts";
import { toAlertDraft } from "../test/kit/world/alerts.ts";
import { makeSender, requestTo } from "../test/kit/world/sender.ts";
import { putAccount } from "../src/accounts/put-account.ts";
import { saveAlert } from "../src/accounts/save-alert.ts";
import { openCaller } from "./caller.ts";
import { describeMachine } from "./conditions.ts";
import { HOSTILE_TLS, type HostileTls, type HostileUrls, serveHostileTls } from "./hostile-tls-receivers.ts";
import { sessionRequest } from "./strangers-requests.ts";
import { demoViewed } from "../src/events/demo-viewed.ts";

const WINDOW_MS = 20_000;
const POSTS_PER_SECOND = 50;
const P99_RATIO_MAX = 1.5;
const WEBHOOKS = 2;
const BATCH = 40;
const BATCH_EVERY_MS = 5_000;
const WARM_UP_MS = 5_000;
const HOSTILE = "acct-hostile";
const ROUNDS = 3;
const KEY_BITS = 8_192;

if (process.argv.includes("--receivers")) await serveHostileTls();
else process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  const child = fork(import.meta.filename, ["--receivers"], { execArgv: [] });
  const urls = await new Promise<HostileUrls>((resolve) => {
    child.once("message", (message) => resolve(message as HostileUrls));
  });
  const folder = newDiskFolder("hostile-tls");
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  console.log(`- ${POSTS_PER_SECOND} posts/s, one at a time; ${BATCH} records every ${BATCH_EVERY_MS / 1000} s for`);
  console.log(`  ${WEBHOOKS} hostile webhooks\n`);
  const slowKey = makeWorkingSlowRsa(KEY_BITS);
  const client = { chain: certify(slowKey), key: slowKey.export({ type: "pkcs8", format: "pem" }) };
  console.log("| Receiver | CPU ms each | taken in 20 s, without and with | p50 ms | p99 ms | ratio |");
  console.log("|---|---|---|---|---|---|");
  const kept: boolean[] = [];
  const [, only = ""] = /--only (.+)/.exec(process.argv.join(" ")) ?? [];
  for (const what of HOSTILE_TLS.filter((name) => name.startsWith(only))) {
    const presented = what === "client key" ? client : null;
    const cpuMs = presented === null ? await readCost(urls[what], urls.ca) : timeSignature(presented.key);
    kept.push(await measureRow({ what, cpuMs, client: presented, urls, folder: join(folder, what.replace(" ", "-")) }));
  }
  child.disconnect();
  return kept.every(Boolean);
}

interface Row {
  readonly what: HostileTls;
  readonly cpuMs: number;
  readonly client: { readonly chain: string; readonly key: string } | null;
  readonly urls: HostileUrls;
  readonly folder: string;
}

async function measureRow({ what, cpuMs, client, urls, folder }: Row): Promise<boolean> {
  await setUpAccount({ dataDir: folder, alerts: [{ url: urls.honest }] });
  const authorities = join(folder, "authorities.pem");
  writeFileSync(authorities, urls.ca);
  const refused = await setUpHostile({ dataDir: folder, url: urls[what], client });
  await using service = await startService({
    dataDir: folder,
    env: { NODE_EXTRA_CA_CERTS: authorities },
    output: openSync(`${folder}.log`, "a"),
  });
  await postFor(service, WARM_UP_MS);
  const quiet = await postFor(service, WINDOW_MS);
  const stop = refused === null ? sendBatches(service) : () => {};
  const during = await postFor(service, WINDOW_MS);
  stop();
  const [before, now] = [quiet, during].map((waits) => waits.toSorted((a, b) => a - b));
  const at = (sorted: readonly number[] = [], share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  const ratio = at(now, 0.99) / at(before, 0.99);
  const pair = (share: number): string => `${at(before, share).toFixed(1)} → ${at(now, share).toFixed(1)}`;
  const cost = `${cpuMs.toFixed(1)}${refused === null ? "" : ", refused at save"}`;
  const cells = [what, cost, `${quiet.length} → ${during.length}`, pair(0.5), pair(0.99), ratio.toFixed(2)];
  console.log(`| ${cells.join(" | ")} |`);
  return ratio <= P99_RATIO_MAX;
}

interface HostileSetUp extends Pick<Row, "client"> {
  readonly dataDir: string;
  readonly url: string;
}

/** The reason when the service does not take such a webhook. */
async function setUpHostile({ dataDir, url, client }: HostileSetUp): Promise<string | null> {
  await using app = await openApp({ dataDir });
  await putAccount(app.accounts, makeAccount({ id: HOSTILE, name: "Hostile" }));
  const authentication = client === null ? null : { oauth: null, certificate: client };
  for (let nth = 0; nth < WEBHOOKS; nth += 1) {
    const draft = toAlertDraft({ accountId: HOSTILE, url, name: `hostile ${nth}` });
    const saved = await saveAlert(app.accounts, {
      ...draft,
      webhook: makeWebhookForm({ url, authentication }),
    });
    if (!saved.ok) return JSON.stringify(saved.error);
  }
  return null;
}

/** How long each call of the other account took. */
async function postFor({ url, apiKey }: Running, forMs: number): Promise<number[]> {
  const caller = await openCaller(Number(new URL(url).port));
  const waits: number[] = [];
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const startedMs = performance.now();
    const status = await new Promise<number>((resolve) => {
      caller.send(sessionRequest(apiKey, ACCOUNT), resolve);
    });
    if (status !== 202) throw new Error(`a record was answered ${status}`);
    const tookMs = performance.now() - startedMs;
    waits.push(tookMs);
    await pause(Math.max(0, 1000 / POSTS_PER_SECOND - tookMs));
  }
  caller.close();
  return waits;
}

function sendBatches({ url, apiKey }: Running): () => void {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/x-ndjson" };
  const send = (): void => {
    const lines = Array.from({ length: BATCH }, () =>
      JSON.stringify({ ...demoViewed.example, id: crypto.randomUUID() }),
    );
    const body = `${lines.join("\n")}\n`;
    void fetch(`${url}/v1/accounts/${HOSTILE}/demo-sessions`, { method: "POST", headers, body }).catch(() => {});
  };
  send();
  const timer = setInterval(send, BATCH_EVERY_MS);
  return () => clearInterval(timer);
}

/** The least of some tries, with what an honest request takes in it. */
async function readCost(url: string, ca: string): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using sender = makeSender({ tls: { ca }, deadlineMs: 15_000 });
    costs.push(await timeCpu(() => sender.send(requestTo(url))));
  }
  return Math.min(...costs);
}

async function timeCpu(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function timeSignature(key: string): number {
  const opened = createPrivateKey(key);
  const before = process.threadCpuUsage();
  sign("sha256", Buffer.alloc(32), opened);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
