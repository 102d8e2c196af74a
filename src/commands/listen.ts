/**
 * `bellwire listen`: a receiver on this machine that verifies and prints each webhook, for people who build their own.
 * It can fail on purpose, and post a saved webhook instead of listening.
 */
import { accessSync, constants } from "node:fs";
import { SECRET_PREFIX } from "../domain/signature.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { pasteFault } from "../lib/pasted.ts";
import { systemClock } from "../lib/clock.ts";
import { webhookDetails, webhookLine } from "../receiver/print-webhook.ts";
import { type Behaviour, type ReceivedWebhook, type Receiver, startReceiver } from "../receiver/receiver.ts";
import { saveWebhook } from "../receiver/save-webhook.ts";
import { misuse, readArguments, wholeNumberFlag } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { type ChooseBehaviour, FAILING_FLAGS, FAILING_HELP, behaviourInWords, readFailing } from "./listen-failing.ts";
import { REPLAY_FLAGS, REPLAY_HELP, replay } from "./listen-replay.ts";
import { readFile } from "./read-file.ts";
import { faultCode } from "../lib/file-fault.ts";
import { readSettings } from "./start-up.ts";
import { makeFolder } from "../lib/make-folder.ts";

const HELP = `Usage: bellwire listen --secret-file path | --secret whsec_…
       bellwire listen --replay saved [--to url] [--secret-file path]

Receives webhooks on this machine, says of each whether it verifies and if not why, and answers 200 or 401.

  --secret-file path  file that holds the account's Webhook Verification Secret; while it is rotated, one a line
  --secret whsec_…    the secret itself; others on this machine can see it in the list of processes
  --port number       port to listen on (default 7071; 0 takes any that is free)
  --host address      address to listen on (default 127.0.0.1: only this machine can send)
  --save folder       keeps each body's exact bytes as <webhook-id>.json and its headers as <webhook-id>.headers
  --expand            prints headers and body of each webhook as well

To see what the service does then:
${FAILING_HELP}

To try a receiver that you are building:
${REPLAY_HELP}`;

const FLAGS = {
  secret: { type: "string", multiple: true },
  "secret-file": { type: "string" },
  port: { type: "string", default: "7071" },
  host: { type: "string", default: "127.0.0.1" },
  save: { type: "string" },
  expand: { type: "boolean", default: false },
  ...FAILING_FLAGS,
  ...REPLAY_FLAGS,
} as const;

interface ListenOptions {
  readonly secrets: readonly string[];
  readonly signatureHeader: string;
  readonly host: string;
  readonly port: number;
  /** `null` keeps nothing. */
  readonly folder: string | null;
  readonly expand: boolean;
  readonly choose: ChooseBehaviour;
}

export const listen: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { secret = [], "secret-file": secretFile, replay: saved, from, to, host, save, expand } = given.values;
  const port = wholeNumberFlag("--port", given.values.port, [0, 65_535]);
  if (!port.ok) return misuse(io, HELP, port.error);
  const choose = readFailing(given.values);
  if (!choose.ok) return misuse(io, HELP, choose.error);
  const secrets = readSecrets(secret, secretFile);
  if (!secrets.ok) return misuse(io, HELP, secrets.error);
  if (secrets.value.length === 0 && saved === undefined) return misuse(io, HELP, NO_SECRET);
  const folder = save === undefined ? ok(null) : openFolder(save);
  const config = readSettings(io);
  if (!folder.ok) io.err(folder.error);
  if (config === null || !folder.ok) return 1;
  const trust = { secrets: secrets.value, signatureHeader: config.signatureHeader };
  if (saved !== undefined) return await replay(io, { ...trust, saved, folder: from, to });
  const place = { host, port: port.value, folder: folder.value };
  return await run(io, { ...trust, ...place, expand, choose: choose.value });
};

const NO_SECRET = "listen needs the account's Webhook Verification Secret to verify with";

/** Starts the receiver and prints each webhook until the process is asked to stop. */
async function run(io: CommandIo, options: ListenOptions): Promise<number> {
  const receiver = await startReceiver({
    ...options,
    secrets: () => options.secrets,
    nowMs: () => systemClock.nowMs(),
    onWebhook: (webhook) => show(io, webhook, options),
    behave: () => announced(io, options.choose()),
  }).catch((error: unknown) => cannotListen(io, options, error));
  if (receiver === null) return 1;
  greet(io, receiver, options);
  await io.stopAsked;
  await receiver.stop();
  return 0;
}

function show(io: CommandIo, webhook: ReceivedWebhook, { folder, expand }: ListenOptions): void {
  io.out(webhookLine(webhook));
  if (expand) for (const line of webhookDetails(webhook)) io.out(line);
  if (folder === null) return;
  const saved = saveWebhook(folder, webhook);
  if (!saved.ok) io.err(saved.error);
}

/** Printed beside the webhook's line, which says what should have been answered. */
function announced(io: CommandIo, behaviour: Behaviour): Behaviour {
  const words = behaviourInWords(behaviour);
  if (words !== null) io.err(`  ${words}`);
  return behaviour;
}

/** Goes to standard error: standard output is for the webhooks, one line each, so that it can be piped on. */
function greet(io: CommandIo, receiver: Receiver, { folder }: ListenOptions): void {
  io.err(`Listening at ${receiver.url}; Ctrl-C ends it. Enter this as the Webhook URL.`);
  io.err(
    `A Bellwire on this machine calls it only when started with BELLWIRE_EGRESS_ALLOW=127.0.0.1/32:${receiver.port}`,
  );
  if (folder !== null) io.err(`Bodies and headers are kept in ${folder}`);
}

const LISTEN_ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: "Another program has this port.",
  EACCES: "Ports below 1024 need a permission.",
};

function cannotListen(io: CommandIo, { host, port }: ListenOptions, error: unknown): null {
  const code = faultCode(error);
  const advice = LISTEN_ADVICE[code] ?? "Is --host an address of this machine?";
  io.err(`Cannot listen on ${host}:${port} (${code}). ${advice} Choose another with --port or --host.`);
  return null;
}

/** A text that merely resembles a secret would make every webhook look forged, so its form is checked here. */
function readSecrets(given: readonly string[], file: string | undefined): Result<readonly string[], string> {
  const read = file === undefined ? ok(Buffer.alloc(0)) : readFile(file);
  if (!read.ok) return refuse(`--secret-file: ${file ?? ""} cannot be read (${read.error})`);
  const secrets = [...given, ...read.value.toString().split(/\s+/)].filter((secret) => secret !== "");
  if (file !== undefined && secrets.length === 0) return refuse(`--secret-file: there is no secret in ${file}`);
  const bad = secrets.find((secret) => !isSecret(secret));
  if (bad === undefined) return ok(secrets);
  const fault = pasteFault(bad, { kind: "token", isSecret: true });
  if (fault !== null) return refuse(`the Webhook Verification Secret ${fault}`);
  return refuse(`a Webhook Verification Secret is ${SECRET_PREFIX} and base64, exactly as the dashboard shows it`);
}

const isSecret = (text: string): boolean => /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(text);

function openFolder(path: string): Result<string, string> {
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK);
    return ok(path);
  } catch (error) {
    return refuse(`--save: ${path} cannot be used (${faultCode(error)}); name a folder that you may write to`);
  }
}
