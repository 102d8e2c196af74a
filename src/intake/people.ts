/**
 * Erasing a person from an account, when they or the law ask for it. The product says the e-mail address; the answer
 * counts what was taken out and never repeats the address, and neither do log, traces and audit.
 */
import type { FastifyRequest } from "fastify";
import Type, { type TSchema } from "typebox";
import { accountMissing } from "../accounts/context.ts";
import type { Actor } from "../domain/account.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { sendProblem } from "../http/problem-response.ts";
import { secondsMs } from "../lib/duration.ts";
import type { InboxPlace } from "../store/contract/inbox.ts";
import { badParameter, byIntakeKey, readAccountId } from "./read-call.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { accountParameter, refusals, jsonContent } from "./operation.ts";

/** A call goes on for so long, and is continued by another one. Callers wait for 30 s. */
const CALL_MS = secondsMs(15);
/** The most of one step, so that accepts of other callers wait for some 10 ms. Guesses. */
const STEP = { eventsMax: 500, bytesMax: 2_000_000 };
const INBOX_RECORDS = 50;

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

type Answer = Record<Exclude<keyof Type.Static<typeof answerSchema>, "next">, number>;

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

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/u;
const AFTER = /^(?:evt_[0-9a-z]{1,40}|inbox\.\d{1,15}\.\d{1,15})$/;

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
      return await reply.send(await erase(ctx, { ...asked.value, by: byIntakeKey(request) }));
    },
  };
}

interface Asked {
  readonly accountId: string;
  readonly email: string;
  /** Empty at first. */
  readonly after: string;
}

async function erase(
  ctx: IntakeContext,
  { by, ...asked }: Asked & { readonly by: Actor },
): Promise<Answer & { readonly next: string | null }> {
  const { store } = ctx.accounts;
  const { accountId, email } = asked;
  const untilMs = ctx.clock.monotonicMs() + CALL_MS;
  const total = NOTHING();
  let next: string | null = asked.after === "" ? "inbox.0.0" : asked.after;
  // The inbox first: what a node takes out of it meanwhile is among the events then.
  do {
    const place: InboxPlace | null = readPlace(next);
    const nowMs = ctx.clock.nowMs();
    if (place !== null) {
      const part = await store.eraseFromInbox({ accountId, email, after: place, recordsMax: INBOX_RECORDS, nowMs });
      total.inbox_records += part.waiting;
      total.refused_records += part.refused;
      total.in_flight += part.inFlight;
      next = part.next === null ? FIRST_EVENT : `inbox.${part.next.waiting}.${part.next.refused}`;
    } else {
      const {
        inFlight,
        next: behind,
        ...part
      } = await store.erasePerson({ ...asked, after: toAfter(next), ...STEP, nowMs });
      for (const name of ["events", "answers", "cancelled", "searches"] as const) total[name] += part[name];
      total.in_flight += inFlight;
      next = behind;
    }
  } while (next !== null && ctx.clock.monotonicMs() < untilMs);
  await writeAudit(ctx, { accountId, by, total });
  return { ...total, next };
}

const FIRST_EVENT = "evt_0";
const toAfter = (next: string): string => (next === FIRST_EVENT ? "" : next);

const NOTHING = (): Answer => ({
  events: 0,
  answers: 0,
  cancelled: 0,
  searches: 0,
  inbox_records: 0,
  refused_records: 0,
  in_flight: 0,
});

function readPlace(next: string): InboxPlace | null {
  const [, waiting, refused] = /^inbox\.(\d+)\.(\d+)$/.exec(next) ?? [];
  return waiting === undefined ? null : { waiting: Number(waiting), refused: Number(refused) };
}

/** That it was done and how much it was; not whom. */
async function writeAudit(
  ctx: IntakeContext,
  { accountId, by, total }: { readonly accountId: string; readonly by: Actor; readonly total: Answer },
): Promise<void> {
  const records = total.inbox_records + total.refused_records;
  if (total.events + total.answers + total.searches + records === 0) return;
  await ctx.accounts.store.writeAudit({
    accountId,
    nowMs: ctx.clock.nowMs(),
    by,
    action: "person_erased",
    subject: `events: ${total.events}, records of the outbox: ${records}`,
  });
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
