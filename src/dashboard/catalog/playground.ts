/**
 * The playground: a record that somebody writes by hand takes the very way of intake, from the
 * family's checks to the commit. There only where the operator has switched it on.
 */
import { LIMITS } from "../../domain/limits.ts";
import { type Problem, type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { parseExactJson } from "../../events/exact-json.ts";
import type { EventType } from "../../events/event-type.ts";
import { assert } from "../../lib/assert.ts";
import { newUuid } from "../../lib/random.ts";
import { type Handlers } from "../call/operation.ts";
import type { DashboardContext } from "../call/context.ts";
import type { PlaygroundAnswer, PlaygroundBody, PlaygroundSample } from "../contract/catalog.ts";
import type { Session } from "../guard/session.ts";

export const playgroundHandlers = {
  "GET /playground/types": ({ hasPlayground, accounts: { types } }) =>
    Promise.resolve(hasPlayground ? ok({ types: types.all.map(toLabelled) }) : refuse(switchedOff)),
  "GET /playground/samples/:type": (ctx, { params }) =>
    Promise.resolve(ctx.hasPlayground ? findSample(ctx, params.type) : refuse(switchedOff)),
  "POST /playground": (ctx, { session, body }) =>
    ctx.hasPlayground ? send(ctx, session, body) : Promise.resolve(refuse(switchedOff)),
} satisfies Handlers;

async function send(
  ctx: DashboardContext,
  { accountId }: Session,
  { type, record }: PlaygroundBody,
): Promise<Result<PlaygroundAnswer>> {
  if (Buffer.byteLength(record) > LIMITS.recordBytesMax) return refuse(tooLarge);
  const eventType = ctx.accounts.types.find(type);
  if (eventType === undefined) return refuse(ctx.accounts.types.refuse(type));
  const parsed = eventType.parse(record);
  if (!parsed.ok) return parsed;
  const accepted = await ctx.accept(accountId, [parsed.value]);
  if (!accepted.ok) return accepted;
  const [acceptance] = accepted.value;
  assert(acceptance !== undefined, "one record was accepted, and there is no answer for it");
  const { eventId, deliveries, duplicate: isDuplicate, differs } = acceptance;
  return ok({ sourceId: parsed.value.sourceId, eventId, deliveries, isDuplicate, differs });
}

const toLabelled = ({ type, title, builtIn }: EventType) => ({ type, label: builtIn?.record ?? title });

/** With an id and times of its own, so that sending it makes a new event. */
function findSample({ accounts: { types, clock, random } }: DashboardContext, name: string): Result<PlaygroundSample> {
  const type = types.find(name);
  if (type === undefined) return refuse(types.refuse(name));
  const record = parseExactJson(type.newExample(clock.nowMs(), newUuid(random)));
  return ok({ record: JSON.stringify(record, null, 2) });
}

const switchedOff: Problem = problem(
  "not_found",
  "There is no playground here. The operator can switch it on with BELLWIRE_PLAYGROUND=1.",
);

const tooLarge: Problem = problem("body_too_large", `A record has at most ${LIMITS.recordBytesMax} bytes.`);
