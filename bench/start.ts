/**
 * `npm run bench -- start [--postgres] [--turns 5]`: what a node costs before it does anything. In turns, the released
 * program (`npm run release`, with compiled code in a cache and the image's heap) and the sources of this repository:
 * the time and the CPU from the process's start to its first accepted record, and its memory (PSS) when it rests.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { BIN, startService } from "../test/kit/process/running.ts";
import { pause } from "../test/kit/wait.ts";
import { cpuSecondsOfFamily, describeMachine, readMemory } from "./conditions.ts";
import { startServer } from "./postgres-server.ts";
import { type Program, layOutReleased } from "./released.ts";

const { values } = parseArgs({
  options: { postgres: { type: "boolean", default: false }, turns: { type: "string", default: "5" } },
});
/** Long enough for a start's own work to end. */
const RESTED_MS = 8_000;

const folder = newDiskFolder("start");
const released = await layOutReleased(folder);
const sources: Program = { name: "sources", program: [BIN, "serve"], env: {} };

await using cluster = values.postgres ? await startServer() : null;
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log("\n| | ms to the first accepted record | CPU ms until then | PSS at rest, MB |\n|---|---|---|---|");
const all = new Map<string, Figures[]>();
// The first turn fills the cache.
for (let turn = 0; turn <= Number(values.turns); turn += 1) {
  for (const kind of [released, sources]) {
    const figures = await measure(kind, join(folder, `${kind.name}-${turn}`));
    if (turn > 0) all.set(kind.name, [...(all.get(kind.name) ?? []), figures]);
  }
}
for (const [name, figures] of all) {
  const cells = (["ms", "cpuMs", "pssMb"] as const).map((key) => median(figures.map((each) => each[key])).toFixed(0));
  console.log(`| ${[name, ...cells].join(" | ")} |`);
}
process.exit(0);

interface Figures {
  readonly ms: number;
  readonly cpuMs: number;
  readonly pssMb: number;
}

async function measure(kind: Program, dataDir: string): Promise<Figures> {
  const database = cluster === null ? {} : { database: await cluster.createDatabase() };
  await setUpAccount({ dataDir, ...database });
  const startedMs = performance.now();
  const env = { ...kind.env, ...(cluster !== null && { BELLWIRE_DATABASE: database.database ?? "" }) };
  await using service = await startService({ dataDir, program: kind.program, env });
  const { status } = await service.post("demo-sessions", sessionRecord(randomUUID()));
  if (status !== 202) throw new Error(`the first record was answered with ${status}`);
  const pid = service.child.pid;
  const figures = { ms: performance.now() - startedMs, cpuMs: cpuSecondsOfFamily(pid) * 1000 };
  await pause(RESTED_MS);
  const { pssMb } = readMemory(pid);
  await service.stop();
  return { ...figures, pssMb };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
