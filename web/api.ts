/**
 * Calls to the service, typed by the contract: `call("PUT /alerts/:id", { params, body, ifMatch })`. The only place in
 * the page that fetches. A call either brings its answer, or throws an `ApiProblem` (the service refused, and says why)
 * or a `NetworkLoss` (no answer came), so that pages can tell these apart.
 */
import type { ProblemAnswer } from "../src/dashboard/contract/problem.ts";
import type { RouteName, Routes } from "../src/dashboard/contract/routes.ts";

/** The input of a route: those of params, query, body and ifMatch that it declares. */
export type CallInput<Name extends RouteName> = Omit<Routes[Name], "answer">;
export type Answer<Name extends RouteName> = Routes[Name]["answer"];

/** A route that needs nothing is called with its name alone; a route with optional parts alone may be. */
export type InputArguments<Name extends RouteName> =
  Partial<CallInput<Name>> extends CallInput<Name> ? [input?: CallInput<Name>] : [input: CallInput<Name>];

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly ifMatch?: number;
}

/** From the session's answer; sent back with everything that changes something. */
let csrfToken = "";

export async function call<Name extends RouteName>(
  name: Name,
  ...[input]: InputArguments<Name>
): Promise<Answer<Name>> {
  const parts = (input ?? {}) as LooseInput;
  const [method = "GET", path = ""] = name.split(" ");
  const address = toAddress(path, parts);
  const early = findWords(parts) === null ? takeEarly(address, method) : undefined;
  const { response, atMs } = await (early ?? send(address, { method, ...payload(method, parts) }));
  learnServiceClock(response.headers.get("date"), atMs);
  const answer = (await read(response, method)) as Answer<Name>;
  if (name === "GET /session" || name === "POST /sign-in") {
    ({ csrfToken } = answer as Answer<"GET /session">);
  }
  return answer;
}

/** An address below the one of the service, on every path of the page. */
export function dashboardAddress(path: string): string {
  return new URL(`dashboard${path}`, document.baseURI).href;
}

/** The page's own document as the service has it now; `null` when nothing answers, or something in between does. */
export async function findDocument(): Promise<string | null> {
  try {
    const response = await fetch(document.baseURI, { cache: "no-store" });
    const html = response.ok ? await response.text() : "";
    return html.includes('id="root"') ? html : null;
  } catch {
    return null;
  }
}

function toAddress(path: string, { params = {}, query = {} }: LooseInput): string {
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ""));
  const given = Object.entries(query).filter(([key, value]) => key !== "q" && value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return dashboardAddress(search === "" ? filled : `${filled}?${search}`);
}

function payload(method: string, parts: LooseInput): RequestInit {
  const { body, ifMatch } = parts;
  const headers: Record<string, string> = { accept: "application/json" };
  const words = findWords(parts);
  if (words !== null) headers["x-bellwire-search"] = new URLSearchParams({ q: words }).toString();
  if (method !== "GET") headers["x-bellwire-csrf"] = csrfToken;
  if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
  if (body === undefined) return { headers };
  headers["content-type"] = "application/json";
  return { headers, body: JSON.stringify(body) };
}

/** What is searched for stands in no address: it is often a person, and proxies write addresses down. */
function findWords({ query: { q = "" } = {} }: LooseInput): string | null {
  return q === "" ? null : String(q);
}

interface Answered {
  readonly response: Response;
  /** When its head came, by the reader's clock. */
  readonly atMs: number;
}

async function send(address: string, init: RequestInit): Promise<Answered> {
  try {
    const response = await fetch(address, {
      ...init,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
    });
    return { response, atMs: Date.now() };
  } catch (cause) {
    throw new NetworkLoss({ cause });
  }
}

declare global {
  interface Window {
    /** Answers by address that public/start.js asked for before the application was there. */
    readonly bellwireAsked?: Map<string, Promise<Answered>>;
  }
}

/** Afterwards an answer of the page's start is old. Guess: the slowest line has loaded the application by then. */
const EARLY_MS_MAX = 30_000;

/** What was asked before the page is told of changes may be old by the time a part of it wants the answer. */
export function forgetEarlyAnswers(): void {
  globalThis.window?.bellwireAsked?.clear();
}

