/**
 * Calls to the service, typed by the contract: `call("PUT /alerts/:id", { params, body, ifMatch })`. The only place in
 * the page that fetches. A call either brings its answer, or throws an `ApiProblem` (the service refused, and says why)
 * or a `NetworkLoss` (no answer came), so that pages can tell these apart.
 */
import type { RouteName, Routes } from "../src/dashboard/contract/routes.ts";
import { ApiProblem, NetworkLoss, isAway, toAway } from "./api-problem.ts";
import { learnServiceClock } from "./service-clock.ts";

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
  const response = await send(toAddress(path, parts), { method, ...payload(method, parts) });
  learnServiceClock(response.headers.get("date"));
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
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return dashboardAddress(search === "" ? filled : `${filled}?${search}`);
}

function payload(method: string, { body, ifMatch }: LooseInput): RequestInit {
  const headers: Record<string, string> = { accept: "application/json" };
  if (method !== "GET") headers["x-bellwire-csrf"] = csrfToken;
  if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
  if (body === undefined) return { headers };
  headers["content-type"] = "application/json";
  return { headers, body: JSON.stringify(body) };
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, credentials: "same-origin", redirect: "error", cache: "no-store" });
  } catch (cause) {
    throw new NetworkLoss({ cause });
  }
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
