/**
 * `npm run chaos`: the service as a real process, under load, while the world around it fails; with `-- --store
 * postgres` as three nodes on a real PostgreSQL. One line a scenario; ends with 1 when a promise was broken. `--only
 * kills` runs one of them, `--quick` all of them shortened, `--times 20` with 20 kills, stops, restarts or moves of
 * accounts, `--seed 7` another order of them. `--bridge nats` is about a bridge from that broker, and
 * `--citus postgres://…` about moves of schemas and accounts on that Citus, which is this run's alone.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BRIDGES, bridgeScenarios } from "./bridge.ts";
import { fewFiles } from "./few-files.ts";
import { freeze } from "./freeze.ts";
import { jumps } from "./jumps.ts";
import { network } from "./network.ts";
import { soon } from "../test/kit/wait.ts";
import { clocks } from "./postgres/clocks.ts";
import { cut } from "./postgres/cut.ts";
import { freeze as freezeNode } from "./postgres/freeze.ts";
import { jumps as jumpNode } from "./postgres/jumps.ts";
import { kills as killNodes } from "./postgres/kills.ts";
import { restarts as restartDatabase } from "./postgres/restarts.ts";
import { kills, stops } from "./restarts.ts";
import type { Outcome, Scenario } from "./scenario.ts";
import { shardAway, shardHangs } from "./shards/away.ts";
import { moves, movesOnCitus, movesOnTwo } from "./shards/moves.ts";
import { schemaMoves } from "./shards/schema-moves.ts";
import { smallDisk } from "./small-disk.ts";

const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  sqlite: [kills, stops, freeze, jumps, network, smallDisk, fewFiles],
  postgres: [killNodes, restartDatabase, cut, freezeNode, clocks, jumpNode, moves, movesOnTwo, shardAway, shardHangs],
};

const OPTIONS = {
  store: { type: "string", default: "sqlite" },
  bridge: { type: "string" },
  citus: { type: "string" },
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  times: { type: "string" },
  seed: { type: "string" },
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
  readonly seed?: number;
  readonly chosen: readonly Scenario[];
}

function readArguments(): Arguments {
  try {
    const { store, bridge, citus, only, quick, times, seed } = parseArgs({ options: OPTIONS }).values;
    const scenarios = listScenarios({ store, bridge, citus });
    const found = scenarios.filter(({ name }) => only === undefined || name === only);
    const names = scenarios.map(({ name }) => name).join(", ");
    if (found.length === 0) wrong(`with ${bridge ?? store} there are: ${names}`);
    return { isQuick: quick, ...readNumber({ times }), ...readNumber({ seed }), chosen: found };
  } catch (error) {
    const what = `--store ${Object.keys(SCENARIOS).join("|")} | --bridge ${BRIDGES.join("|")} | --citus address`;
    console.error(`${(error as Error).message}\nusage: chaos [${what}] [--only name] [--quick] [--times n] [--seed n]`);
    process.exit(2);
  }
}

interface Which {
  readonly store: string;
  readonly bridge: string | undefined;
  readonly citus: string | undefined;
}

function listScenarios({ store, bridge, citus }: Which): readonly Scenario[] {
  if (bridge !== undefined) return bridgeScenarios(bridge);
  if (citus !== undefined) return [schemaMoves(citus), movesOnCitus(citus)];
  return SCENARIOS[store] ?? wrong(`there is no store "${store}"`);
}

function readNumber(flag: Readonly<Record<string, string | undefined>>): Readonly<Record<string, number>> {
  const found = Object.entries(flag).filter((entry): entry is [string, string] => entry[1] !== undefined);
  for (const [name, text] of found) {
    if (!/^[1-9]\d{0,3}$/.test(text)) wrong(`--${name} takes a number, not "${text}"`);
  }
  return Object.fromEntries(found.map(([name, text]) => [name, Number(text)]));
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
