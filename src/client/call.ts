/**
 * One call to the service, tried until it is answered or its time is over. A retry is safe, as a call names its subject
 * and the service recognises an id that it has seen; a call of which that is not true says so, and is made once.
 *
 *     wait for the gate ──► attempt ──► answered
 *            ▲                 └─► unavailable: back off; Retry-After shuts the gate for all calls
 *
 * Invariant: after a `Retry-After` this client makes no call before that time is over.
 */
import type { Outside } from "./outside.ts";

export interface CallOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** The time for which a call is retried. */
  readonly retryForMs: number;
  /** The longest duration of one attempt. */
  readonly attemptMs: number;
  readonly outside: Outside;
}

export interface SendOptions {
  /** Ends attempts and waiting; the call rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface Call {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Each segment is already encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What it does is done again by a repeat, or refused: no answer ends it, as nobody knows whether it was done. */
  readonly isOnce?: true;
  /** Left out where the address says everything. */
  readonly content?: {
    readonly type: "application/json" | "application/x-ndjson";
    readonly body: string;
  };
  readonly signal: AbortSignal | undefined;
}

export type CallOutcome =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  | { readonly kind: "unavailable"; readonly reason: string; readonly attempts: number };

export type MakeCall = (call: Call) => Promise<CallOutcome>;

/** The service says it before it begins. A 503 may follow what was done: a commit that nobody could confirm. */
const NOT_DONE = 429;

const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 30_000;
/** Some proxies ask for hours, and the waiting records would be old by then. A guess. */
const GATE_MS_MAX = 5 * 60_000;

/** Rejects only with the reason of the caller's own signal. */
export function createCall(options: CallOptions): MakeCall {
  const { outside, retryForMs } = options;
  let closedUntilMs = Number.NEGATIVE_INFINITY;

  /**
   * The back-off doubles, and waits between half and all of it, so that callers that failed together do not come back
   * together.
   */
  function ownPauseMs(attempts: number): number {
    if (attempts === 0) return 0;
    return Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (attempts - 1)) * (0.5 + outside.chance() / 2);
  }

  const gateMs = (): number => {
    const leftMs = closedUntilMs - outside.nowMs();
    return leftMs > 0 ? leftMs + FIRST_PAUSE_MS * outside.chance() : 0;
  };

  /** False when the time is over before this call may be made. */
  async function waitForTurn(attempts: number, giveUpAtMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    // Other calls may shut the gate again in the meantime.
    for (let delayMs = Math.max(ownPauseMs(attempts), gateMs()); delayMs > 0; delayMs = gateMs()) {
      if (outside.nowMs() + delayMs > giveUpAtMs) return false;
      await outside.wait(delayMs, signal);
    }
    return true;
  }

  return async (call) => {
    const giveUpAtMs = outside.nowMs() + retryForMs;
    let reason = "the service asked for a longer pause";
    for (let attempts = 0; ; attempts += 1) {
      if (!(await waitForTurn(attempts, giveUpAtMs, call.signal))) return { kind: "unavailable", reason, attempts };
      const outcome = await attempt(options, call);
      if (outcome.kind === "answered") return outcome;
      ({ reason } = outcome);
      closedUntilMs = Math.max(closedUntilMs, outside.nowMs() + Math.min(outcome.retryAfterMs, GATE_MS_MAX));
      if (call.isOnce === true && outcome.status !== NOT_DONE) {
        return { kind: "unavailable", reason, attempts: attempts + 1 };
      }
    }
  };
}

export type Attempt =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  | {
      readonly kind: "failed";
      readonly reason: string;
      /** `null` when no answer came. */
      readonly status: number | null;
      /** 0 when the answer does not say. */
      readonly retryAfterMs: number;
    };

/** One request, without a retry. Rejects only with the reason of the caller's own signal. */
export async function attempt(
  { url, key, attemptMs, outside }: Omit<CallOptions, "retryForMs">,
  call: Call,
): Promise<Attempt> {
  const deadline = AbortSignal.timeout(attemptMs);
  const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
  try {
    const answer = await outside.fetch(url + call.path, {
      method: call.method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(call.content === undefined ? {} : { "content-type": call.content.type }),
        ...call.headers,
      },
      body: call.content?.body ?? null,
      // The key is for this address alone, so redirects are not followed.
      redirect: "manual",
      signal,
    });
    const text = await answer.text();
    if (!isPassing(answer.status, text)) return { kind: "answered", status: answer.status, text };
    const { status } = answer;
    return { kind: "failed", reason: `status ${status}`, status, retryAfterMs: readRetryAfterMs(answer.headers) };
  } catch (error) {
    call.signal?.throwIfAborted();
    return {
      kind: "failed",
      reason: deadline.aborted ? `no answer in ${attemptMs} ms` : describeError(error),
      status: null,
      retryAfterMs: 0,
    };
  }
}

/**
 * Whether another attempt can change the answer. A wrong key stays wrong, even when the service asks for a pause
 * because of it.
 */
function isPassing(status: number, text: string): boolean {
  return (
    (status >= 500 && status !== 501) ||
    status === 408 ||
    (status === 429 && !/"too_many_bad_(?:keys|tokens)"/.test(text))
  );
}

/** Seconds only, as the service sends them: a date would need a clock that agrees with the server's. */
function readRetryAfterMs(headers: Headers): number {
  const given = (headers.get("retry-after") ?? "").split(/[\s",]+/);
  // A gateway may write decimals, or the header twice.
  return Math.max(
    0,
    ...given.filter((each) => /^\d{1,9}(?:\.\d*)?$/.test(each)).map((each) => Math.ceil(Number(each)) * 1000),
  );
}

/** `fetch` says only that it failed; the system's code is in the cause. */
export function describeError(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.message : String(cause);
}
