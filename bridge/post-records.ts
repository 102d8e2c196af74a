/**
 * One batch of records to Bellwire's intake, once. The answer is a result for each line, or a reason to hold the batch
 * back: Bellwire cannot be reached, asks for a pause, does not know the key, or is not what answered.
 */
import { readBatchResults } from "../src/client/answers.ts";
import { attempt } from "../src/client/call.ts";
import type { Outside } from "../src/client/outside.ts";
import { secondsMs } from "../src/lib/duration.ts";
import type { Address } from "./address.ts";
import type { Fault } from "./port.ts";

export interface ServiceOptions {
  /** Without a slash at the end. */
  readonly url: string;
  /** Read again for each call. */
  readonly key: string;
  readonly outside: Outside;
}

export type RecordResult =
  | { readonly kind: "accepted"; readonly duplicate: boolean }
  | { readonly kind: "refused"; readonly fault: Fault };

/** `results` has one for each line. */
export type Posted =
  | { readonly kind: "answered"; readonly results: readonly RecordResult[] }
  | {
      readonly kind: "held";
      readonly reason: string;
      /** 0 when the answer does not say. */
      readonly retryAfterMs: number;
      /** No answer came: another account's batch would not be answered either. */
      readonly isAway: boolean;
      /** Bellwire itself failed, perhaps because of a record. */
      readonly isBroken: boolean;
      /** The call was too large for Bellwire, or for a proxy before it. */
      readonly isTooLarge: boolean;
    };

export type PostRecords = (address: Address, lines: readonly string[]) => Promise<Posted>;

/** The service commits before it answers, and waits for its disk. */
const ATTEMPT_MS = secondsMs(30);

/** Refusals of a whole call that are about its records; every other one is about the bridge, and holds it back. */
const REFUSALS_OF_RECORDS = new Set(["account_not_found", "unknown_event_type", "invalid_parameter"]);

export function createPost(options: ServiceOptions): PostRecords {
  return async (address, lines) => {
    const path = `/v1/accounts/${encodeURIComponent(address.account)}/events/${encodeURIComponent(address.event)}`;
    const content = { type: "application/x-ndjson", body: `${lines.join("\n")}\n` } as const;
    const call = { method: "POST", path, content, signal: undefined } as const;
    const outcome = await attempt({ ...options, attemptMs: ATTEMPT_MS }, call);
    if (outcome.kind === "answered") return readAnswer(outcome, lines.length);
    const { reason, retryAfterMs, status } = outcome;
    return { kind: "held", reason, retryAfterMs, isAway: status === null, isBroken: status === 500, isTooLarge: false };
  };
}

function readAnswer(answer: { readonly status: number; readonly text: string }, count: number): Posted {
  const read = readBatchResults({ kind: "answered", ...answer }, count);
  const results: RecordResult[] = [];
  for (const result of read) {
    if (result.kind === "accepted") results.push({ kind: "accepted", duplicate: result.duplicate });
    else {
      const isFinal = result.kind === "refused" && result.code !== "unexpected_answer";
      if (!isFinal || (answer.status !== 200 && !REFUSALS_OF_RECORDS.has(result.code))) return held(result, answer);
      results.push({ kind: "refused", fault: { code: result.code, detail: describe(result) } });
    }
  }
  return { kind: "answered", results };
}

type Read = ReturnType<typeof readBatchResults>[number];

const TOO_LARGE = 413;

function held(result: Read, { status }: { readonly status: number }): Posted {
  const reason = result.kind === "refused" ? `${result.code} (status ${result.status})` : "unavailable";
  return { kind: "held", reason, retryAfterMs: 0, isAway: false, isBroken: false, isTooLarge: status === TOO_LARGE };
}

function describe({ detail, errors }: Extract<Read, { kind: "refused" }>): string {
  const fields = errors.map(({ path, message }) => `${path === "" ? "it" : path} ${message}`);
  return [detail, ...fields].join("; ");
}
