/**
 * How a command reaches a running service: the address and an intake key, from flags, settings or the data folder, and
 * the advice when that does not work. It makes nothing: a missing key file stays missing.
 */
import type { CallResult } from "../client/answers.ts";
import type { MakeCall } from "../client/call.ts";
import { resolve } from "node:path";
import { parseApiKeys, parsePublicUrl } from "../lib/settings/option-text.ts";
import type { Config } from "../config/options.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { faultWords } from "../lib/fault-words.ts";
import { localUrl } from "../lib/local-url.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { readFile } from "./read-file.ts";
import type { CommandIo } from "./command.ts";
import { IF_ELSEWHERE, asItsOwner } from "./installation.ts";
import {
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
  createServiceClient,
  parseJson,
} from "./service-client.ts";

/** The flags, for `readArguments`. */
export const ACCESS_FLAGS = {
  url: { type: "string" },
  key: { type: "string" },
  "key-file": { type: "string" },
} as const;

/** Their lines in a command's help. */
export const ACCESS_HELP = `  --url address     the service (default: the one on this machine, at BELLWIRE_PORT)
  --key-file path   file that holds the intake key (default: BELLWIRE_API_KEY, else intake-key in the data folder)
  --key key         the intake key itself; others on this machine can see it in the list of processes`;

export interface ServiceAccess {
  /** With a path when a proxy serves it below one; without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** The origin of the key, for messages. */
  readonly keySource: string;
  /** How a shell would write the intake key, without showing it; `null` for another key. */
  readonly keyForShell: string | null;
}

interface AccessValues {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly "key-file"?: string | undefined;
  /** An intake key unless given. */
  readonly keyWanted?: KeyWanted;
}

/** What messages say of the key that a command needs. */
interface KeyWanted {
  readonly name: "intake key" | "key that manages";
  /** Where its file is missing. */
  readonly ifMissing: string;
}

const INTAKE_KEY: KeyWanted = { name: "intake key", ifMissing: "Give --key-file the one of the service." };

export const MANAGE_KEY: KeyWanted = {
  name: "key that manages",
  ifMissing: "`bellwire read-keys --make ci --manage` prints a new one.",
};

/** A running service, or one account of it, as a command asks it. */
export interface ServiceCalls extends AsyncDisposable {
  /** `path` goes on behind `/v1/`, or behind the account's own. */
  call(call: ServiceCall): Promise<ServiceAnswer>;
  /** The answer's value, its form checked, as `--url` may point anywhere; `null` when that was explained. */
  ask<Value>(call: ServiceCall, isOurs: (value: unknown) => value is Value): Promise<Value | null>;
  explain(answer: ServiceAnswer): void;
}

export interface AccountCalls extends ServiceCalls {
  /** A call of `bellwire/client` by its way; `null` when what came instead of a value was explained. */
  use<Value>(calls: (call: MakeCall, accountId: string) => Promise<CallResult<Value>>): Promise<Value | null>;
}

/** `null` when there is no address or no key: it is said. */
export function openService(io: CommandIo, config: Config, values: AccessValues): ServiceCalls | null {
  const access = findAccess(io, config, values);
  return access && createCalls(io, createServiceClient(access), { access, below: "/v1/", accountId: null });
}

/** `null` when there is no address or no key: it is said. */
export function openAccount(
  io: CommandIo,
  config: Config,
  values: AccessValues & { readonly account: string },
): AccountCalls | null {
  const access = findAccess(io, config, values);
  if (access === null) return null;
  const client = createServiceClient(access);
  const below = `/v1/accounts/${encodeURIComponent(values.account)}/`;
  const calls = createCalls(io, client, { access, below, accountId: values.account });
  return {
    ...calls,
    async use(make) {
      let last: ServiceAnswer = { kind: "unreachable", code: "no call" };
      const result = await make(async ({ method, path, content }) => {
        const body = content && { type: content.type, content: content.body };
        last = await client.call({ method, path, ...(body && { body }) });
        return last.kind === "answered" ? last : { kind: "unavailable", reason: last.code, attempts: 1 };
      }, values.account);
      if (result.kind === "done") return result.value;
      calls.explain(last);
      return null;
    },
  };
}

/** `null` after it was said what is missing. */
function findAccess(io: CommandIo, config: Config, values: AccessValues): ServiceAccess | null {
  const access = resolveAccess(values, config);
  if (access.ok) return access.value;
  io.err(access.error);
  return null;
}

interface Below {
  readonly access: ServiceAccess;
  /** Where the paths of its calls begin. */
  readonly below: string;
  readonly accountId: string | null;
}

