/**
 * The read routes on the HTTP server: each row of the table with its auth hook, its limits and its checks. A handler
 * decides nothing about who may call it.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { problem, type Result } from "../domain/problem.ts";
import type { ReadContext } from "../dashboard/call/context.ts";
import { createQueryReader } from "../dashboard/call/operation.ts";
import { sendProblem } from "../http/problem-response.ts";
import type { IntakeRoute } from "../intake/context.ts";
import { readAccountId, readId } from "../intake/read-call.ts";
import { ok, refuse } from "../lib/result.ts";
import { type AnyHandler, noAccount, READ_HANDLERS, type ReadCall } from "./handlers.ts";
import type { Keyring, ReadBy } from "./keyring.ts";
import { toOperation } from "./openapi.ts";
import type { ReadLimits } from "./read-limits.ts";
import { type ProgramRow, readRoutes } from "./routes.ts";

export function listReadRoutes(ctx: ReadContext, keyring: Keyring, limits: ReadLimits): IntakeRoute[] {
  return readRoutes.map(([name, row]) => {
    const [, path = ""] = name.split(" ");
    const readCall = createCallReader(ctx, row);
    const handle = READ_HANDLERS[name] as AnyHandler;
    return {
      method: "GET",
      path,
      operation: toOperation(path, row),
      authHook: keyring.authHookFor(row),
      async handle(request, reply) {
        const reader = keyring.getReader(request);
        const read = async () => {
          const call = await readCall(request, reader);
          return call.ok ? await handle(ctx, call.value) : call;
        };
        const answer = await limits.admit(reader.id, () => limits.inTurn(reader.accountId, read));
        return sendAnswer(reply, answer);
      },
    };
  });
}

/** A key of one account learns of no other whether it is there. */
export function createCallReader(ctx: ReadContext, { query, opensFor }: ProgramRow) {
  const readQuery = query === undefined ? readNoQuery : createQueryReader(query, "refused");
  return async (
    request: FastifyRequest,
    { accountId: keyOf }: Pick<ReadBy, "accountId">,
  ): Promise<Result<ReadCall>> => {
    const accountId = opensFor === "all" ? ok("") : readAccountId(request);
    if (!accountId.ok) return accountId;
    const isOpen = keyOf === null ? await isThere(ctx, accountId.value) : keyOf === accountId.value;
    if (!isOpen) return refuse(noAccount(accountId.value));
    const [name] = Object.keys(request.params as object).filter((each) => each !== "account_id");
    const id = name === undefined ? ok("") : readId(request, name);
    if (!id.ok) return id;
    const asked = readQuery(request);
    if (!asked.ok) return asked;
    return ok({ accountId: accountId.value, id: id.value, query: asked.value, toLink: createLinks(ctx, request) });
  };
}

const isThere = async ({ accounts: { accounts } }: ReadContext, accountId: string): Promise<boolean> =>
  accountId === "" || (await accounts.load(accountId)) !== null;

function readNoQuery({ query }: Pick<FastifyRequest, "query">): Result<unknown> {
  const [name] = Object.keys(query as object);
  if (name === undefined) return ok({});
  const message = "is not known here: this address takes no query";
  return refuse(problem("invalid_parameter", `"${name}" in the address ${message}.`, [{ path: name, message }]));
}

/** The same list with another cursor, as people reach this service. */
function createLinks({ accounts: { publicUrl } }: ReadContext, request: FastifyRequest): (cursor: string) => string {
  const [path = "", search = ""] = request.url.split("?", 2);
  return (cursor) => {
    const query = new URLSearchParams(search);
    query.set("cursor", cursor);
    return `${publicUrl()}${path}?${query.toString()}`;
  };
}

/** For this caller alone: no cache may keep it, and no browser may guess another type. */
function sendAnswer(reply: FastifyReply, answer: Result<unknown>): FastifyReply {
  if (!answer.ok) return sendProblem(reply, answer.error);
  return reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" }).send(answer.value);
}