/** Each is given once: who asks again wants to know what has changed. */
function takeEarly(address: string, method: string): Promise<Answered> | undefined {
  const asked = globalThis.window?.bellwireAsked;
  const answer = method === "GET" ? asked?.get(address) : undefined;
  asked?.delete(address);
  if (answer === undefined || performance.now() > EARLY_MS_MAX) return undefined;
  return answer.catch((cause: unknown) => {
    throw new NetworkLoss({ cause });
  });
}

async function read(response: Response, method: string): Promise<unknown> {
  if (response.status === 204) return null;
  const text = await readText(response);
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  const answer = isJson ? parse(text) : undefined;
  if (response.ok && answer !== undefined) return answer;
  const problem = ApiProblem.of(response.status, answer);
  throw isAway(problem) ? toAway(problem, method) : problem;
}

async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw new NetworkLoss({ cause });
  }
}

/** `undefined` for what is not JSON: a proxy in between has answered, and its page says nothing to us. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/* The ends of a call without an answer: a refusal with its reasons, or no connection. */

/** One field that was refused: its path in the body and what is wrong with it. */
export type FieldProblem = NonNullable<ProblemAnswer["errors"]>[number];

/** The service refused (RFC 9457). Decide by `code`; `message` is written for the reader of the page. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  readonly code: ProblemAnswer["code"] | "unreadable_answer";
  /** Every field that was refused, by its path in the body; empty when it was not about fields. */
  readonly errors: readonly FieldProblem[];

  constructor(init: Pick<ApiProblem, "status" | "code" | "errors" | "message">) {
    super(init.message);
    this.status = init.status;
    this.code = init.code;
    this.errors = init.errors;
  }

  /** From an answer's status and JSON. Another document did not come from the service itself. */
  static of(status: number, document: unknown): ApiProblem {
    if (!isProblemDocument(document)) {
      const message = `The service could not be reached through what stands before it (status ${status}).`;
      return new ApiProblem({ status, code: "unreadable_answer", errors: [], message });
    }
    const { code, detail, errors = [] } = document;
    return new ApiProblem({ status, code, errors, message: detail });
  }
}

/** No answer came: the network is gone, the service is down, or a proxy closed the connection. */
export class NetworkLoss extends Error {
  override readonly name = "NetworkLoss";

  constructor(options: ErrorOptions) {
    super("The service did not answer. Check your connection.", options);
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}

/** The part of the database that holds the account is out of reach. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === "store_unavailable";
}

/** The service's own words are for programs that send records; these are for a person who looks at a page. */
function toAway({ status, code, errors }: ApiProblem, method: string): ApiProblem {
  const message =
    method === "GET"
      ? "Nothing is lost: webhooks are kept, and go out once it is back. This page comes back by itself."
      : "Your account’s data can’t be reached right now, so nothing was changed or sent. Try again in a moment.";
  return new ApiProblem({ status, code, errors, message });
}

/** Whether asking again by itself can help: the service was out of reach, or said that it is busy. */
export function isPassing(error: unknown): boolean {
  return error instanceof NetworkLoss || (error instanceof ApiProblem && [502, 503, 504].includes(error.status));
}

function isProblemDocument(document: unknown): document is ProblemAnswer {
  if (typeof document !== "object" || document === null) return false;
  return "code" in document && typeof document.code === "string" && "detail" in document;
}

/*
 * The service's clock, by which its instants are told: "in 4 min", "24 hours ago". The reader's own clock may be wrong
 * by minutes; how far the two are apart is learned from the `Date` of the service's answers.
 */

/** `Date` has whole seconds, and an answer is under way for a while: less than this is no difference. */
const TOLERANCE_MS = 5_000;

let aheadMs = 0;

export const serviceNowMs = (): number => Date.now() + aheadMs;

/** `atMs`: when the answer came, by the reader's clock. */
export function learnServiceClock(dateHeader: string | null, atMs: number): void {
  const learnedMs = Date.parse(dateHeader ?? "") - atMs;
  if (Math.abs(learnedMs - aheadMs) >= TOLERANCE_MS) aheadMs = learnedMs;
}
