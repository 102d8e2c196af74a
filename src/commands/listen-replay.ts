/**
 * `bellwire listen --replay`: posts a saved webhook (by `--save`, or by the demo) to a receiver on this machine, byte
 * for byte. With the secret it is signed anew for the present: a receiver that checks the time refuses an old one, as
 * it should.
 */
import { join } from "node:path";
import { signService, signStandard } from "../domain/signature.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { systemClock } from "../lib/clock.ts";
import { webhookWords } from "../receiver/print-webhook.ts";
import { terminalLines } from "../receiver/terminal-text.ts";
import type { CommandIo } from "./command.ts";
import { parseTargetHere, postHere } from "./post-here.ts";
import { readFile } from "./read-file.ts";

export const REPLAY_HELP = `  --replay saved      posts a saved webhook: a file, or a webhook-id in the folder of --from
  --from folder       where --save or the demo has kept it (default: this folder)
  --to url            the receiver, on this machine (default http://localhost:3000/webhooks)`;

export const REPLAY_FLAGS = {
  replay: { type: "string" },
  from: { type: "string", default: "." },
  to: { type: "string", default: "http://localhost:3000/webhooks" },
} as const;

export interface ReplayOptions {
  /** A file or a webhook-id. */
  readonly saved: string;
  readonly folder: string;
  readonly to: string;
  /** Empty: the webhook goes out with its original signatures. */
  readonly secrets: readonly string[];
  readonly signatureHeader: string;
}

type Header = readonly [name: string, value: string];

interface SavedWebhook {
  readonly body: Buffer;
  readonly headers: readonly Header[];
}

const ANSWER_LINES = { charsMax: 500, linesMax: 20 };

/** Prints the request and the answer. Returns 0 when the receiver took it. */
export async function replay(io: CommandIo, options: ReplayOptions): Promise<number> {
  const { to, secrets } = options;
  const webhook = prepare(options);
  if (!webhook.ok) {
    io.err(webhook.error);
    return 1;
  }
  io.out(webhookWords({ ...webhook.value, receivedAtMs: systemClock.nowMs() }));
  const answer = await postHere({ ...webhook.value, headers: joinHeaders(webhook.value.headers) });
  if (!answer.ok) {
    io.err(`${to} did not answer (${answer.error}). Is the receiver running, and is this its address?`);
    return 1;
  }
  const { status, text } = answer.value;
  const isTaken = status >= 200 && status <= 299;
  io.out(`${isTaken ? "✓" : "✗"} ${to} answered ${status}`);
  for (const line of terminalLines(text.trimEnd(), ANSWER_LINES)) if (line !== "") io.out(`    ${line}`);
  if (status === 401 && secrets.length === 0) io.err(TOO_OLD);
  return isTaken ? 0 : 1;
}

/** A name that stands twice is sent twice. */
function joinHeaders(headers: readonly Header[]): Record<string, string[]> {
  const joined: Record<string, string[]> = {};
  for (const [name, value] of headers) (joined[name] ??= []).push(value);
  return joined;
}

/** A refusal is a sentence. */
function prepare(options: ReplayOptions): Result<SavedWebhook & { readonly url: URL }, string> {
  const url = parseTargetHere(options.to);
  if (!url.ok) return url;
  const saved = readSaved(options);
  if (!saved.ok) return saved;
  const { body } = saved.value;
  const headers = options.secrets.length === 0 ? saved.value.headers : signedAnew(saved.value, options);
  return ok({ url: url.value, body, headers });
}

const TOO_OLD =
  "It went out exactly as it was saved, its time too. A receiver that checks the time refuses it after five minutes: " +
  "give --secret-file, and it is signed anew for now.";

function readSaved({ saved, folder }: Pick<ReplayOptions, "saved" | "folder">): Result<SavedWebhook, string> {
  const isFile = /[\\/]|\.json$/.test(saved);
  const path = isFile ? saved : join(folder, `${saved}.json`);
  const headersPath = `${path.replace(/\.json$/, "")}.headers`;
  const body = readFile(path);
  if (!body.ok) return refuse(`--replay: ${path} cannot be read (${body.error})`);
  const headers = readFile(headersPath);
  if (!headers.ok) return refuse(`--replay: ${headersPath}, which belongs to it, cannot be read (${headers.error})`);
  return ok({ body: body.value, headers: parseHeaders(headers.value.toString()) });
}

/** Headers that belonged to the connection, and not to the webhook. */
const OF_THE_CONNECTION = /^(?:host|connection|keep-alive|content-length|transfer-encoding|expect)$/i;

function parseHeaders(text: string): Header[] {
  const named = text.split(/\r?\n/).map((line): Header => {
    const colon = line.indexOf(":");
    return [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()];
  });
  return named.filter(([name]) => name !== "" && !OF_THE_CONNECTION.test(name));
}

/** The webhook as the service would send it now. */
function signedAnew(
  { body, headers }: SavedWebhook,
  { secrets, signatureHeader }: Pick<ReplayOptions, "secrets" | "signatureHeader">,
): Header[] {
  const text = body.toString();
  const id = headers.find(([name]) => name.toLowerCase() === "webhook-id")?.[1] ?? "replayed";
  const timestampSeconds = Math.floor(systemClock.nowMs() / 1000);
  const own: Header[] = [
    [signatureHeader, signService(text, secrets[0] ?? "")],
    ["webhook-id", id],
    ["webhook-timestamp", String(timestampSeconds)],
    ["webhook-signature", signStandard({ id, timestampSeconds, body: text }, secrets)],
  ];
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...own];
}
