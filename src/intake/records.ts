/**
 * The calls that events come from, one for each type, and an older address for each that is built in: one record as
 * JSON, or many as NDJSON. The first file of an event's path; the next one is `delivery/accept.ts`.
 *
 * 202 means committed to disk, with all its deliveries. A record that the store already knows answers 200 with the
 * first event's id. In a batch a bad line fails alone; all good ones are committed together.
 */
import type { FastifyReply } from "fastify";
import Type from "typebox";
import type { Acceptance, RequestTrace } from "../delivery/accept.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Problem, Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { EventType, ParsedRecord } from "../events/event-type.ts";
import { FIELD_ERRORS_MAX } from "../events/explain.ts";
import { problemDocument, sendProblem } from "../http/problem-response.ts";
import { mapInSlices } from "../lib/rounds.ts";
import { JSON_TYPE, NDJSON_TYPE, isNdjson, readCallerKey, readText, readAccountId } from "./read-call.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { createErrorBudget, readLines } from "./ndjson.ts";
import { BODY_REFUSALS, type Operation, accountParameter, problemSchema, refusals, jsonContent } from "./operation.ts";

/** The routes that take records. */
export const recordsRoutes = (ctx: IntakeContext): IntakeRoute[] => [
  ...recordsAddresses(ctx.accounts.types).map((address) => recordsRoute(ctx, address)),
  unknownTypeRoute(ctx),
];

export interface RecordsAddress {
  readonly type: EventType;
  /** Behind the account's part of the address. */
  readonly path: string;
  /** The name of the call in OpenAPI. */
  readonly operationId: string;
}

/** Where records of a type are taken. */
export const recordsAddresses = ({ all }: EventTypes): RecordsAddress[] =>
  all.flatMap((type) => [
    ...(type.builtIn === null ? [] : [{ type, ...type.builtIn }]),
    { type, path: `events/${type.type}`, operationId: `send_${type.type}` },
  ]);

export const recordsPath = ({ path }: Pick<RecordsAddress, "path">): string => `/v1/accounts/:account_id/${path}`;

