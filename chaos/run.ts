/**
 * `npm run chaos`: the service as a real process, under load, while the world around it fails. One line a scenario;
 * ends with 1 when a promise was broken. `-- --only kills` runs one of them, `-- --quick` all of them shortened.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fewFiles } from "./few-files.ts";
import { freeze } from "./freeze.ts";
import { network } from "./network.ts";
import { atMost } from "./patience.ts";
import { kills, stops } from "./restarts.ts";
import type { Outcome, Scenario } from "./scenario.ts";
import { smallDisk } from "./small-disk.ts";

const SCENARIOS: readonly Scenario[] = [kills, stops, freeze, network, smallDisk, fewFiles];

const isQuick = process.argv.includes("--quick");
const chosen = chosenScenarios(process.argv.slice(2));
const root = mkdtempSync(join(tmpdir(), "bellwire-chaos-"));
let violations = 0;
for (const scenario of chosen) violations += (await holds(scenario)) ? 0 : 1;
rmSync(root, { recursive: true, force: true });
if (violations > 0) console.error(`\n${violations} of ${chosen.length} scenarios broke a promise`);
// Whatever a scenario that ran out of time has left behind is ended by this.
process.exit(violations > 0 ? 1 : 0);

function chosenScenarios(args: readonly string[]): readonly Scenario[] {
  const { only, wrong } = readArguments(args);
  const found = only === null ? SCENARIOS : SCENARIOS.filter(({ name }) => name === only);
  if (wrong === null && found.length > 0) return found;
  const names = SCENARIOS.map(({ name }) => name).join(", ");
  console.error(`${wrong ?? `there is no scenario "${only}"`}; usage: chaos [--quick] [--only ${names}]`);
  process.exit(2);
}

function readArguments(args: readonly string[]): { readonly only: string | null; readonly wrong: string | null } {
  const place = args.indexOf("--only");
  const only = place === -1 ? null : (args[place + 1] ?? "");
  const known = new Set(["--quick", "--only", only]);
  const unknown = args.find((argument) => !known.has(argument));
  return { only, wrong: unknown === undefined ? null : `"${unknown}" is not known` };
}

async function holds(scenario: Scenario): Promise<boolean> {
  const startedMs = performance.now();
  const line = (sign: string, text: string) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    console.log(`${sign} ${scenario.name.padEnd(8)} ${`${seconds}`.padStart(4)} s  ${text}`);
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
  return await atMost({ what: `the scenario "${name}" to end`, forMs: forMsMax }, run({ isQuick, folder }));
}
