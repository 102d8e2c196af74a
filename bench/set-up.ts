/**
 * `node bench/set-up.ts`: how long it takes to set up a chat assistant with its webhook, by how many the account has
 * already, through the verbs behind intake and dashboard, one after the other, on a file with full sync. CPU is what
 * both threads spend on one, which other work on the machine changes little.
 *
 * Ends with 1 when the thousandth costs more than half again as much CPU as one of the first.
 */
import { putAccount, putChatAssistant } from "../src/accounts/put-account.ts";
import { saveAssistantWebhook } from "../src/accounts/save-assistant-webhook.ts";
import type { App } from "../src/app.ts";
import { makeAccount, makeWebhookForm } from "../test/kit/make.ts";
import { openApp } from "../test/kit/process/account.ts";
import { describeMachine } from "./conditions.ts";
import { newDiskFolder } from "../test/kit/folder.ts";

const ASSISTANTS = 1_000;
const STEP = 200;
const GATE = 1.5;
const ACCOUNT = "acct-1";
const BY = { person: "bench", role: "owner" } as const;

const folder = newDiskFolder("set-up");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
await using app = await openApp({ dataDir: folder });
await putAccount(app.accounts, makeAccount({ id: ACCOUNT }));
// Compilation meanwhile does not count.
for (let number = 0; number < STEP; number += 1) await setUpOne(app, "acct-warm-up", number);
console.log("\n| Assistants in the account | ms each | CPU ms each |\n|---|---|---|");
const cpuMs: number[] = [];
for (let first = 0; first < ASSISTANTS; first += STEP) cpuMs.push(await measure(first));
const ratio = (cpuMs.at(-1) ?? Number.NaN) / (cpuMs[0] ?? Number.NaN);
const isKept = ratio <= GATE;
console.log(`\nthe last to the first ${ratio.toFixed(2)}; gate ${GATE}: ${isKept ? "kept" : "MISSED"}`);
process.exitCode = isKept ? 0 : 1;

async function measure(first: number): Promise<number> {
  const startedMs = performance.now();
  const cpuBefore = process.cpuUsage();
  for (let number = first; number < first + STEP; number += 1) await setUpOne(app, ACCOUNT, number);
  const { user, system } = process.cpuUsage(cpuBefore);
  const each = (user + system) / 1000 / STEP;
  const tookMs = (performance.now() - startedMs) / STEP;
  console.log(`| ${first + 1} to ${first + STEP} | ${tookMs.toFixed(2)} | ${each.toFixed(2)} |`);
  return each;
}

async function setUpOne({ accounts }: App, accountId: string, number: number): Promise<void> {
  const id = `assistant-${number}`;
  if (number === 0) await putAccount(accounts, makeAccount({ id: accountId, appUrl: "https://a.example" }));
  await putChatAssistant(accounts, accountId, { id, name: `Assistant ${number}` });
  const webhook = makeWebhookForm({
    url: `http://127.0.0.1:9/${number}`,
    headers: [{ name: "authorization", value: `Bearer ${number}`, secret: true }],
  });
  const saved = await saveAssistantWebhook(accounts, { accountId, assistantId: id, revision: null, webhook, by: BY });
  if (!saved.ok) throw new Error(JSON.stringify(saved.error));
}
