/**
 * The list for the product's own programmers when an event of theirs is missing: records that were emitted inside a
 * transaction and refused, with the very problem that a call over HTTP would have answered. It also serves accounts
 * that do not exist, which may be the reason.
 */
import Type, { type TSchema } from "typebox";
import { LIMITS } from "../domain/limits.ts";
import { type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { problemDocument, sendProblem } from "../http/problem-response.ts";
import type { StoredRefusedRecord } from "../store/contract/inbox.ts";
import { readAccountId } from "./read-call.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { accountParameter, problemSchema, refusals, jsonContent } from "./operation.ts";

/** Each record may have a megabyte. */
const PAGE_RECORDS = 20;

const recordSchema = Type.Object({
  inbox_id: Type.Integer({ description: "The number that the emitting function returned." }),
  event: Type.String({ description: "Which event the record was to become." }),
  emitted_at: Type.String({ format: "date-time" }),
  refused_at: Type.String({ format: "date-time" }),
  problem: problemSchema,
  record: Type.Union([Type.String(), Type.Null()], {
    description: "JSON text of the record, as PostgreSQL writes `jsonb`; null once its retention is over.",
  }),
});

const answerSchema = Type.Object({
  records: Type.Array(recordSchema, { description: `Newest first, at most ${PAGE_RECORDS}.` }),
  has_more: Type.Boolean({ description: "There are older ones: call again with `before`, the last `inbox_id`." }),
});

const EXAMPLE = {
  inbox_id: 42,
  event: "order.paid",
  emitted_at: "2026-11-20T12:00:00.000Z",
  refused_at: "2026-11-20T12:00:01.000Z",
  problem: {
    type: "urn:bellwire:problem:unknown_event_type",
    title: "There is no such event type",
    status: 404,
    code: "unknown_event_type",
    detail: "There is no event type order.paid.",
  },
  record: '{"id": "A-1001"}',
} as const;

const beforeParameter = {
  name: "before",
  in: "query",
  required: false,
  description: "Only records with a smaller `inbox_id`, in decimal digits: the next page.",
  schema: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
} as unknown as TSchema;

export function refusedRecordsRoute(ctx: IntakeContext): IntakeRoute {
  return {
    method: "GET",
    path: "/v1/accounts/:account_id/refused-records",
    operation: {
      operationId: "listRefusedRecords",
      summary: "List records that were emitted inside a transaction and refused",
      description:
        "Empty on SQLite, where nothing can be emitted inside a transaction. Mend the record and emit it again; " +
        "entries here go with their retention.",
      parameters: [accountParameter, beforeParameter],
      responses: {
        "200": {
          description: "A page of them.",
          content: jsonContent(answerSchema, { records: [EXAMPLE], has_more: false }),
        },
        ...refusals("invalid_parameter"),
      },
    },
    async handle(request, reply) {
      const accountId = readAccountId(request);
      if (!accountId.ok) return sendProblem(reply, accountId.error);
      const before = parseBefore(request.query);
      if (!before.ok) return sendProblem(reply, before.error);
      const limits = { limit: PAGE_RECORDS + 1, recordCharsMax: LIMITS.recordBytesMax };
      const which = { accountId: accountId.value, before: before.value };
      const refused = await ctx.accounts.store.listRefusedRecords({ ...which, ...limits });
      const records = refused.slice(0, PAGE_RECORDS).map(toRecord);
      return await reply.send({ records, has_more: refused.length > PAGE_RECORDS });
    },
  };
}

function parseBefore(query: unknown): Result<{ readonly seq: number } | null> {
  const { before } = query as { readonly before?: unknown };
  if (before === undefined) return ok(null);
  const seq = typeof before === "string" && /^[1-9]\d{0,15}$/.test(before) ? Number(before) : 0;
  if (seq > 0 && Number.isSafeInteger(seq)) return ok({ seq });
  const message = "must be the inbox_id of the last record of the page before";
  return refuse(problem("invalid_parameter", `The parameter before ${message}.`, [{ path: "before", message }]));
}

const toRecord = ({ seq, type, emittedAtMs, refusedAtMs, problem: why, record }: StoredRefusedRecord) => ({
  inbox_id: seq,
  event: type,
  emitted_at: new Date(emittedAtMs).toISOString(),
  refused_at: new Date(refusedAtMs).toISOString(),
  problem: problemDocument(why),
  record,
});
