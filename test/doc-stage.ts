/**
 * The stage on which the commands of the documentation run: a folder like the one that a reader stands in, with a
 * service, an account whose alert is set up, and a receiver that has kept one webhook.
 */
import { execFile } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putAccount } from "../src/accounts/put-account.ts";
import { openApp } from "./kit/process/account.ts";
import { startChild } from "./kit/process/child.ts";
import { newFolder } from "./kit/folder.ts";
import { BIN, startService } from "./kit/process/running.ts";
import { ROOT, parseBlocks, readPages } from "./doc-pages.ts";
import { eventually, soon } from "./kit/wait.ts";
import { makeAccount } from "./kit/make.ts";
import { createAlert } from "./kit/world/alerts.ts";

/** The account of the README's demo. */
const ACCOUNT = "demo";

export interface Ran {
  readonly code: number | null;
  /** The output of both kinds, for messages. */
  readonly output: string;
}

export interface Stage extends AsyncDisposable {
  /** The service's address. */
  readonly url: string;
  /** Puts what is true here in the place of what the page has for everybody. */
  localize(command: string): string;
  /** Runs commands as one script of bash; the first that fails ends it. */
  run(commands: readonly string[]): Promise<Ran>;
  /** Starts a command that stays, waits until it says so, stops it: how it ended. */
  startAndStop(command: string): Promise<Ran>;
}

export async function openStage(): Promise<Stage> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(newFolder()).path;
  makeTools(folder);
  await declareTypes(folder);
  const receiverUrl = await setUp(folder, resources);
  const output = openSync(join(folder, "service.log"), "w");
  const service = resources.use(
    await startService({
      dataDir: join(folder, "data"),
      output,
      env: { BELLWIRE_EVENTS: join(folder, "event-types"), BELLWIRE_MANAGEMENT: "1" },
    }),
  );
  const env = envIn(folder, new URL(service.url).port);
  const webhookId = await deliverOne(folder, env);
  const places: readonly (readonly [pattern: RegExp, here: string])[] = [
    [/bwk_…/g, service.apiKey],
    [/whsec_…/g, readFileSync(join(folder, "secret.txt"), "utf8")],
    [/[\w/…-]*dlv_…\.json/g, `received/${webhookId}.json`],
    [/dlv_…/g, webhookId],
    [/localhost:7070/g, new URL(service.url).host],
    [/http:\/\/localhost:3000\/webhooks/g, receiverUrl],
  ];
  return {
    url: service.url,
    localize: (command) => places.reduce((text, [pattern, here]) => text.replaceAll(pattern, here), command),
    run: (commands) => runScript(commands, { cwd: folder, env }),
    startAndStop: (command) => startAndStop(command, folder),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** `npx` without the network or the project's folder, and a curl that fails when the service refuses. */
export function makeTools(folder: string): void {
  const tools = join(folder, "tools");
  mkdirSync(tools);
  const npx = `#!/bin/sh
[ "$1" = --no ] && shift
case "$1" in
  bellwire) shift; exec "${process.execPath}" "${BIN}" "$@" ;;
  node) shift; exec "${process.execPath}" "$@" ;;
esac
exit 127
`;
  writeFileSync(join(tools, "npx"), npx);
  chmodSync(join(tools, "npx"), 0o755);
  writeFileSync(join(tools, ".curlrc"), 'fail-with-body\nnoproxy = "*"\n');
}

/** As the page about event types begins; and the project's examples of them, where its pages name them. */
async function declareTypes(folder: string): Promise<void> {
  for (const name of ["events", "catalog"]) {
    cpSync(join(ROOT, "examples", name), join(folder, "examples", name), { recursive: true });
  }
  const page = readPages().find(({ path }) => path === "docs/events.md");
  const [first] = page === undefined ? [] : parseBlocks(page);
  const declared = await runScript(first?.commands ?? [], { cwd: folder, env: process.env });
  if (declared.code !== 0 || first === undefined) throw new Error(declared.output);
}

/** The account, its secret in a file, a receiver that knows it, and an alert that calls it: at what is returned. */
async function setUp(folder: string, resources: AsyncDisposableStack): Promise<string> {
  await using app = await openApp({ dataDir: join(folder, "data") });
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT, name: "Demo" }));
  const secret = (await app.accounts.accounts.load(ACCOUNT))?.secrets.current.secret ?? "";
  writeFileSync(join(folder, "secret.txt"), secret);
  const flags = ["--secret-file", "secret.txt", "--save", "received", "--port", "0"];
  const receiver = resources.use(startChild({ args: [BIN, "listen", ...flags], cwd: folder }));
  const [, url = ""] = await receiver.err.match(/^Listening at (\S+);/);
  await createAlert(app.accounts, { accountId: ACCOUNT, url });
  return url;
}

/** Its `webhook-id`, once the receiver has kept it and the service's log tells of it. */
async function deliverOne(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const sent = await runScript([`npx --no bellwire send --account ${ACCOUNT}`], { cwd, env });
  if (sent.code !== 0) throw new Error(sent.output);
  const kept = (ending: string): string[] => globSync(`dlv_*.${ending}`, { cwd: join(cwd, "received") });
  await eventually("a webhook that is kept", async () => kept("json").length === 1 && kept("headers").length === 1);
  const webhookId = kept("json")[0]?.replace(".json", "") ?? "";
  const log = join(cwd, "service.log");
  await eventually("a line of the delivery in the log", async () => readFileSync(log, "utf8").includes(webhookId));
  return webhookId;
}

/** No setting of the machine that runs the test reaches the commands. */
export function envIn(folder: string, port: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:BELLWIRE_|OTEL_|NODE_)/.test(name));
  const tools = join(folder, "tools");
  return {
    ...Object.fromEntries(inherited),
    PATH: `${tools}:${process.env["PATH"] ?? ""}`,
    CURL_HOME: tools,
    BELLWIRE_PORT: port,
  };
}

export async function runScript(
  commands: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const script = ["set -euo pipefail", ...commands].join("\n");
  const child = execFile("bash", ["-c", script], { ...options, timeout: 30_000 }, (_error, stdout, stderr) => {
    resolve({ code: child.exitCode, output: `${stdout}${stderr}` });
  });
  child.stdin?.end();
  return await promise;
}

/** At any port that is free, whatever the page says. */
async function startAndStop(command: string, cwd: string): Promise<Ran> {
  // npx --no bellwire …
  const [, , , ...args] = command.split(/\s+/);
  await using child = startChild({ args: [BIN, ...args, "--port", "0"], cwd });
  await child.err.match(/^Listening at /);
  child.kill("SIGINT");
  const { code } = await soon(child.exited, `the end of ${command}`);
  return { code, output: child.err.text };
}
