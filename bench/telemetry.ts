/**
 * `npm run bench -- telemetry`: what traces and metrics over OTLP cost, in CPU of the service for each delivery. The
 * same posts at the same rate with telemetry off, with every trace kept, and with one in ten, in turns, so that what
 * the machine does besides meets all of them. The collector is a process of its own and takes everything.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setUpAccount } from "../test/kit/process/account.ts";
import { ACCOUNT, type Running, startService } from "../test/kit/process/running.ts";
import { readCpuSeconds, describeMachine } from "./conditions.ts";
import type { FromLoad, ToLoad } from "./load.ts";
import { startPart } from "./part.ts";
import type { FromReceiver, ToReceiver } from "./receiver.ts";
import { demoName } from "./record.ts";

const DESTINATIONS = 8;
const CONNECTIONS = 32;
const RATE_PER_SECOND = 400;
const WARM_UP_MS = 2_000;
const MEASURED_MS = 6_000;
const ROUNDS = 5;

const MODES: Readonly<Record<string, (collector: string) => Record<string, string>>> = {
  off: () => ({}),
  "one trace in ten": (collector) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.1",
  }),
  "every trace": (collector) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector }),
};

const root = join(import.meta.dirname, "..", "data");
mkdirSync(root, { recursive: true });
const folder = mkdtempSync(join(root, "bench-telemetry-"));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function run(): Promise<void> {
  using receiver = startPart<ToReceiver, FromReceiver>("receiver.ts");
  using load = startPart<ToLoad, FromLoad>("load.ts");
  using collector = startPart<object, { readonly port: number }>("collector.ts");
  const listening = await receiver.next();
  assert(listening.kind === "listening");
  const { port: collectorPort } = await collector.next();
  for (const line of describeMachine(folder)) console.log(`- ${line}`);
  console.log(
    `- ${RATE_PER_SECOND} posts/s to ${DESTINATIONS} destinations, ${MEASURED_MS / 1000} s, ${ROUNDS} rounds\n`,
  );
  const micros = new Map<string, number[]>();
  let first = 1;
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [mode, env] of Object.entries(MODES)) {
      const dataDir = join(folder, `${round}-${mode.replaceAll(" ", "-")}`);
      await using service = await startMeasured(dataDir, listening.port, env(`http://127.0.0.1:${collectorPort}`));
      const sendFor = async (durationMs: number): Promise<number> => {
        await receiver.ask({ kind: "expect", first, most: 100_000, stamp: false });
        const done = await load.ask({ kind: "open", ...jobFor(service), firstSequence: first, durationMs });
        first += done.records;
        const arrived = await receiver.ask({ kind: "await", count: done.records });
        assert(arrived.kind === "arrived" && arrived.count === done.records);
        return done.records;
      };
      await sendFor(WARM_UP_MS);
      const before = readCpu(service);
      const records = await sendFor(MEASURED_MS);
      micros.set(mode, [...(micros.get(mode) ?? []), ((readCpu(service) - before) * 1e6) / records]);
      if (round === 1) console.log(`${mode}: ${await readSpans(service)}`);
      assert.equal((await service.stop()).code, 0);
    }
  }
  print(micros);
}

async function startMeasured(dataDir: string, port: number, env: Record<string, string>): Promise<Running> {
  const numbers = Array.from({ length: DESTINATIONS }, (_, destination) => destination);
  const alerts = numbers.map((number) => ({ url: `http://127.0.0.1:${port}/in/${number}`, demos: [demoName(number)] }));
  await setUpAccount({ dataDir, alerts });
  return await startService({ dataDir, env, output: openSync(`${dataDir}.log`, "w") });
}

function jobFor({ url, apiKey }: Running) {
  const shape = { accounts: [ACCOUNT], destinations: DESTINATIONS, connections: CONNECTIONS, batch: 1 };
  return { ...shape, ports: [Number(new URL(url).port)], apiKey, ratePerSecond: RATE_PER_SECOND };
}

function readCpu({ child }: Running): number {
  return Object.values(readCpuSeconds(child.pid)).reduce((sum, seconds) => sum + seconds, 0);
}

async function readSpans(service: Running): Promise<string> {
  const { text } = await service.get("/metrics");
  const counts = [...text.matchAll(/^bellwire_telemetry_spans_total\{result="(\w+)"\} (\d+)$/gm)];
  return counts.map(([, result, count]) => `${count} spans ${result}`).join(", ") || "no spans";
}

function print(micros: ReadonlyMap<string, readonly number[]>): void {
  // The machine's other work only ever adds: the least is the nearest to the truth.
  const findLeast = (mode: string): number => Math.min(...(micros.get(mode) ?? []));
  console.log("\n| Telemetry | CPU µs per delivery, each round | least | ratio |");
  console.log("|---|---|---|---|");
  for (const [mode, values] of micros) {
    const each = values.map((value) => value.toFixed(0)).join(", ");
    const ratio = (findLeast(mode) / findLeast("off")).toFixed(2);
    console.log(`| ${mode} | ${each} | ${findLeast(mode).toFixed(0)} | ${ratio} |`);
  }
}
