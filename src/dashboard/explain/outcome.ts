/**
 * The outcome of an HTTP request, in words that the owner of a receiver can act on. Pure. Tests and attempts are alike:
 *
 *     an answer       → response.ts, by its status
 *     none            → failure.ts, by what stood in the way
 *
 * Invariant: the class `success`, and a word of success, only for a 2xx that came back. The words for
 * a fault of the service or of the operator's proxy never blame the receiver.
 */
import type { Outcome, ReceiverResponse } from "../../domain/attempt.ts";
import { callTarget } from "../../egress/call-target.ts";
import { toBytesView } from "./bytes-view.ts";
import type { ExplainedOutcome, ResponseView } from "../contract/outcomes.ts";
import { explainFailure } from "./failure.ts";
import { explainResponse } from "./response.ts";
import type { MetRequest, Words } from "./words.ts";

export function explainOutcome(met: MetRequest): ExplainedOutcome {
  const { outcome, timings, address } = met.result;
  const told = { ...met, ...parseTarget(met.url), it: met.isTest ? "the test" : "the webhook" };
  const words =
    outcome.kind === "response"
      ? withOddity(explainResponse(outcome.response, told), outcome.message)
      : explainFailure(outcome, told);
  return {
    redirectUrl: null,
    ...words,
    response: outcome.kind === "response" ? toResponseView(outcome.response, met.isFresh) : null,
    phase: outcome.kind === "timeout" ? outcome.phase : null,
    technical: technicalWords(outcome),
    timings,
    address,
  };
}

/** The status counts, and the owner of a receiver learns what its answers do to other clients. */
const withOddity = (words: Words, oddity = ""): Words =>
  oddity === "" ? words : { ...words, advice: `${words.advice} ${oddity}`.trim() };

/** The target of a URL that was called; one that cannot be read any more is shown as it is. */
function parseTarget(url: string): { readonly host: string; readonly port: number } {
  const parsed = URL.parse(url);
  return parsed === null ? { host: url, port: 0 } : callTarget(parsed);
}

/**
 * Housekeeping empties old answers of headers and body. HTTP knows answers without both, but servers in use do not send
 * them: a `date` or `content-length` is always there.
 */
function toResponseView(response: ReceiverResponse, isFresh: boolean): ResponseView {
  const { status, headers, body, bodyCut } = response;
  const isPurged = !isFresh && body.length === 0 && Object.keys(headers).length === 0;
  return { status, headers, body: toBytesView(body, bodyCut), isCut: bodyCut, isPurged };
}

function technicalWords(outcome: Outcome): string {
  // The guard speaks to people: its words are the sentence and the advice already.
  if (!("message" in outcome) || outcome.kind === "blocked" || outcome.kind === "response") return "";
  return "code" in outcome ? `${outcome.code}: ${outcome.message}` : outcome.message;
}
