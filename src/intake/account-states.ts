/**
 * The calls that suspend an account, let it go on, and delete it. Each may be repeated: the answer says what the
 * account is now. A deletion takes effect at once, and the rows go in steps behind it.
 */
import type { FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import { setAccountState } from "../accounts/put-account.ts";
import type { Result } from "../domain/problem.ts";
import { refuse } from "../lib/result.ts";
import { sendProblem } from "../http/problem-response.ts";
import type { SetAccountState } from "../store/contract/accounts.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { accountParameter, idSchema, refusals, type Operation, jsonContent } from "./operation.ts";
import { badParameter, byIntakeKey, readAccountId } from "./read-call.ts";

const answer = Type.Object({
  id: Type.String(),
  state: Type.Enum(["active", "suspended", "deleting", "deleted"], {
    description: "`deleting`: rows of it are still there; call again to learn when they are gone.",
  }),
  changed: Type.Boolean({ description: "False: it was so already." }),
});

const confirmParameter = {
  name: "confirm",
  in: "query",
  required: true,
  description: "The account's id once more.",
  schema: idSchema("account"),
} as unknown as TSchema;

interface Row extends Pick<Operation, "operationId" | "summary" | "description"> {
  readonly method: "POST" | "DELETE";
  readonly path: string;
  readonly state: SetAccountState["state"];
  readonly parameters: TSchema[];
}

const ROWS: readonly Row[] = [
  {
    method: "POST",
    path: "/v1/accounts/:account_id/suspend",
    state: "suspended",
    operationId: "suspendAccount",
    summary: "Suspend an account",
    description:
      "Its records are refused, nothing is sent and nothing can be changed; what waits stays. People can still look.",
    parameters: [accountParameter],
  },
  {
    method: "POST",
    path: "/v1/accounts/:account_id/resume",
    state: "active",
    operationId: "resumeAccount",
    summary: "Let a suspended account go on",
    description: "What waits goes out. Webhooks that were paused or off before stay so.",
    parameters: [accountParameter],
  },
  {
    method: "DELETE",
    path: "/v1/accounts/:account_id",
    state: "deleted",
    operationId: "deleteAccount",
    summary: "Delete an account",
    description:
      "At once nothing is taken or sent for it, and its sign-in links, sessions, keys and tokens open nothing. " +
      "Its webhooks, events and deliveries go in steps. The id stays taken, and so do the keys against repeats.",
    parameters: [accountParameter, confirmParameter],
  },
];

export const accountStateRoutes = (ctx: IntakeContext): IntakeRoute[] => ROWS.map((row) => toRoute(ctx, row));

function toRoute(ctx: IntakeContext, { method, path, state, ...operation }: Row): IntakeRoute {
  const isGone = state === "deleted" ? [] : (["account_deleted"] as const);
  const example = { id: "acme", state: state === "deleted" ? "deleting" : state, changed: true } as const;
  return {
    method,
    path,
    operation: {
      ...operation,
      responses: {
        "200": { description: "What it is now.", content: jsonContent(answer, example) },
        ...refusals("invalid_parameter", "account_not_found", ...isGone),
      },
    },
    async handle(request, reply) {
      const accountId = readTarget(request, state);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const id = accountId.value;
      const by = byIntakeKey(request);
      const now = await setAccountState(ctx.accounts, { accountId: id, state, by });
      if (!now.ok) return sendProblem(reply, now.error);
      // Its sessions went with it, and their open pages ask anew.
      return await reply.send({ id, ...now.value });
    },
  };
}

function readTarget(request: FastifyRequest, state: Row["state"]): Result<string> {
  const id = readAccountId(request);
  const { confirm, ...others } = request.query as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return refuse(badParameter(unknown, "is not known here"));
  if (!id.ok || confirm === (state === "deleted" ? id.value : undefined)) return id;
  if (state !== "deleted") return refuse(badParameter("confirm", "is not known here"));
  return refuse(badParameter("confirm", "must be the id of the account in the address"));
}
