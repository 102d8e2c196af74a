/** Erasing a person from an account (`../accounts/erase-person.ts`), asked for by the product. */
import type { FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import { accountMissing } from "../accounts/context.ts";
import { erasePerson } from "../accounts/erase-person.ts";
import { AFTER_PATTERN, PERSON_PATTERN } from "../domain/person.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { sendProblem } from "../http/problem-response.ts";
import { badParameter, byIntakeKey, readAccountId } from "./read-call.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { accountParameter, refusals, jsonContent } from "./operation.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

const answerSchema = Type.Object({
  events: count("Events that lost their body, what receivers answered, and their texts in search."),
  answers: count("Attempts that lost what their receiver answered: of these events, and any that had the address."),
  cancelled: count("Deliveries of them that waited: they are not sent any more."),
  searches: count("Replays that were asked for by a search for the person, and do not say so any more."),
  inbox_records: count("Records that were emitted inside a transaction and had not been taken: none becomes an event."),
  refused_records: count("Refused records that do not say any more what they were."),
  in_flight: count(
    "Events and records that are left because a node has them in hand, and one more while the account moves to " +
      "another shard: call again in a minute.",
  ),
  next: Type.Union([Type.String(), Type.Null()], {
    description: "There is more to look at: call again with this as `after`. Null: that was all.",
  }),
});

const EXAMPLE = {
  events: 3,
  answers: 4,
  cancelled: 1,
  searches: 0,
  inbox_records: 0,
  refused_records: 0,
  in_flight: 0,
  next: null,
};

const query = (name: string, required: boolean, rest: { description: string; schema: TSchema }) =>
  ({ name, in: "query", required, ...rest }) as unknown as TSchema;

const EMAIL = new RegExp(PERSON_PATTERN, "u");
const AFTER = new RegExp(AFTER_PATTERN);

const emailParameter = query("email", true, {
  description: "The person's e-mail address, in any letter case, percent-encoded (`@` may stand as it is).",
  schema: Type.String({ minLength: 3, maxLength: 320 }),
});
const afterParameter = query("after", false, {
  description: "The `next` of the call before.",
  schema: Type.String({ pattern: AFTER.source }),
});

export function erasePersonRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "DELETE",
    path: "/v1/accounts/:account_id/people",
    operation: {
      operationId: "erasePerson",
      summary: "Erase a person from the account's events",
      description:
        "Finds the events with this e-mail address in their body, however it is written there, and empties them as " +
        "if their retention were over; of other events' attempts it takes out what has it. Ids, states and counts " +
        "stay, and a record that is repeated is still no second event. What is accepted later is not concerned. May " +
        "be repeated.",
      parameters: [accountParameter, emailParameter, afterParameter],
      responses: {
        "200": { description: "Erased.", content: jsonContent(answerSchema, EXAMPLE) },
        ...refusals("invalid_parameter", "account_not_found"),
      },
    },
    async handle(request, reply) {
      const asked = await readAsked(ctx, request);
      if (!asked.ok) return sendProblem(reply, asked.error);
      return await reply.send(await erasePerson(ctx.accounts, { ...asked.value, by: byIntakeKey(request) }));
    },
  };
}

interface Asked {
  readonly accountId: string;
  readonly email: string;
  /** Empty at first. */
  readonly after: string;
}

async function readAsked(ctx: IntakeContext, request: FastifyRequest): Promise<Result<Asked>> {
  const accountId = readAccountId(request);
  if (!accountId.ok) return accountId;
  const { email, after = "", ...others } = request.query as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return refuse(badParameter(unknown, "is not known here; known: email, after"));
  if (typeof email !== "string" || !EMAIL.test(email)) return refuse(badParameter("email", "must be one address"));
  if (typeof after !== "string" || (after !== "" && !AFTER.test(after))) {
    return refuse(badParameter("after", "must be the next of the call before"));
  }
  if ((await ctx.accounts.accounts.load(accountId.value)) === null) return refuse(accountMissing(accountId.value));
  return ok({ accountId: accountId.value, email, after });
}