function createCalls(io: CommandIo, client: ServiceClient, { access, below, accountId }: Below): ServiceCalls {
  const call = async ({ path, ...rest }: ServiceCall) => await client.call({ ...rest, path: `${below}${path}` });
  const explain = (answer: ServiceAnswer): void => {
    for (const line of explainFailure(answer, access, accountId)) io.err(line);
  };
  return {
    call,
    explain,
    async ask(asked, isOurs) {
      const answer = await call(asked);
      const value = answer.kind === "answered" && answer.status < 300 ? parseJson(answer.text) : undefined;
      if (isOurs(value)) return value;
      explain(answer);
      return null;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

export function resolveAccess(values: AccessValues, config: Config): Result<ServiceAccess, string> {
  const url = values.url === undefined ? ok(localUrl(config)) : parseServiceUrl(values.url);
  if (!url.ok) return url;
  const key = findKey(values, config);
  return key.ok ? ok({ url: url.value, ...key.value }) : key;
}

/** The fault of a call and the advice, one line each. */
function explainFailure(answer: ServiceAnswer, access: ServiceAccess, accountId: string | null): string[] {
  if (answer.kind === "unreachable") return unreachable(access.url, answer.code);
  const problem = parseJson(answer.text);
  if (!isProblem(problem)) {
    return [`${access.url} answered ${answer.status}, but not as Bellwire does. Is --url right?`];
  }
  return [...describeProblem(problem), ...adviceFor(problem.code, access, accountId)].map((line) =>
    terminalText(line, LINE_CHARS_MAX),
  );
}

const LINE_CHARS_MAX = 1_000;

export const MANAGING_CLOSED = "Managing by programs is closed there: BELLWIRE_MANAGEMENT=1 opens it.";

interface ProblemDocument {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export function isProblem(value: unknown): value is ProblemDocument {
  return typeof value === "object" && value !== null && "code" in value && "title" in value && "detail" in value;
}

/** The problem, then each field: ` lead.email must be …`. */
export function describeProblem({ title, detail, errors = [] }: ProblemDocument): string[] {
  if (errors.length === 0) return [detail];
  return [`${title}:`, ...errors.map(({ path, message }) => `  ${path === "" ? "it" : path} ${message}`)];
}

function adviceFor(code: string, access: ServiceAccess, accountId: string | null): string[] {
  if (code === "unauthorized") return [`The key came from ${access.keySource}.`];
  if (code !== "account_not_found" || accountId === null || access.keyForShell === null) return [];
  const body = '{"name":"Example","plan":"starter","app_url":"https://app.example.com"}';
  return [
    "This creates it:",
    `  curl -X PUT ${access.url}/v1/accounts/${accountId} \\`,
    `    -H "authorization: Bearer ${access.keyForShell}" -H "content-type: application/json" \\`,
    `    -d '${body}'`,
  ];
}

function unreachable(url: string, code: string): string[] {
  return [`No Bellwire answers at ${url}: ${faultWords(code)}.`, unreachableAdvice(url, code)];
}

/** The advice where no Bellwire answers. A service that is there and speaks otherwise needs no other start. */
export function unreachableAdvice(url: string, code: string): string {
  if (/^(?:EPROTO|ERR_SSL_)/.test(code)) return "If it is served without TLS, write http:// in --url.";
  if (/CERT|SIGNED|UNABLE_TO/.test(code)) {
    return "Write the name of its certificate in --url, or give Node its authority with NODE_EXTRA_CA_CERTS.";
  }
  if (url.startsWith("http:") && /^(?:ECONNRESET|HPE_)/.test(code)) {
    return "If it is served by https, write https:// in --url; else another program may have this port.";
  }
  return "Start it with `bellwire serve`, or say where it is with --url or BELLWIRE_PORT.";
}

/** The value of `--url`. */
export function parseServiceUrl(text: string): Result<string, string> {
  const parsed = parsePublicUrl(text);
  if (!parsed.ok) return refuse(`--url ${parsed.error.join("; ")}`);
  return parsed.value === null ? refuse("--url is empty") : ok(parsed.value);
}

type FoundKey = Omit<ServiceAccess, "url">;

function findKey(values: AccessValues, config: Config): Result<FoundKey, string> {
  const { key, "key-file": file, keyWanted = INTAKE_KEY } = values;
  if (key !== undefined) return firstKey(key, { keySource: "--key", keyForShell: "$BELLWIRE_API_KEY" }, keyWanted);
  if (file !== undefined) return keyOfFile(file, keyWanted);
  const [configured] = config.apiKeys;
  if (configured === undefined) {
    return keyOfFile(resolve(config.dataDir, "intake-key"), { ...INTAKE_KEY, ifMissing: MISSING });
  }
  return ok({ key: configured, keySource: "BELLWIRE_API_KEY", keyForShell: "$BELLWIRE_API_KEY" });
}

const MISSING =
  "The service's first start makes it in its data folder; or give --key-file, or set BELLWIRE_API_KEY. " + IF_ELSEWHERE;

function keyOfFile(path: string, wanted: KeyWanted): Result<FoundKey, string> {
  const text = readFile(path);
  if (!text.ok) {
    const advice = text.error === "EACCES" ? asItsOwner(path) : wanted.ifMissing;
    return refuse(`There is no ${wanted.name}: ${path} cannot be read (${text.error}). ${advice}`);
  }
  return firstKey(text.value.toString().trim(), { keySource: path, keyForShell: `$(cat ${path})` }, wanted);
}

/** Several intake keys may be active; any of them works. */
function firstKey(text: string, source: Omit<FoundKey, "key">, { name }: KeyWanted): Result<FoundKey, string> {
  const parsed = parseApiKeys(text);
  const { keySource: where } = source;
  const isIntake = name === INTAKE_KEY.name;
  if (!parsed.ok) return refuse(`${where} does not hold ${isIntake ? "an" : "a"} ${name}: ${parsed.error.join("; ")}`);
  const [key] = parsed.value;
  if (key === undefined) return refuse(`${where} is empty`);
  return ok({ key, ...source, ...(!isIntake && { keyForShell: null }) });
}
