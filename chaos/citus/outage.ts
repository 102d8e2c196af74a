/**
 * A worker dies by `kill -9` under load and is started again: its own accounts are refused with `Retry-After`
 * meanwhile, the others go on as before, and nothing that was acknowledged is lost.
 */
import assert from "node:assert/strict";
import { pause } from "../../test/kit/wait.ts";
import { type Outcome, type Scenario, type ScenarioOptions, kept, skipped } from "../scenario.ts";
import { type Answered, quantile } from "./callers.ts";
import { type CitusScene, WITHOUT, conclude, findPlaces, hasCitus, onWorker, openCitusScene } from "./scene.ts";
import { type ServerProcess, findServerProcess } from "./servers.ts";
import { countFailedCalls, untilTold } from "./worker-figures.ts";

const PHASE_MS = 30_000;
const QUICK_PHASE_MS = 8_000;

export const outage: Scenario = {
  name: "outage",
  forMsMax: 600_000,
  run: (options) => loseWorker(options, { lose: (server) => server.kill(), giveBack: (server) => server.start() }),
};

/** The same with a worker that hangs: its connections stay open, and nothing is answered. */
export const frozen: Scenario = {
  name: "frozen",
  forMsMax: 600_000,
  run: (options) =>
    loseWorker(options, { lose: async (server) => server.freeze(), giveBack: async (server) => server.thaw() }),
};

interface Loss {
  readonly lose: (server: ServerProcess) => Promise<void>;
  readonly giveBack: (server: ServerProcess) => Promise<void>;
}

async function loseWorker({ folder, isQuick }: ScenarioOptions, { lose, giveBack }: Loss): Promise<Outcome> {
  if (!hasCitus()) return skipped(WITHOUT);
  await using scene = await openCitusScene({ folder, isDistributed: true });
  const places = await findPlaces(scene);
  const workers = new Map([...places].map(([account, { worker }]) => [account, worker]));
  const [victim = ""] = new Set(workers.values());
  const server = await findServerProcess(onWorker(scene, victim));
  if (server === null) return skipped("the workers' processes are not on this machine");
  const phaseMs = isQuick ? QUICK_PHASE_MS : PHASE_MS;
  // Connections are opened and plans are made.
  await phase(scene, "warm", QUICK_PHASE_MS);
  await phase(scene, "before", phaseMs);
  await untilTold(scene, new Set());
  scene.callers.begin("outage");
  const lostMs = performance.now();
  await lose(server);
  let toldMs = 0;
  try {
    toldMs = await untilTold(scene, new Set([victim]));
    await pause(Math.max(0, lostMs + phaseMs - performance.now()));
  } finally {
    scene.callers.begin("back");
    await giveBack(server);
  }
  const backMs = await untilTold(scene, new Set());
  await pause(phaseMs);
  await assertOthersAnswered(scene, victim);
  const judged = await conclude(scene);
  return kept(
    `${victim} away for ${phaseMs / 1_000} s: ${judged}; ${describe(scene, workers, victim)}; ` +
      `metrics of each node said so after ${toldMs.toFixed(0)} ms, and that it was back after ${backMs.toFixed(0)} ms`,
  );
}

/** By the nodes' own metrics. */
async function assertOthersAnswered({ nodes }: CitusScene, victim: string): Promise<void> {
  const failed = await countFailedCalls(nodes);
  assert.ok((failed.get(victim) ?? 0) > 0, "metrics count no call that failed for want of the worker");
  const others = [...failed].filter(([worker, count]) => worker !== victim && count > 0);
  assert.deepEqual(others, [], "calls that failed for want of a worker that was there");
}

async function phase({ callers }: CitusScene, name: string, forMs: number): Promise<void> {
  callers.begin(name);
  await pause(forMs);
}

function describe({ callers }: CitusScene, workers: ReadonlyMap<string, string>, victim: string): string {
  const isVictim = ({ account }: Answered): boolean => workers.get(account) === victim;
  const of = (phaseName: string, pick: (answer: Answered) => boolean): Answered[] =>
    callers.answers.filter((answer) => answer.phase === phaseName && pick(answer));
  const others = (answer: Answered): boolean => !isVictim(answer);
  const p99 = (answers: readonly Answered[]): number =>
    quantile(
      answers.filter(({ status }) => status === 202).map(({ tookMs }) => tookMs),
      0.99,
    );
  const [before, during] = [of("before", others), of("outage", others)];
  const refused = of("outage", isVictim).filter(({ status }) => status === 503);
  assert.ok(refused.length > 0, "no account of the worker was refused: nothing was shown");
  assert.equal(refused.filter(({ retryAfter }) => retryAfter === undefined).length, 0, "refused without Retry-After");
  const notTaken = during.filter(({ status }) => status !== 202).map(({ status }) => status);
  assert.deepEqual(notTaken, [], "posts of accounts on other workers were not taken");
  const back = of("back", isVictim).filter(({ status }) => status === 202).length;
  assert.ok(back > 0, "its accounts did not come back");
  return (
    `its accounts: ${refused.length} x 503 with Retry-After, ${back} taken when it was back; others: ` +
    `${during.length} posts, all taken, ` +
    `p99 ${p99(before).toFixed(0)} ms before, ${p99(during).toFixed(0)} ms meanwhile, ` +
    `${p99(of("back", others)).toFixed(0)} ms afterwards`
  );
}