function recordsRoute(ctx: IntakeContext, address: RecordsAddress): IntakeRoute {
  const { type } = address;
  return {
    method: "POST",
    path: recordsPath(address),
    operation: describe(address),
    handle(request, reply, trace) {
      const accountId = readAccountId(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const call = { ctx, type, accountId: accountId.value, trace, callerKey: readCallerKey(request.headers) };
      return isNdjson(request) ? sendMany(reply, call, request.body) : sendOne(reply, call, request.body);
    },
  };
}

/** For every other name, which the answer compares with those that there are. */
function unknownTypeRoute({ accounts: { types } }: IntakeContext): IntakeRoute {
  return {
    method: "POST",
    path: recordsPath({ path: "events/:event" }),
    operation: null,
    handle: (request, reply) => sendProblem(reply, types.refuse((request.params as { readonly event: string }).event)),
  };
}

/** Records of one account and one type that came together. */
export interface RecordsCall {
  readonly ctx: IntakeContext;
  readonly type: EventType;
  readonly accountId: string;
  readonly trace: RequestTrace | null;
  /** The call's name for the event of its one record. */
  readonly callerKey?: string | undefined;
}

export interface RecordAnswer {
  readonly id: string;
  readonly event_id: string;
  readonly deliveries: number;
  readonly duplicate: boolean;
  readonly differs?: true;
}

/** One record; `body` is its bytes. */
export async function takeOne(
  { ctx, type, accountId, trace, callerKey }: RecordsCall,
  body: unknown,
): Promise<Result<RecordAnswer>> {
  const text = readText(body);
  if (!text.ok) return text;
  const record = type.parse(text.value, FIELD_ERRORS_MAX, callerKey);
  if (!record.ok) return refuse(withHint(record.error, text.value));
  const accepted = await ctx.accept(accountId, [record.value], trace);
  return accepted.ok ? ok(toAnswer(record.value, accepted.value[0])) : accepted;
}

/** Many records that came as one are the mistake behind most bodies of this form. */
function withHint(refusal: Problem, text: string): Problem {
  const isMany = /^\s*\[/.test(text) || (refusal.code === "invalid_json" && /^\s*\{.*\}[ \t\r]*\n\s*\{/.test(text));
  const hint = `Many records are sent as \`content-type: ${NDJSON_TYPE}\`, one a line.`;
  return isMany ? { ...refusal, detail: `${refusal.detail} ${hint}` } : refusal;
}

export const statusOf = ({ duplicate }: RecordAnswer): number => (duplicate ? 200 : 202);

async function sendOne(reply: FastifyReply, call: RecordsCall, body: unknown): Promise<FastifyReply> {
  const taken = await takeOne(call, body);
  return taken.ok ? reply.code(statusOf(taken.value)).send(taken.value) : sendProblem(reply, taken.error);
}

async function sendMany(
  reply: FastifyReply,
  { ctx, type, accountId, trace }: RecordsCall,
  body: unknown,
): Promise<FastifyReply> {
  const lines = readLines(body);
  if (!lines.ok) return sendProblem(reply, lines.error);
  const withBudget = createErrorBudget();
  const parsed = await mapInSlices(ctx.clock, lines.value, ({ number, text }) => ({
    number,
    record: text.ok ? withBudget((errorsMax) => type.parse(text.value, errorsMax)) : text,
  }));
  const good = parsed.flatMap(({ record }) => (record.ok ? [record.value] : []));
  const accepted = await ctx.accept(accountId, good, trace);
  if (!accepted.ok) return sendProblem(reply, accepted.error);
  const acceptances = accepted.value.values();
  const answers = await mapInSlices(ctx.clock, parsed, ({ number, record }) => {
    const answer = record.ok ? toAnswer(record.value, acceptances.next().value) : problemDocument(record.error);
    return `${JSON.stringify({ line: number, ...answer })}\n`;
  });
  return reply.code(200).type(NDJSON_TYPE).send(answers.join(""));
}

function toAnswer(record: ParsedRecord, acceptance: Acceptance | undefined): RecordAnswer {
  if (acceptance === undefined) throw new Error("accept answered for fewer records than it was given");
  const { eventId, deliveries, duplicate, differs } = acceptance;
  return { id: record.sourceId, event_id: eventId, deliveries, duplicate, ...(differs ? { differs } : {}) };
}

const acceptanceSchema = Type.Object({
  id: Type.String({ description: "The record's key against repeats: its own id, a UUID in lower case." }),
  event_id: Type.String({ description: "The one event of this record; the same on every repeat." }),
  deliveries: Type.Integer({ description: "To how many destinations it goes." }),
  duplicate: Type.Boolean({ description: "True when the record was known already: nothing more is sent." }),
  differs: Type.Optional(
    Type.Literal(true, { description: "A duplicate with other content than the first record's: it is not sent." }),
  ),
});

const line = { line: Type.Integer({ description: "The line of the request, from 1." }) };
const lineSchema = Type.Union([
  Type.Object({ ...line, ...acceptanceSchema.properties }),
  Type.Object({ ...line, ...problemSchema.properties }),
]);

const ACCEPTED = { id: "A-1001", event_id: "evt_06f1x9s3k0a1b2c3d4e5f6g7h8", deliveries: 2, duplicate: false };

function describe({ type, path, operationId }: RecordsAddress): Operation {
  const accepted = jsonContent(acceptanceSchema, ACCEPTED);
  return {
    operationId,
    summary: `Send ${path.replace(/[-/]/, " ")}: one as JSON, or many as NDJSON`,
    description:
      `${type.description} A batch has at most ${LIMITS.batchRecordsMax} lines and ${LIMITS.batchBytesMax} bytes; ` +
      "one result line answers each line, and a bad line fails alone. Repeating a call is always safe. A body " +
      "is UTF-8 and not compressed.",
    parameters: [accountParameter],
    requestBody: {
      required: true,
      content: {
        [JSON_TYPE]: { schema: type.recordSchema, examples: { sample: { value: type.example } } },
        [NDJSON_TYPE]: { schema: type.recordSchema },
      },
    },
    responses: {
      "200": {
        description: "One record: it was known already. A batch: one result line for each line.",
        content: { ...accepted, [NDJSON_TYPE]: { schema: lineSchema } },
      },
      "202": { description: "Committed to disk, with all its deliveries.", content: accepted },
      ...refusals(...BODY_REFUSALS, "batch_too_large"),
    },
  };
}
