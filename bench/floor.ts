/**
 * `npm run bench -- floor`: what a webhook costs a forwarder of a few lines, made of `node:http` and undici alone,
 * under the loads of the path's bench. Bellwire spends the rest on checking, deciding, storing, telling and retrying.
 * No code of ours can cost less than the forwarder, as long as both libraries carry the requests.
 */
import { parseArgs } from "node:util";
import { tmpdir } from "node:os";
import { ACCOUNT } from "../test/kit/process/running.ts";
import { describeMachine } from "./conditions.ts";
import type { FromForwarder, ToForwarder } from "./floor/forwarder.ts";
import type { ToLoad } from "./load.ts";
import { startPart } from "./part.ts";
import { DESTINATIONS, LOADS, type PathLoad } from "./path/loads.ts";
import { head, row } from "./postgres/measurement.ts";
import { type Measured, type Rig, type Send, cpuOfThreads, measure, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: { turns: { type: "string", default: "2" }, seconds: { type: "string", default: "5" } },
});
const SPAN = { warmUpMs: 1_000, measuredMs: Number(values.seconds) * 1000 };

for (const line of describeMachine(tmpdir())) console.log(`- ${line}`);
console.log(
  `- ${SPAN.warmUpMs / 1000} s of warm-up, ${values.seconds} s measured, ${values.turns} turns: the cheaper one\n`,
);
head("Load", "Forwarder", "delivered/s", "µs main", "µs V8 and libuv", "µs in all");
for (const load of LOADS) {
  for (const signs of [false, true]) await printCheapest(load, signs);
}
process.exit(0);

async function printCheapest(load: PathLoad, signs: boolean): Promise<void> {
  const turns: Measured[] = [];
  for (let turn = 0; turn < Number(values.turns); turn += 1) turns.push(await measureOnce(load, signs));
  const [cheapest] = turns.toSorted((one, other) => microsOf(one).all - microsOf(other).all);
  if (cheapest === undefined) return;
  const { main, other, all } = microsOf(cheapest);
  const name = signs ? "reads and signs" : "forwards alone";
  row(load.name, name, ...[cheapest.deliveredPerSecond, main, other, all].map((value) => value.toFixed(0)));
}

async function measureOnce(load: PathLoad, signs: boolean): Promise<Measured> {
  using rig = await startRig();
  using forwarder = startPart<ToForwarder, FromForwarder>("floor/forwarder.ts");
  const { port } = await forwarder.ask({ port: rig.port, signs });
  const cpu = () => cpuOfThreads("node", forwarder.pid);
  return await measure(rig, { name: load.name, send: sendTo(rig, port, load), cpu, services: [] }, SPAN);
}

function sendTo(rig: Rig, port: number, { batch, connections, ratePerSecond }: PathLoad): Send {
  const target = { accounts: [ACCOUNT], apiKey: "none", ports: [port], destinations: DESTINATIONS };
  return (durationMs, firstSequence) => {
    const job = { ...target, batch, connections, firstSequence, durationMs };
    const load: ToLoad = ratePerSecond === null ? { kind: "closed", ...job } : { kind: "open", ...job, ratePerSecond };
    return rig.load.ask(load);
  };
}

function microsOf({ cpuMicros }: Measured): { readonly main: number; readonly other: number; readonly all: number } {
  const { "node main": main = 0, "node other": other = 0 } = cpuMicros;
  return { main, other, all: main + other };
}
