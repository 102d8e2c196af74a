/**
 * The short cut of single records: Node's own HTTP server has read the request, and no router, hook or body parser
 * does anything for it. The calls are those of `records.ts`, and so are the answers. Every request that is not plainly
 * one record with a good key goes to the router: a batch, a wrong key, another address, a body of another type or size.
 *
 * It buys 5 to 11 % of a single post's CPU on both stores (`npm run bench -- path`). Without it and its line
 * in `app/web.ts` everything works the same.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS } from "../domain/limits.ts";
import { PROBLEMS, type Problem, type Result } from "../domain/problem.ts";
import { PRODUCT_ID_PATTERN } from "../events/fields.ts";
import { pathBelow } from "../http/base-path.ts";
import { PROBLEM_TYPE, problemHeaders, problemText } from "../http/problem-response.ts";
import type { ShortCut } from "../http/server.ts";
import { createAuthenticator } from "./authenticate.ts";
import type { IntakeContext } from "./context.ts";
import { JSON_TYPE, readCallerKey } from "./read-call.ts";
import { type RecordAnswer, recordsAddresses, recordsPath, statusOf, takeOne } from "./records.ts";

/** `basePath` is the server's. */
export function createShortCut(ctx: IntakeContext, basePath: string): ShortCut {
  const { hasKey } = createAuthenticator(ctx.keys, ctx.clock);
  const routes = new Map(
    recordsAddresses(ctx.accounts.types).map((address) => [
      address.path,
      { type: address.type, path: recordsPath(address) },
    ]),
  );
  return (request, response, explain) => {
    if (!isPlain(request) || !hasKey(request.headers.authorization)) return false;
    const url = pathBelow(basePath, request.url ?? "");
    const [, accountId = "", address = ""] = ADDRESS.exec(url) ?? [];
    const route = routes.get(address);
    if (route === undefined) return false;
    const { type, path } = route;
    const observed = observe(ctx, request, path);
    readBody(request, async (body) => {
      const call = { ctx, type, accountId, trace: observed.trace, callerKey: readCallerKey(request.headers) };
      const taken = await takeOne(call, body).catch(explain);
      answer(response, taken);
      observed.end(response.statusCode);
    });
    return true;
  };
}

const ADDRESS = new RegExp(
  `^${recordsPath({ path: "(.+)" }).replace(":account_id", `(${PRODUCT_ID_PATTERN.replaceAll(/[$^]/g, "")})`)}$`,
);

/** A body of known length, in a form that nobody has to look at twice. */
function isPlain({ method, headers }: IncomingMessage): boolean {
  if (method !== "POST" || headers["content-type"] !== JSON_TYPE) return false;
  if (headers.expect !== undefined || headers["content-encoding"] !== undefined) return false;
  const length = Number(headers["content-length"]);
  return length > 0 && length <= LIMITS.recordBytesMax;
}

/** Reports the call as `routes.ts` does for the router's. Its time ends when the socket has got the answer. */
function observe({ report, clock }: IntakeContext, { headers }: IncomingMessage, route: string) {
  const startedMs = clock.monotonicMs();
  const trace = report.begin(headers);
  return {
    trace,
    end(status: number): void {
      const fact = { method: "POST", route, status, durationMs: clock.monotonicMs() - startedMs };
      report.answered(fact);
      trace?.answered(fact);
    },
  };
}

/** Nobody takes a body that does not arrive whole: the server's times end its connection. */
function readBody(request: IncomingMessage, take: (body: Buffer) => Promise<void>): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.once("end", () => {
    const [first] = chunks;
    void take(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
  });
}

function answer(response: ServerResponse, taken: Result<RecordAnswer>): void {
  if (taken.ok) send(response, statusOf(taken.value), { type: JSON_TYPE, text: JSON.stringify(taken.value) });
  else sendProblem(response, taken.error);
}

function sendProblem(response: ServerResponse, refusal: Problem): void {
  for (const [name, value] of Object.entries(problemHeaders(refusal))) response.setHeader(name, value);
  send(response, PROBLEMS[refusal.code].status, { type: PROBLEM_TYPE, text: problemText(refusal) });
}

interface Content {
  readonly type: string;
  readonly text: string;
}

function send(response: ServerResponse, status: number, { type, text }: Content): void {
  response.writeHead(status, { "content-type": `${type}; charset=utf-8`, "content-length": Buffer.byteLength(text) });
  response.end(text);
}
