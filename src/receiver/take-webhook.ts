/**
 * The common part of the adapters: verifies a request's bytes, skips repeats, passes the event on, and chooses the
 * answer.
 *
 * | Answer | when | what the sender does |
 * |---|---|---|
 * | 200 | handled, now or before | nothing more |
 * | 401 | not verified | tries again: a secret may just be changing |
 * | 409 | the same webhook is being handled right now | tries again |
 * | 422 | signed, but not an event of Bellwire | tries again, so that a correction may save it |
 *
 * No answer carries `Retry-After`: because of one webhook, the sender would hold back every delivery to this receiver.
 * The adapter answers an error of `onEvent` with 5xx. The webhook is then forgotten, and the retry handles it.
 */
import type { WebhookEvent } from "./events.ts";
import type { RawBody } from "./raw-body.ts";
import { type RepeatStore, createMemoryRepeats } from "./repeats.ts";
import {
  BOTH,
  type NamedEvent,
  type PublicKeys,
  type Secrets,
  type VerifyOptions,
  type VerifyReason,
  keyList,
  reasonInWords,
  secretList,
  verify,
} from "./verify-event.ts";
import type { WebhookHeaders } from "./verify.ts";

/** Secrets or public keys. A function is called for each webhook, so that a rotation needs no restart. */
type Trust =
  | { readonly secrets: Secrets | (() => Secrets); readonly publicKey?: never }
  | { readonly publicKey: PublicKeys | (() => PublicKeys); readonly secrets?: never };

export type ReceiveOptions<Event extends NamedEvent = WebhookEvent> = Trust & ReceiveHow<Event>;

interface ReceiveHow<Event extends NamedEvent> extends Pick<VerifyOptions, "signatureHeader" | "toleranceSeconds"> {
  /**
   * Called with each event that is genuine and new, also of a type that `Event` does not have. The sender waits at most
   * 15 seconds for the answer: keep the event and do the work later. When it throws, the sender tries again.
   */
  readonly onEvent: (event: Event, delivery: ReceivedDelivery) => unknown;
  /** Called for each refused webhook; for a log. */
  readonly onRefused?: (reason: VerifyReason) => void;
  /** The memory of handled webhooks: this process's memory unless given; `null` remembers nothing. */
  readonly repeats?: RepeatStore | null;
  readonly nowMs?: () => number;
}

export interface ReceivedDelivery {
  readonly webhookId: string;
  /** A person sent it from the dashboard: the body is a sample, and no event stands behind it. */
  readonly isTest: boolean;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type TakeWebhook = (rawBody: RawBody, headers: WebhookHeaders) => Promise<WebhookAnswer>;

/** Rejects with the error of `onEvent` or of the store. Throws when neither secret nor public key is given. */
export function createTakeWebhook<Event extends NamedEvent>(options: ReceiveOptions<Event>): TakeWebhook {
  const { secrets, publicKey, onEvent, onRefused, nowMs, repeats = createMemoryRepeats(), ...rest } = options;
  // At the start, and not with the first webhook.
  if (secrets !== undefined && publicKey !== undefined) throw new Error(BOTH);
  if (publicKey === undefined && typeof secrets !== "function") secretList(secrets);
  if (publicKey !== undefined && typeof publicKey !== "function") keyList(publicKey);
  const trustNow = (): VerifyOptions =>
    publicKey === undefined ? { secrets: valueOf(secrets) } : { publicKey: valueOf(publicKey) };
  return async (rawBody, headers) => {
    const now = nowMs === undefined ? {} : { nowMs: nowMs() };
    const verified = verify<Event>(rawBody, headers, { ...rest, ...now, ...trustNow() });
    if (!verified.valid) {
      onRefused?.(verified.reason);
      return refusal(verified.reason);
    }
    const { event, webhookId, isTest } = verified;
    if (repeats === null) {
      await onEvent(event, { webhookId, isTest });
      return answer(200, "verified");
    }
    return await handleOnce(repeats, webhookId, () => onEvent(event, { webhookId, isTest }));
  };
}

const valueOf = <Value extends Secrets>(value: Value | (() => Value)): Value =>
  typeof value === "function" ? value() : value;

async function handleOnce(repeats: RepeatStore, webhookId: string, handle: () => unknown): Promise<WebhookAnswer> {
  const begun = await repeats.begin(webhookId);
  if (begun === "done") return answer(200, "verified, and handled before");
  if (begun === "running") return answer(409, "this webhook is being handled right now");
  try {
    await handle();
  } catch (error) {
    await repeats.forget(webhookId);
    throw error;
  }
  await repeats.finish(webhookId);
  return answer(200, "verified");
}

function refusal(reason: VerifyReason): WebhookAnswer {
  const status = reason === "body_malformed" ? 422 : 401;
  return answer(status, `not verified: ${reasonInWords(reason)}`);
}

/** Every adapter reads no more than this. The service's bodies have at most a bit over 1 MiB. */
export const BODY_BYTES_MAX = 2 * 1024 * 1024;
export const TOO_LARGE = answer(413, `this receiver takes bodies of up to ${BODY_BYTES_MAX} bytes`);
export const POST_ONLY = answer(405, "this is a webhook receiver: it takes POST requests", { allow: "POST" });

function answer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): WebhookAnswer {
  return { status, text: `${text}\n`, headers: { "content-type": "text/plain; charset=utf-8", ...headers } };
}
