/**
 * Single records by the direct way in (`../http/direct/direct-way.ts`): the same calls as `records.ts` has, in
 * requests of plain form. Every other request goes to the routes: a wrong key, another address, a batch.
 */
import type { RequestTrace } from "../delivery/accept.ts";
import { LIMITS } from "../domain/limits.ts";
import { PRODUCT_ID_PATTERN } from "../events/fields.ts";
import { type DirectAnswer, jsonAnswer, problemAnswer } from "../http/direct/direct-answer.ts";
import type { DirectRequest } from "../http/direct/direct-request.ts";
import type { AnswerDirectly } from "../http/direct/direct-way.ts";
import type { Authenticator } from "./authenticate.ts";
import { JSON_TYPE } from "./body.ts";
import type { IntakeContext } from "./context.ts";
import { RECORD_FAMILIES, type RecordsCall, recordsPath, statusOf, takeOne } from "./records.ts";

export function recordsDirectly(ctx: IntakeContext, { hasKey }: Pick<Authenticator, "hasKey">): AnswerDirectly {
  const routes = new Map([...RECORD_FAMILIES].map(([noun, family]) => [noun, { family, route: recordsPath(noun) }]));
  return (request, explain) => {
    const { target, headers, body } = request;
    const [, accountId, noun = ""] = TARGET.exec(target) ?? [];
    const found = routes.get(noun);
    if (accountId === undefined || found === undefined || !isJson(headers["content-type"])) return null;
    if (body.length > LIMITS.recordBytesMax || !hasKey(headers.authorization)) return null;
    return observe({ ctx, request, route: found.route }, (trace) =>
      answerOne({ ctx, family: found.family, accountId, trace }, body).catch((error: unknown) =>
        problemAnswer(explain(error, `POST ${found.route}`)),
      ),
    );
  };
}

const ID = PRODUCT_ID_PATTERN.replaceAll(/[$^]/g, "");
const TARGET = new RegExp(`^/v1/accounts/(${ID})/([a-z-]+)$`);

const isJson = (type: string | undefined): boolean =>
  type === JSON_TYPE || (type !== undefined && /^application\/json; ?charset=utf-8$/i.test(type));

async function answerOne(call: RecordsCall, body: Buffer): Promise<DirectAnswer> {
  const taken = await takeOne(call, body);
  return taken.ok ? jsonAnswer(statusOf(taken.value), taken.value) : problemAnswer(taken.error);
}

interface Observed {
  readonly ctx: IntakeContext;
  readonly request: DirectRequest;
  readonly route: string;
}

/** As `observed-calls.ts` does for the routes. The time begins when the request is whole, and ends with its answer. */
async function observe(
  { ctx: { report, clock }, request, route }: Observed,
  answer: (trace: RequestTrace | null) => Promise<DirectAnswer>,
): Promise<DirectAnswer> {
  const startedMs = clock.monotonicMs();
  const trace = report.begin(request.headers);
  const answered = await answer(trace);
  const fact = { method: "POST", route, status: answered.status, durationMs: clock.monotonicMs() - startedMs };
  report.answered(fact);
  trace?.answered(fact);
  return answered;
}
