/**
 * `bellwire doctor`: checks whether the service can run here, one line a check, with advice where something is wrong.
 * It sets nothing up and may run beside a service: whatever that service uses is left alone and reported as fine.
 */
import { resolve } from "node:path";
import { describeConfig, describePassedOver, readConfig } from "../../config/config.ts";
import { type Config, OPTIONS } from "../../config/options.ts";
import type { Env } from "../../lib/settings/option.ts";
import { createResolver } from "../../egress/resolver.ts";
import { systemClock } from "../../lib/clock.ts";
import { JSON_FLAG, JSON_HELP, readArguments, show } from "../arguments.ts";
import type { Command, CommandIo } from "../command.ts";
import { IF_ELSEWHERE, databaseWords, isInstalled } from "../installation.ts";
import { type DoctorContext, type Finding, bad, fine, warning } from "./finding.ts";
import { checkKeys } from "./keys.ts";
import { checkMail, checkEgress, checkListening, checkNames, checkOperatorWebhook } from "./network.ts";
import { checkClock, checkSync, checkVersions } from "./machine.ts";
import { checkDatabase, checkDataFolder } from "./storage.ts";

const HELP = `Usage: bellwire doctor [--json]

Checks versions, settings, keys, database, disk, clock, name resolution and port, and explains what webhooks may call.
Exit code 1 when something keeps the service from running: a line that starts with ✗.

${JSON_HELP}`;

export const doctor: Command = async (io) => {
  const given = readArguments(io, HELP, JSON_FLAG);
  if (given.kind === "done") return given.exitCode;
  const ctx = { clock: systemClock, resolver: createResolver({ clock: systemClock }) };
  return await (given.values.json ? examineForProgram : examine)(io, ctx);
};

/** Everything that was found, when all is done. */
async function examineForProgram(io: CommandIo, ctx: DoctorContext): Promise<number> {
  const findings: Finding[] = [];
  const silent = { ...io, out: () => {} };
  const code = await examine(silent, ctx, (finding) => void findings.push(finding));
  show(io, true, { value: { can_run: code === 0, findings }, lines: () => [] });
  return code;
}

/** Runs every check that the settings allow, and prints each result at once. */
export async function examine(
  io: CommandIo,
  ctx: DoctorContext,
  onFinding: (finding: Finding) => void = (finding) => print(io, finding),
): Promise<number> {
  const config = readConfig(io.env);
  io.out(describeInstallation(config.ok ? config.value : null, io.env));
  const startedAt = { wallMs: ctx.clock.nowMs(), monotonicMs: ctx.clock.monotonicMs() };
  let isHealthy = true;
  const tell = (findings: readonly Finding[]): void => {
    for (const finding of findings) {
      isHealthy &&= finding.level !== "bad";
      onFinding(finding);
    }
  };
  tell(checkVersions());
  tell(describePassedOver(io.env).map((line) => warning(line)));
  if (config.ok) {
    tell([fine("The settings are valid.", describeConfig(config.value).map(shownSetting))]);
    for (const check of CHECKS) tell(await check(config.value, ctx));
  } else {
    tell(config.error.map(({ path, message }) => bad(`${path} ${message}`)));
    io.err("The other checks need valid settings.");
  }
  // Last, so that it compares the two clocks over the time that everything else took.
  tell(checkClock(ctx.clock, startedAt));
  io.out("");
  if (!isHealthy) io.out("Bellwire cannot run here yet: see the lines with ✗.");
  else if (config.ok && !isInstalled(config.value))
    io.out(`No service has started here yet; one could. ${IF_ELSEWHERE}`);
  else io.out("Bellwire can run here.");
  return isHealthy ? 0 : 1;
}

/** First, so that nobody takes the findings for those of another one. */
function describeInstallation(config: Config | null, env: Env): string {
  // Of settings that are not valid nothing but the folder is known.
  const folder = config?.dataDir ?? (env[OPTIONS.dataDir.variable] || OPTIONS.dataDir.default);
  const self = process.getuid?.();
  const parts = [
    `data folder ${resolve(folder)}`,
    ...(config === null ? [] : [`database ${databaseWords(config)}`]),
    ...(self === undefined ? [] : [`as uid ${self}`]),
  ];
  return `Installation: ${parts.join(", ")}.`;
}

const CHECKS: readonly ((config: Config, ctx: DoctorContext) => readonly Finding[] | Promise<readonly Finding[]>)[] = [
  checkDataFolder,
  checkKeys,
  checkDatabase,
  checkSync,
  checkEgress,
  checkNames,
  checkListening,
  checkMail,
  checkOperatorWebhook,
];

const shownSetting = ({ variable, shown }: { readonly variable: string; readonly shown: string }): string =>
  `${variable.padEnd(36)} ${shown}`;

const MARKS = { fine: "✓", warning: "!", bad: "✗" } as const;

function print(io: CommandIo, { level, text, details }: Finding): void {
  io.out(`${MARKS[level]} ${text}`);
  for (const line of details) io.out(`    ${line}`);
}
