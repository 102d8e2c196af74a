/**
 * `npm run chaos`: the service as a real process, under load, while the world around it fails; with `-- --store
 * postgres` as three nodes on a real PostgreSQL. One line a scenario; ends with 1 when a promise was broken. `--only
 * kills` runs one of them, `--quick` all of them shortened, `--times 20` with 20 kills, stops or restarts. `--bridge
 * nats` is about a bridge from that broker.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BRIDGES, bridgeScenarios } from "./bridge.ts";
import { fewFiles } from "./few-files.ts";
import { freeze } from "./freeze.ts";
import { network } from "./network.ts";
import { soon } from "../test/kit/wait.ts";
import { clocks } from "./postgres/clocks.ts";
import { cut } from "./postgres/cut.ts";
import { freeze as freezeNode } from "./postgres/freeze.ts";
import { kills as killNodes } from "./postgres/kills.ts";
import { restarts as restartDatabase } from "./postgres/restarts.ts";
import { kills, stops } from "./restarts.ts";
import type { Outcome, Scenario } from "./scenario.ts";
import { smallDisk } from "./small-disk.ts";

const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  sqlite: [kills, stops, freeze, network, smallDisk, fewFiles],
  postgres: [killNodes, restartDatabase, cut, freezeNode, clocks],
};

const OPTIONS = {
  store: { type: "string", default: "sqlite" },
  bridge: { type: "string" },
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  times: { type: "string" },
} as const;

const { chosen, ...given } = readArguments();
const root = mkdtempSync(join(tmpdir(), "bellwire-chaos-"));
let violations = 0;
for (const scenario of chosen) violations += (await holds(scenario)) ? 0 : 1;
rmSync(root, { recursive: true, force: true });
if (violations > 0) console.error(`\n${violations} of ${chosen.length} scenarios broke a promise`);
// Whatever a scenario that ran out of time has left behind is ended by this.
process.exit(violations > 0 ? 1 : 0);

interface Arguments {
  readonly isQuick: boolean;
  readonly times?: number;
  readonly chosen: readonly Scenario[];
}

function readArguments(): Arguments {
  try {
    const { store, bridge, only, quick, times } = parseArgs({ options: OPTIONS }).values;
    const scenarios =
      bridge === undefined ? (SCENARIOS[store] ?? wrong(`there is no store "${store}"`)) : bridgeScenarios(bridge);
    const found = scenarios.filter(({ name }) => only === undefined || name === only);
    const names = scenarios.map(({ name }) => name).join(", ");
    if (times !== undefined && !/^[1-9]\d{0,3}$/.test(times)) wrong(`--times takes a number, not "${times}"`);
    if (found.length === 0) wrong(`with ${bridge ?? store} there are: ${names}`);
    const often = times === undefined ? {} : { times: Number(times) };
    return { isQuick: quick, ...often, chosen: found };
  } catch (error) {
    const what = `--store ${Object.keys(SCENARIOS).join("|")} | --bridge ${BRIDGES.join("|")}`;
    console.error(`${(error as Error).message}\nusage: chaos [${what}] [--only name] [--quick] [--times n]`);
    process.exit(2);
  }
}

function wrong(why: string): never {
  throw new Error(why);
}

async function holds(scenario: Scenario): Promise<boolean> {
  const startedMs = performance.now();
  const line = (sign: string, text: string) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    console.log(`${sign} ${scenario.name.padEnd(11)} ${`${seconds}`.padStart(4)} s  ${text}`);
  };
  try {
    const outcome = await runInFolder(scenario);
    if (outcome.kind === "skipped") line("-", `skipped: ${outcome.why}`);
    else line("✓", outcome.found);
    return true;
  } catch (error) {
    line("✗", error instanceof Error ? (error.stack ?? error.message) : String(error));
    return false;
  }
}

async function runInFolder({ name, run, forMsMax }: Scenario): Promise<Outcome> {
  const folder = join(root, name);
  mkdirSync(folder);
  return await soon(run({ ...given, folder }), `the scenario "${name}" to end`, forMsMax);
}
