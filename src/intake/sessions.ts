/**
 * The sessions of an account's dashboard, for the product that made their sign-in links: when a person leaves, the
 * product ends their sessions. No answer of these calls contains a credential.
 */
import type { FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import { accountMissing } from "../accounts/context.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { ROLES } from "../domain/account.ts";
import { sendProblem } from "../http/problem-response.ts";
import type { ListedSession } from "../store/contract/people.ts";
import { badParameter, byIntakeKey, readAccountId } from "./read-call.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { PERSON_CHARS_MAX } from "./dashboard-links.ts";
import { accountParameter, refusals, jsonContent } from "./operation.ts";

const PAGE_SESSIONS = 100;

const sessionSchema = Type.Object({
  id: Type.String({
    description: "Names the session; it opens nothing.",
    examples: ["ses_06f1x9s3k0a1b2c3d4e5f6g7h8"],
  }),
  person: Type.String({ description: "Whom its sign-in link named." }),
  role: Type.Enum([...ROLES]),
  since: Type.String({ format: "date-time" }),
  last_seen: Type.String({ format: "date-time", description: "The last use, to within a minute." }),
  expires_at: Type.String({
    format: "date-time",
    description: "At the latest; a session that is not used for twelve hours ends before.",
  }),
});

const listSchema = Type.Object({
  sessions: Type.Array(sessionSchema, { description: `Newest first, at most ${PAGE_SESSIONS}.` }),
  has_more: Type.Boolean({ description: "There are older ones: call again with `before`, the last `id`." }),
});

const endedSchema = Type.Object({
  sessions_ended: Type.Integer({ minimum: 0, description: "How many sessions have ended." }),
  links_ended: Type.Integer({ minimum: 0, description: "How many unused sign-in links do not work any more." }),
});

const SESSION = {
  id: "ses_06f1x9s3k0a1b2c3d4e5f6g7h8",
  person: "ana@example.com",
  role: "viewer",
  since: "2026-11-20T08:00:00.000Z",
  last_seen: "2026-11-20T12:00:00.000Z",
  expires_at: "2026-11-27T08:00:00.000Z",
} as const;

const query = (name: string, description: string, schema: TSchema) =>
  ({ name, in: "query", required: false, description, schema }) as unknown as TSchema;

const personParameter = query(
  "person",
  "Only this person, written exactly as in their sign-in links; all people when left out.",
  Type.String({ minLength: 1, maxLength: PERSON_CHARS_MAX }),
);

const ID_PATTERN = "^ses_[0-9a-z]{26}$";
const beforeParameter = query(
  "before",
  "The last `id` of the page before: the next page.",
  Type.String({ pattern: ID_PATTERN }),
);

export function listSessionsRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "GET",
    path: PATH,
    operation: {
      operationId: "listSessions",
      summary: "List who is signed in to the account's dashboard",
      description:
        `An account has at most ${LIMITS.sessionsPerAccountMax} sessions of the dashboard: ` +
        "one more ends the one that was used longest ago.",
      parameters: [accountParameter, personParameter, beforeParameter],
      responses: {
        "200": {
          description: "A page of them.",
          content: jsonContent(listSchema, { sessions: [SESSION], has_more: false }),
        },
        ...refusals("invalid_parameter", "account_not_found"),
      },
    },
    async handle(request, reply) {
      const asked = await readCall(ctx, request, ["person", "before"]);
      if (!asked.ok) return sendProblem(reply, asked.error);
      const { accountId, person, before } = asked.value;
      const found = await ctx.accounts.store.listSessions({
        accountId,
        ...(person === undefined ? {} : { person: person.normalize() }),
        before: before === undefined ? null : { id: before },
        limit: PAGE_SESSIONS + 1,
        nowMs: ctx.clock.nowMs(),
      });
      const sessions = found.slice(0, PAGE_SESSIONS).map(toSession);
      return await reply.send({ sessions, has_more: found.length > PAGE_SESSIONS });
    },
  };
}

export function endSessionsRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "DELETE",
    path: PATH,
    operation: {
      operationId: "endSessions",
      summary: "Sign people out of the account's dashboard",
      description:
        "Ends the sessions of one person, or of everybody, and their unused sign-in links. After the answer, every " +
        "node refuses the next call of each session; open pages say so within two seconds. A link that is made " +
        "afterwards works. May be repeated.",
      parameters: [accountParameter, personParameter],
      responses: {
        "200": { description: "Ended.", content: jsonContent(endedSchema, { sessions_ended: 1, links_ended: 0 }) },
        ...refusals("invalid_parameter", "account_not_found"),
      },
    },
    async handle(request, reply) {
      const asked = await readCall(ctx, request, ["person"]);
      if (!asked.ok) return sendProblem(reply, asked.error);
      const { accountId, person } = asked.value;
      const which =
        person === undefined ? ({ kind: "all" } as const) : ({ kind: "person", person: person.normalize() } as const);
      const nowMs = ctx.clock.nowMs();
      const ending = { accountId, which, by: byIntakeKey(request), nowMs };
      const { ids, links } = await ctx.accounts.store.endSessions(ending);
      ctx.onSessionsEnded(accountId, ids);
      return await reply.send({ sessions_ended: ids.length, links_ended: links });
    },
  };
}

const PATH = "/v1/accounts/:account_id/sessions";

const CHECKS = {
  person: {
    pattern: new RegExp(`^.{1,${PERSON_CHARS_MAX}}$`, "su"),
    message: `must have 1 to ${PERSON_CHARS_MAX} characters`,
  },
  before: { pattern: new RegExp(ID_PATTERN), message: "must be the id of the last session of the page before" },
} as const;

type Parameter = keyof typeof CHECKS;

interface AskedCall extends Partial<Record<Parameter, string>> {
  readonly accountId: string;
}

/** A mistyped parameter must not sign everybody out, so unknown ones are refused. */
async function readCall(
  ctx: IntakeContext,
  request: FastifyRequest,
  known: readonly Parameter[],
): Promise<Result<AskedCall>> {
  const accountId = readAccountId(request);
  if (!accountId.ok) return accountId;
  const given = request.query as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(given)) {
    const parameter = known.find((each) => each === name);
    if (parameter === undefined) return refuse(badParameter(name, `is not known here; known: ${known.join(", ")}`));
    const { pattern, message } = CHECKS[parameter];
    if (typeof value !== "string" || !pattern.test(value)) return refuse(badParameter(name, message));
  }
  if ((await ctx.accounts.accounts.load(accountId.value)) === null) return refuse(accountMissing(accountId.value));
  return ok({ ...(given as Partial<Record<Parameter, string>>), accountId: accountId.value });
}

const toSession = ({ id, person, role, createdAtMs, seenAtMs, expiresAtMs }: ListedSession) => ({
  id,
  person,
  role,
  since: new Date(createdAtMs).toISOString(),
  last_seen: new Date(seenAtMs).toISOString(),
  expires_at: new Date(expiresAtMs).toISOString(),
});
