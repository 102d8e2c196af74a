/**
 * The dashboard's calls on the HTTP server, below `/dashboard`: each row of the table becomes a route, and its parts
 * are checked before its handler sees them. A handler decides nothing about who may call it; the guard's auth hook has.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Result } from "../domain/problem.ts";
import { ok } from "../lib/result.ts";
import type { Role } from "../domain/account.ts";
import { createValidator } from "../events/validate.ts";
import { chooseEncoding, compress, COMPRESSED_BYTES_MIN } from "../http/compression.ts";
import { noteMethods } from "../http/other-methods.ts";
import { sendProblem } from "../http/problem-response.ts";
import { addSecurityHeaders } from "../http/security-headers.ts";
import type { DashboardContext } from "./call/context.ts";
import { createGuard, type Guard } from "./guard/guard.ts";
import { registerExport } from "./export/export.ts";
import type { LiveHub } from "./live/hub.ts";
import { createMailLinks } from "./account/mail-links.ts";
import { FORM_BYTES_MAX } from "./forms/bodies.ts";
import { registerLive } from "./live/stream.ts";
import {
  createQueryReader,
  readBody,
  readParams,
  readRevision,
  registerJsonParser,
  type TableRoute,
} from "./call/operation.ts";
import { type RouteRow, ROUTES } from "./contract/routes.ts";
import { HANDLERS } from "./handlers.ts";
import type { Session } from "./guard/session.ts";
import { registerSignIn } from "./sign-in/sign-in.ts";

const DASHBOARD_PREFIX = "/dashboard";

export async function registerDashboard(server: FastifyInstance, ctx: DashboardContext, live: LiveHub): Promise<void> {
  const mailLinks = createMailLinks(ctx);
  const scoped = async (scope: FastifyInstance): Promise<void> => {
    addSecurityHeaders(scope);
    keepPrivate(scope);
    registerJsonParser(scope);
    const methods = noteMethods(scope);
    const guard = createGuard(ctx.accounts);
    registerSignIn(scope, ctx, guard);
    mailLinks.register(scope);
    registerLive(scope, ctx, { guard, hub: live });
    registerExport(scope, ctx, guard);
    for (const name of Object.keys(HANDLERS) as TableRoute[]) registerRoute(scope, ctx, { name, guard });
    methods.refuseOthers();
  };
  await server.register(scoped, { prefix: DASHBOARD_PREFIX });
  await mailLinks.registerOneClick(server);
}

/** As it is run: which types belong together was checked where the tables were put together. */
type AnyHandler = (ctx: DashboardContext, call: AnyCall) => Promise<Result<unknown>>;

interface AnyCall extends Parts {
  readonly session: Session;
}

interface Parts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ifMatch: unknown;
}

interface Registered {
  readonly name: TableRoute;
  readonly guard: Guard;
}

function registerRoute(scope: FastifyInstance, ctx: DashboardContext, { name, guard }: Registered): void {
  const [method = "", url = ""] = name.split(" ");
  const row: RouteRow & { readonly role: Role } = ROUTES[name];
  const handle = HANDLERS[name] as AnyHandler;
  const readParts = createPartsReader(row);
  const changes = method !== "GET" && row.role === "owner";
  scope.route({
    method,
    url,
    config: { authHook: guard.authHookFor(row.role) },
    bodyLimit: row.bodyBytesMax ?? FORM_BYTES_MAX,
    async handler(request, reply) {
      const session = guard.getSession(request);
      const parts = readParts(request);
      if (!parts.ok) return sendProblem(reply, parts.error);
      const answer = await handle(ctx, { session, ...parts.value });
      // Every act of an owner is in the audit, which may be open on a screen.
      if (answer.ok && changes) ctx.live.configurationChanged(session.accountId);
      return await sendAnswer(request, reply, answer);
    },
  });
}

/** A part that the row has not is not looked at. */
function createPartsReader(row: RouteRow): (request: FastifyRequest) => Result<Parts> {
  const readQuery = row.query === undefined ? null : createQueryReader(row.query);
  const validateBody = row.body === undefined ? null : createValidator(row.body);
  return (request) => {
    const params = readParams(request);
    if (!params.ok) return params;
    const query = readQuery === null ? ok(undefined) : readQuery({ query: findQuery(request) });
    if (!query.ok) return query;
    const ifMatch = row.ifMatch === true ? readRevision(request) : ok(undefined);
    if (!ifMatch.ok) return ifMatch;
    const body = validateBody === null ? ok(undefined) : readBody(request, validateBody);
    if (!body.ok) return body;
    return ok({ params: params.value, query: query.value, ifMatch: ifMatch.value, body: body.value });
  };
}

/**
 * The page sends what is searched for in a header, because it is often a person and proxies write addresses down. In an
 * address it counts as well: the page of the version before asks so.
 */
function findQuery({ query, headers }: FastifyRequest): unknown {
  const words = headers["x-bellwire-search"];
  return words === undefined ? query : { ...(query as object), q: new URLSearchParams(String(words)).get("q") ?? "" };
}

/** `null` is an answer without a body. */
async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Result<unknown>,
): Promise<FastifyReply> {
  if (!answer.ok) return sendProblem(reply, answer.error);
  if (answer.value === null) return reply.code(204).send();
  if (request.method !== "GET") return reply.send(answer.value);
  return await sendCompressed(request, reply, Buffer.from(JSON.stringify(answer.value)));
}

/**
 * A page of the log is 25 KB of names that repeat, and 3 KB compressed: on a slow line half a second. Nobody learns a
 * secret from its length (BREACH): other sites cannot make a browser ask with its session.
 */
async function sendCompressed(request: FastifyRequest, reply: FastifyReply, json: Buffer): Promise<FastifyReply> {
  const encoding = json.length < COMPRESSED_BYTES_MIN ? "identity" : chooseEncoding(request.headers["accept-encoding"]);
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply
    .type("application/json; charset=utf-8")
    .header("vary", "cookie, accept-encoding")
    .send(await compress(json, encoding, BROTLI_QUALITY));
}

/** Of each answer anew: higher ones cost more of the node than they save of the line. */
const BROTLI_QUALITY = 4;

/** One person's answers must not be kept for another, on their machine or on the way. */
function keepPrivate(scope: FastifyInstance): void {
  scope.addHook("onRequest", (_request, reply, done) => {
    reply.headers({ "cache-control": "no-store", vary: "cookie" });
    done();
  });
}
