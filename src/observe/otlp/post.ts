/**
 * Sends one request to the operator's collector. Its address comes from the settings alone, so the egress guard does
 * not check it, as with the mail server. Never rejects; redirects are not followed.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Clock } from "../../lib/clock.ts";
import { callHttp, keepConnections } from "../../lib/http-call.ts";
import { hostname } from "node:os";
import { type Random, newUuid } from "../../lib/random.ts";
import { VERSION } from "../../lib/version.ts";
import type { Attributes } from "./span.ts";

/** `again`: the specification allows another try. `waitMs`: the wait that the collector asked for. */
export type PostResult =
  | { readonly kind: "taken"; readonly rejected: number; readonly message: string }
  | { readonly kind: "again"; readonly reason: string; readonly waitMs: number }
  | { readonly kind: "refused"; readonly reason: string };

export interface Collector extends AsyncDisposable {
  post(json: string): Promise<PostResult>;
}

export interface CollectorOptions {
  readonly endpoint: string;
  /** Read again for each request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const toWaitMs = (retryAfter: unknown): number =>
  /^\d{1,9}(?:\.\d*)?$/.test(String(retryAfter)) ? Math.ceil(Number(retryAfter)) * 1_000 : 0;

const AGAIN: readonly number[] = [429, 502, 503, 504];
/** An answer says how many were rejected and why; a longer answer is not read. */
const ANSWER_BYTES_MAX = 16 * 1024;
const MESSAGE_CHARS_MAX = 200;

const pack = promisify(gzip);

export function createCollector(options: CollectorOptions): Collector {
  const { endpoint, clock, timeoutMs } = options;
  const url = new URL(endpoint);
  const agent = keepConnections(url, 1);
  const toHeaders = () => ({
    "user-agent": "OTel-OTLP-Exporter-Bellwire",
    accept: "*/*",
    ...options.headers,
    "content-type": "application/json",
    "content-encoding": "gzip",
  });

  async function send(json: string, signal: AbortSignal): Promise<PostResult> {
    const body = await pack(json);
    const { status, text, retryAfter } = await callHttp({
      url,
      method: "POST",
      headers: toHeaders(),
      body,
      answerBytesMax: ANSWER_BYTES_MAX,
      connectMsMax: timeoutMs,
      idleMsMax: timeoutMs,
      agent,
      signal,
    });
    if (status >= 200 && status < 300) return { kind: "taken", ...parsePartialSuccess(text) };
    const reason = `it answered ${status}`;
    if (!AGAIN.includes(status)) return { kind: "refused", reason };
    return { kind: "again", reason, waitMs: toWaitMs(retryAfter) };
  }

  return {
    async post(json) {
      const timeout = new AbortController();
      const cancel = clock.after(timeoutMs, () => timeout.abort(new Error(`no answer within ${timeoutMs} ms`)));
      try {
        return await send(json, timeout.signal);
      } catch (error) {
        return { kind: "again", reason: toReason(error), waitMs: 0 };
      } finally {
        cancel();
      }
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
    },
  };
}

/** `partialSuccess`: everything was taken but a part. Other fields of an answer are not used. */
function parsePartialSuccess(text: string): { rejected: number; message: string } {
  try {
    const answer = JSON.parse(text) as { partialSuccess?: Record<string, unknown> } | null;
    const { rejectedSpans, rejectedDataPoints, errorMessage } = answer?.partialSuccess ?? {};
    const message = typeof errorMessage === "string" ? errorMessage.slice(0, MESSAGE_CHARS_MAX) : "";
    return { rejected: Number(rejectedSpans ?? rejectedDataPoints ?? 0) || 0, message };
  } catch {
    return { rejected: 0, message: "" };
  }
}

/** The code where there is one: messages name addresses, which may carry a token. */
function toReason(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === "string" ? code : String(message).slice(0, MESSAGE_CHARS_MAX);
}

/* The attributes of this process in traces and metrics. */

export interface ResourceSettings {
  readonly otelResourceAttributes: Readonly<Record<string, string>>;
}

/** The operator's values win over ours. */
export function describeResource({ otelResourceAttributes }: ResourceSettings, random: Random): Attributes {
  return {
    "service.name": "bellwire",
    "service.version": VERSION,
    // Tells nodes apart, and a node from itself before its restart: sums of both begin at 0.
    "service.instance.id": newUuid(random),
    "host.name": hostname(),
    "process.pid": process.pid,
    "process.runtime.name": "nodejs",
    "process.runtime.version": process.versions.node,
    ...otelResourceAttributes,
  };
}
