/**
 * `npm run bench -- floor [--body <KiB>] [--store sqlite,postgres] [--turns 5] [--quick]`: what a webhook costs beside
 * the bare parts of its way (`floor/program.ts`) in the same run, and where the service's main thread spends what is
 * above them. Both get the same load, one after the other, turn after turn: sessions, or with `--body 64,256` records
 * of a declared type that are so large.
 *
 * The profile is of a run of its own, as it costs some of what it measures.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { readShares } from "./floor/profile.ts";
import { head, row } from "./markdown.ts";
import { startPart } from "./part.ts";
import { largeBodies, type PathLoad, LOADS, sendTo } from "./path/loads.ts";
import { type Arrangement, type Scene, startSubject, type StoreKind, targetOf } from "./path/subject.ts";
import { median, spread } from "./path/table.ts";
import { HERE } from "../test/kit/process/checkout.ts";
import { cpuOfServer, startServer } from "./postgres-server.ts";
import { cpuOfProcess, type Measured, measure, type Span, startRig } from "./rig.ts";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite,postgres" },
    turns: { type: "string", default: "5" },
    body: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
  },
});
const SPAN: Span = values.quick ? { warmUpMs: 300, measuredMs: 500 } : { warmUpMs: 500, measuredMs: 3_000 };
const PROFILED: Span = values.quick ? SPAN : { warmUpMs: 3_000, measuredMs: 8_000 };
const TURNS = values.quick ? 1 : Number(values.turns);
const SIZES = values.body === "" ? [] : values.body.split(",");
const ARRANGEMENT: Arrangement = SIZES.length === 0 ? "sessions" : "declared";
/** The floor takes single posts alone. */
const SINGLE =
  SIZES.length === 0
    ? LOADS.filter(({ batch, ratePerSecond }) => batch === 1 && ratePerSecond !== 500)
    : SIZES.map((kib) => largeBodies(Number(kib)));
const BUSIEST = SINGLE.at(-1) as PathLoad;
const SHARES_SHOWN = 16;
/** Rarer than Node does it: a service that is profiled must still count as idle. */
const SAMPLED_MICROS = 5_000;

const folder = newDiskFolder("floor");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(
  `- ${TURNS} turns of ${SPAN.measuredMs / 1000} s, median (least to most); 8 destinations, CPU of all processes`,
);
for (const store of ["sqlite", "postgres"] as const) if (values.store.includes(store)) await compare(store);
process.exit(0);

interface Floor extends AsyncDisposable {
  measure(load: PathLoad): Promise<Measured>;
}

async function compare(store: StoreKind): Promise<void> {
  using rig = await startRig();
  console.log(`\n## ${store}\n`);
  const scene = { rig, store, folder: join(folder, store) };
  mkdirSync(scene.folder);
  const floors = new Map<string, Measured[]>();
  const services = new Map<string, Measured[]>();
  {
    await using floor = await startFloor(scene);
    await using service = await startSubject({ name: "here", tree: HERE, arrangement: ARRANGEMENT }, scene);
    if (service === null) throw new Error("the service cannot be set up");
    await floor.measure(BUSIEST);
    await service.measure(BUSIEST, { span: PROFILED, turn: 0 });
    for (const load of SINGLE) {
      for (let turn = 0; turn < TURNS; turn += 1) {
        add(floors, load, await floor.measure(load));
        add(services, load, (await service.measure(load, { span: SPAN, turn })).measured);
      }
    }
  }
  head(
    "Load",
    "floor: delivered/s",
    "µs",
    "service: delivered/s",
    "µs",
    "floors",
    "of those µs after the last arrival",
  );
  for (const { name } of SINGLE) {
    const [floor = [], service = []] = [floors.get(name), services.get(name)];
    const ratios = service.map((each, turn) => toMicros(each) / toMicros(floor[turn] as Measured));
    const later = service.map(({ laterCpuMicros }) => sumOwn(laterCpuMicros));
    row(name, ...toCells(floor), ...toCells(service), spread(ratios, 2), spread(later, 0));
  }
  await printShares(
    scene,
    median((services.get(BUSIEST.name) ?? []).map(({ cpuMicros }) => cpuMicros["node main"] ?? 0)),
  );
}

function add(all: Map<string, Measured[]>, { name }: PathLoad, measured: Measured): void {
  all.getOrInsert(name, []).push(measured);
}

function toCells(turns: readonly Measured[]): string[] {
  const rates = turns.map(({ deliveredPerSecond }) => deliveredPerSecond);
  return [spread(rates, 0), spread(turns.map(toMicros), 0)];
}

function toMicros({ cpuMicros }: Measured): number {
  return sumOwn(cpuMicros);
}

/** Of everything but load and receiver, which are the same for both. */
function sumOwn({ load: _load, receiver: _receiver, ...own }: Readonly<Record<string, number>>): number {
  return Object.values(own).reduce((sum, micros) => sum + micros, 0);
}

async function startFloor({ rig, store, folder: near }: Scene): Promise<Floor> {
  await using started = new AsyncDisposableStack();
  const cluster = store === "postgres" ? started.use(await startServer()) : null;
  const where = (await cluster?.createDatabase()) ?? join(near, "floor.db");
  const env = { FLOOR_RECEIVER_PORT: String(rig.port), FLOOR_WHERE: where };
  const program = started.use(startPart<never, { readonly port: number }>("floor/program.ts", env));
  const { port } = await program.next();
  const server = cluster === null ? null : await cpuOfServer(cluster);
  const cpu = () => ({
    floor: cpuOfProcess(program.pid),
    ...(server === null ? {} : { server: server() }),
    load: cpuOfProcess(rig.load.pid),
  });
  const running = started.move();
  const target = targetOf(ARRANGEMENT);
  return {
    measure(load) {
      const send = sendTo(rig, { url: `http://127.0.0.1:${port}`, apiKey: "none" }, { ...load, target });
      return measure(rig, { name: load.name, send, cpu, services: [] }, SPAN);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function printShares(scene: Scene, micros: number): Promise<void> {
  const profiles = join(scene.folder, "profiles");
  // Sampling takes CPU of a service at rest, too.
  const here = { name: "here", tree: HERE, arrangement: ARRANGEMENT, idleSeconds: 0.5 };
  const near = { ...scene, folder: join(scene.folder, "profiled") };
  const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=${SAMPLED_MICROS} --cpu-prof-dir=${profiles}` };
  {
    await using service = await startSubject({ ...here, env }, near);
    await service?.measure(BUSIEST, { span: PROFILED, turn: 0 });
  }
  console.log(`\nThe service's main thread, ${micros.toFixed(0)} µs a webhook under ${BUSIEST.name}:\n`);
  head("Subsystem", "share", "µs");
  for (const { subsystem, share } of readShares(profiles).slice(0, SHARES_SHOWN)) {
    row(subsystem, `${(100 * share).toFixed(1)} %`, (share * micros).toFixed(1));
  }
}
