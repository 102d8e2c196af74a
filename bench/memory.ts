/**
 * `npm run bench -- memory`: the most memory that a node takes where that could grow. 10,000 accounts with a
 * destination each all get webhooks; then records of 0.9 MB go to receivers that take 4 s. Each runs with the heap that
 * Node chooses on this machine, and with the heap that our image gives a node. `--quick` has fewer records; `many` or
 * `large` runs one of the two.
 *
 * Ends with 1 when a node with the image's heap takes more than the memory that we document, or ends by itself.
 */
import { randomUUID } from "node:crypto";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "undici";
import { conversationRecord } from "../test/kit/process/records.ts";
import { BIN, type Running, startService } from "../test/kit/process/running.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { HEAP_OPTIONS } from "../tools/release/program.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { ASSISTANT, findAccount, setUpDestinations } from "./many-destinations.ts";

const SHARE = process.argv.includes("--quick") ? 0.3 : 1;
const DESTINATIONS = 10_000 * SHARE;
/** To each destination. */
const ROUNDS = 3;
const LARGE_BYTES = 900_000;
const LARGE_RECORDS = 400 * SHARE;
const SLOW_MS = 4_000;
const CALLERS = 16;
const SAMPLE_MS = 50;
/** The limit in compose.yaml and ops/kubernetes, and in docs/size.md. */
const RSS_MB_GATE = 512;
const HEAP_FLAGS = HEAP_OPTIONS.split(" ");

interface Case {
  readonly name: string;
  readonly destinations: number;
  readonly answerMs: number;
  readonly records: number;
  readonly bytes: number;
  readonly heap: "any" | "image";
}

const many = { name: `${DESTINATIONS} destinations`, destinations: DESTINATIONS, answerMs: 0, bytes: 0 };
const large = { bytes: LARGE_BYTES, answerMs: SLOW_MS };
const one = { ...large, name: "0.9 MB to 1 slow receiver", destinations: 1, records: LARGE_RECORDS };
const spread = { ...large, name: "0.9 MB to 300 slow ones", destinations: 300, records: 2 * LARGE_RECORDS };
const CASES: readonly Case[] = [
  { ...many, records: DESTINATIONS * ROUNDS, heap: "any" },
  { ...many, records: DESTINATIONS * ROUNDS, heap: "image" },
  { ...one, heap: "any" },
  { ...one, heap: "image" },
  { ...spread, heap: "any" },
  { ...spread, heap: "image" },
];

const folder = newDiskFolder("memory");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log("\n| Case | heap | accepted | refused | RSS at most | heap used at the end | CPU s |");
console.log("|---|---|---|---|---|---|---|");
let isKept = true;
for (const [place, each] of CASES.filter(isAsked).entries())
  isKept = (await measure(each, join(folder, String(place)))) && isKept;
console.log(`\ngate ${RSS_MB_GATE} MB with the image's heap: ${isKept ? "kept" : "MISSED"}`);
process.exit(isKept ? 0 : 1);

function isAsked({ bytes }: Case): boolean {
  const asked = process.argv.find((word) => word === "many" || word === "large");
  return asked === undefined || bytes > 0 === (asked === "large");
}

async function measure(each: Case, dataDir: string): Promise<boolean> {
  await using receiver = await startReceiver({ delayMs: each.answerMs });
  const urls = Array.from({ length: each.destinations }, () => receiver.url);
  await setUpDestinations(dataDir, urls);
  const heap = each.heap === "any" ? [] : HEAP_FLAGS;
  const output = openSync(join(folder, "log"), "a");
  await using service = await startService({ dataDir, program: [...heap, BIN, "serve"], output });
  const before = readRssMb(service, "VmRSS");
  const { accepted, refused } = await postAll(service, each);
  const peakMb = readRssMb(service, "VmHWM");
  const { text } = await service.get("/metrics");
  const used = Number(/^nodejs_heap_size_used_bytes (\d+)/m.exec(text)?.[1]) / 1024 ** 2;
  const cpu = Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]).toFixed(1);
  const rss = `${peakMb.toFixed(0)} MB (${before.toFixed(0)} at the start)`;
  const cells = [each.name, each.heap, accepted, refused, rss, `${used.toFixed(0)} MB`, cpu];
  console.log(`| ${cells.join(" | ")} |`);
  return each.heap === "any" || peakMb <= RSS_MB_GATE;
}

/** Each record to the next account. What is refused with 503 or 429 is what a bound looks like from outside. */
async function postAll(service: Running, { destinations, records, bytes }: Case) {
  const pool = new Pool(service.url, { connections: CALLERS });
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const counts = { accepted: 0, refused: 0 };
  let next = 0;
  const call = async (): Promise<void> => {
    for (let number = next++; number < records; number = next++) {
      const path = `/v1/accounts/${findAccount(number % destinations)}/chat-conversations`;
      const { statusCode, body } = await pool.request({ method: "POST", path, headers, body: makeRecord(bytes) });
      const text = await body.text();
      if (statusCode === 202) counts.accepted += 1;
      else if (statusCode === 503 || statusCode === 429) counts.refused += 1;
      else throw new Error(`${statusCode} ${text.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  await new Promise((resolve) => setTimeout(resolve, 20 * SAMPLE_MS));
  await pool.destroy();
  return counts;
}

function makeRecord(bytes: number): string {
  const record = JSON.parse(conversationRecord(randomUUID(), ASSISTANT)) as Record<string, unknown>;
  if (bytes === 0) return JSON.stringify(record);
  const { mode: _mode, messages: _messages, ...rest } = record;
  return JSON.stringify({ ...rest, transcript: `[Text mode]\n\nUser: ${"x".repeat(bytes)}`, message_count: 1 });
}

function readRssMb({ child }: Running, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
}
