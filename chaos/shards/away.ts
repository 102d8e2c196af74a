/**
 * One of two servers is gone for two minutes under load: it dies by `kill -9`, or it hangs. Accounts on the other one
 * notice nothing. When it is back, what was acknowledged arrives, and nobody has done anything.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { type Load, readSourceId, type TimedAcknowledged } from "../../test/kit/process/oracle.ts";
import type { Receiver } from "../../test/kit/servers/receiver.ts";
import { pause } from "../../test/kit/wait.ts";
import { kept, type Scenario } from "../scenario.ts";
import { onTwoServers, runShards } from "./installation.ts";
import { concludeShards, drainShards, loadShards, openShardsScene, type ShardsScene } from "./scene.ts";
import type { Server } from "./servers.ts";

const ACCOUNTS = 8;
const WHOLE = { warmMs: 10_000, besideMs: 45_000, awayMs: 120_000 };
const QUICK = { warmMs: 5_000, besideMs: 5_000, awayMs: 10_000 };
/** As a back end does that heeds `Retry-After`. */
const AGAIN_MS = 1_000;
/** The aim is 1.2, and this machine has other work: more than that is a promise broken. */
const RATIO_MAX = 2;
/** A quantile of so few milliseconds is noise. */
const NOISE_MS = 50;

interface Loss {
  readonly how: string;
  readonly lose: (server: Server) => Promise<void>;
  readonly giveBack: (server: Server) => Promise<void>;
}

const away = (name: string, loss: Loss): Scenario => ({
  name,
  forMsMax: 900_000,
  async run({ folder, isQuick }) {
    await using scene = await openShardsScene(folder, ACCOUNTS, onTwoServers);
    const { dataDir, installation, accounts } = scene;
    const [others, ofVictim] = [accounts.slice(ACCOUNTS / 2), accounts.slice(0, ACCOUNTS / 2)];
    const [, shard = assert.fail("one shard only")] = installation.shards;
    await runShards({ dataDir, database: installation.database }, "move", ...ofVictim, "--to", shard.name);
    await using stack = new AsyncDisposableStack();
    const loads = [others, ofVictim].map((ofLoad, place) => {
      mkdirSync(`${folder}/load-${place}`);
      const load = loadShards(`${folder}/load-${place}`, scene, { accounts: ofLoad, callers: 4, againMs: AGAIN_MS });
      stack.use(load.child);
      return load;
    });
    const phases = await passPhases(scene, { loads, loss, ...(isQuick ? QUICK : WHOLE) });
    const [acknowledged = NONE, ofAway = NONE] = await Promise.all(loads.map((load) => load.end()));
    const drainedMs = await drainShards(scene);
    const found = await concludeShards(scene, new Map([...acknowledged, ...ofAway]));
    assertRefused(ofAway, phases);
    const awayMs = isQuick ? QUICK.awayMs : WHOLE.awayMs;
    return kept(
      `one of two servers ${loss.how} for ${awayMs / 1000} s: ` +
        `${describeOthers(acknowledged, scene.receivers, phases)}; ` +
        `${found.acknowledged} acknowledged, ${found.deliveries} deliveries, 0 lost, ${found.duplicates} sent twice, ` +
        `all explained; nobody did anything, drained ${(drainedMs / 1000).toFixed(1)} s after the load`,
    );
  },
});

export const shardAway = away("shard-away", {
  how: "killed",
  lose: (server) => server.kill(),
  giveBack: (server) => server.start(),
});

export const shardHangs = away("shard-hangs", {
  how: "hanging",
  lose: async (server) => await Promise.resolve(server.freeze()),
  giveBack: async (server) => await Promise.resolve(server.thaw()),
});

const NONE: TimedAcknowledged = new Map();

interface Phases {
  readonly before: Phase;
  readonly meanwhile: Phase;
  readonly after: Phase;
}

interface Phase {
  readonly fromMs: number;
  readonly toMs: number;
}

interface PassPhases {
  readonly loads: readonly Load[];
  readonly loss: Loss;
  readonly warmMs: number;
  readonly besideMs: number;
  readonly awayMs: number;
}

async function passPhases(scene: ShardsScene, { loads, loss, ...lengths }: PassPhases): Promise<Phases> {
  const [, server = assert.fail("one server only")] = scene.installation.servers;
  async function pass(forMs: number): Promise<Phase> {
    const fromMs = Date.now();
    for (let leftMs = forMs; leftMs > 0; leftMs = fromMs + forMs - Date.now()) {
      const passing = pause(Math.min(leftMs, 1_000));
      await Promise.all(loads.map((load) => load.during(passing)));
    }
    return { fromMs, toMs: Date.now() };
  }
  await pass(lengths.warmMs);
  const before = await pass(lengths.besideMs);
  const lostMs = Date.now();
  await loss.lose(server);
  const meanwhile = await pass(lengths.awayMs);
  await loss.giveBack(server);
  const after = await pass(lengths.besideMs);
  scene.troubles.push({ holder: "*", fromMs: lostMs, toMs: after.toMs });
  return { before, meanwhile, after };
}

/** What was first sent while it was away waited for its return, and was taken soon after. */
function assertRefused(ofAway: TimedAcknowledged, { meanwhile }: Phases): void {
  const records = [...ofAway.values()].filter((record) => isIn(record, meanwhile));
  const taken = records.filter(({ startedAtMs, tookMs }) => startedAtMs + tookMs < meanwhile.toMs - AGAIN_MS);
  // It was noticed a moment later.
  const late = taken.filter(({ startedAtMs }) => startedAtMs > meanwhile.fromMs + AGAIN_MS);
  assert.equal(late.length, 0, "posts were taken for accounts whose server was away");
  assert.ok(records.length > 0, "nothing was posted for accounts whose server was away: nothing was shown");
}

const isIn = ({ startedAtMs }: { readonly startedAtMs: number }, { fromMs, toMs }: Phase): boolean =>
  startedAtMs >= fromMs && startedAtMs < toMs;

function describeOthers(acknowledged: TimedAcknowledged, receivers: readonly Receiver[], phases: Phases): string {
  const arrivals = new Map<string, number>();
  for (const { body, atMs } of receivers.flatMap(({ requests }) => requests)) {
    const id = readSourceId(body);
    arrivals.set(id, Math.min(arrivals.get(id) ?? Infinity, atMs));
  }
  const intake = compare("intake", phases, (phase) =>
    [...acknowledged.values()].filter((record) => isIn(record, phase)).map(({ tookMs }) => tookMs),
  );
  const arrival = compare("arrival", phases, (phase) =>
    [...acknowledged]
      .filter(([, record]) => isIn(record, phase))
      .flatMap(([id, { startedAtMs }]) => (arrivals.has(id) ? [(arrivals.get(id) ?? 0) - startedAtMs] : [])),
  );
  return `others: ${intake}; ${arrival}`;
}

/** p99 before, meanwhile and afterwards. */
function compare(what: string, { before, meanwhile, after }: Phases, list: (phase: Phase) => number[]): string {
  const [first = 0, second = 0, third = 0] = [before, meanwhile, after].map((phase) => p99(list(phase)));
  assert.ok(
    second <= Math.max(first * RATIO_MAX, first + NOISE_MS),
    `others' ${what} p99 went from ${first} to ${second} ms`,
  );
  return `${what} p99 ${first} ms before, ${second} meanwhile (x ${(second / first).toFixed(2)}), ${third} afterwards`;
}

function p99(times: readonly number[]): number {
  assert.ok(times.length > 0, "nothing was measured");
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}
