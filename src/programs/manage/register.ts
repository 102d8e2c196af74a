/** The manage routes on the HTTP server: each row of their table with its auth hook, its limits and its checks. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Problem, type Result, problem } from "../../domain/problem.ts";
import type { DashboardContext } from "../../dashboard/call/context.ts";
import { readBody } from "../../dashboard/call/operation.ts";
import { FORM_BYTES_MAX } from "../../dashboard/forms/bodies.ts";
import { createValidator } from "../../events/validate.ts";
import { sendProblem } from "../../http/problem-response.ts";
import type { IntakeRoute } from "../../intake/context.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { Keyring } from "../keyring.ts";
import { toManageOperation } from "../openapi.ts";
import type { ReadLimits } from "../read-limits.ts";
import { createCallReader } from "../read-routes.ts";
import { readSettings, settingsForm } from "./forms.ts";
import { manage, type Managed, type ManageCall, type Seen } from "./handlers.ts";
import { type ManageRow, manageRoutes } from "./routes.ts";

export function listManageRoutes(ctx: DashboardContext, keyring: Keyring, limits: ReadLimits): IntakeRoute[] {
  return manageRoutes.map(([name, row]) => {
    const [method = "", path = ""] = name.split(" ");
    const readCall = createManageReader(ctx, keyring, row);
    return {
      method: method as IntakeRoute["method"],
      path,
      operation: toManageOperation(path, row),
      authHook: keyring.authHookFor({ ...row, manages: true }),
      bodyBytesMax: FORM_BYTES_MAX,
      async handle(request, reply) {
        // Not in turn with reads: a test, or a name server, may take seconds.
        const answer = await limits.admit(keyring.getReader(request).id, async () => {
          const call = await readCall(request);
          return call.ok ? await manage(ctx, name, call.value) : call;
        });
        return sendAnswer(reply, answer);
      },
    };
  });
}

function createManageReader(ctx: DashboardContext, keyring: Keyring, row: ManageRow) {
  const readParts = createCallReader(ctx, row);
  const readForm = createBodyReader(row);
  return async (request: FastifyRequest): Promise<Result<ManageCall>> => {
    const parts = await readParts(request, keyring.getReader(request));
    if (!parts.ok) return parts;
    const body = readForm(request);
    if (!body.ok) return body;
    const seen = row.ifMatch === true ? readSeen(request) : ok(null);
    if (!seen.ok) return seen;
    const { accountId, id, query } = parts.value;
    const caller = { accountId, by: keyring.getActor(request) };
    return ok({ caller, id, query, body: body.value, seen: seen.value });
  };
}

function createBodyReader({ body }: ManageRow): (request: FastifyRequest) => Result<unknown> {
  if (body === undefined) return () => ok(undefined);
  if (body === settingsForm) return readSettings;
  const validate = createValidator(body);
  return (request) => readBody(request, validate);
}

/** RFC 9110 §13.1: strong ETags in quotes, or a star. */
const ETAGS = /^(?:\*|"[^"]*"(?:\s*,\s*"[^"]*")*)$/;

function readSeen({ headers }: FastifyRequest): Result<Seen | null> {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (noneMatch !== undefined && (noneMatch !== "*" || match !== undefined)) {
    return refuse(badHeader("If-None-Match", "must be *, and stand without If-Match"));
  }
  if (noneMatch !== undefined) return ok({ kind: "nothing" });
  if (match === undefined) return ok(null);
  // Those who compress answers on the way may mark an ETag as a weak one.
  const given = match.replaceAll("W/", "").trim();
  if (!ETAGS.test(given)) return refuse(badHeader("If-Match", "must be an ETag in quotes, as an answer had it"));
  return ok({ kind: "etags", etags: given.split(",").map((etag) => etag.trim()) });
}

const badHeader = (path: string, message: string): Problem =>
  problem("invalid_parameter", `The header ${path} ${message}.`, [{ path, message }]);

/** For this caller alone: no cache may keep it, and no browser may guess another type. */
function sendAnswer(reply: FastifyReply, done: Result<Managed<unknown>>): FastifyReply {
  if (!done.ok) return sendProblem(reply, done.error);
  const { answer, etag = null, isNew = false } = done.value;
  reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  if (answer === null) return reply.code(204).send();
  if (etag !== null) reply.header("etag", etag);
  return reply.code(isNew ? 201 : 200).send(answer);
}
