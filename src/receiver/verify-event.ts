/**
 * `bellwire/receiver`: a webhook in one call. Checks both signatures over the raw body, then returns the typed event,
 * or the reason for the refusal. `verify.ts` has the cryptography.
 *
 * Strict: a webhook without the Standard Webhooks headers is refused, although its `x-service-signature` may be right.
 * That signature covers the body and no time. An attacker who has recorded one webhook could take the other headers off
 * and send it again at any time; `requireStandard: false` allows just that.
 */
import { pasteFault } from "../lib/pasted.ts";
import { systemClock } from "../lib/clock.ts";
import type { WebhookEvent } from "./events.ts";
import { type RawBody, toBytes } from "./raw-body.ts";
import {
  FAILURE_SENTENCES,
  type VerifyFailure,
  type VerifyOptions as SignatureOptions,
  type WebhookHeaders,
  type WebhookToVerify,
  type Verification,
  assertSecret,
  isTestId,
  parsePublicKey,
  verify as verifySignatures,
  verifyByKey,
} from "./verify.ts";

/** As the dashboard shows it, with `whsec_`: one, or both during a rotation. */
export type Secrets = string | readonly string[];

/** The other way: `whpk_…` or PEM, as the dashboard shows it. A receiver then holds nothing that could sign. */
export type PublicKeys = string | readonly string[];

type CommonOptions = Partial<Omit<SignatureOptions, "requireStandard">>;

export type VerifyOptions = CommonOptions & { readonly requireStandard?: true } & (
    | { readonly secrets: Secrets; readonly publicKey?: never }
    | { readonly publicKey: PublicKeys; readonly secrets?: never }
  );

/** For senders that cannot set the Standard Webhooks headers. A recorded webhook can then be replayed. */
export interface ReplayableOptions extends CommonOptions {
  readonly secrets: Secrets;
  readonly publicKey?: never;
  readonly requireStandard: false;
}

export type VerifyReason =
  | VerifyFailure
  /** Signed, but not a JSON object that names its event: it does not come from Bellwire. */
  | "body_malformed";

/** A body of any type. */
export interface NamedEvent {
  readonly event: string;
}

/**
 * `Event` is the union of the bodies that this receiver's webhooks may bring. A body of another type is verified and
 * returned all the same, since its owner wants it: decide by `event.event`, and end with a default.
 */
export type VerifiedWebhook<Event extends NamedEvent = WebhookEvent, WebhookId = string> =
  | {
      readonly valid: true;
      readonly event: Event;
      /** Recognises repeats: the same on every attempt of a delivery, and when a person sends it again. */
      readonly webhookId: WebhookId;
      /** A person sent it from the dashboard: the body is a sample, and no event stands behind it. */
      readonly isTest: boolean;
    }
  | { readonly valid: false; readonly reason: VerifyReason };

/**
 * Whether this webhook is genuine, and its event. `rawBody` is the request's body as it came, before any parser;
 * `headers` are Node's or the `Headers` of fetch. Throws for a `rawBody` that is neither text nor bytes, without a
 * secret or public key, and with one for the other: any sender could sign with that.
 *
 * Declared types: `verify<WebhookEvent>(…)` with the `WebhookEvent` that `bellwire events types` prints.
 */
export function verify<Event extends NamedEvent = WebhookEvent>(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: Secrets | VerifyOptions,
): VerifiedWebhook<Event>;
export function verify<Event extends NamedEvent = WebhookEvent>(
  rawBody: RawBody,
  headers: WebhookHeaders,
  options: ReplayableOptions,
): VerifiedWebhook<Event, string | null>;
export function verify<Event extends NamedEvent>(
  rawBody: RawBody,
  headers: WebhookHeaders,
  trust: Secrets | VerifyOptions | ReplayableOptions,
): VerifiedWebhook<Event, string | null> {
  const body = toBytes(rawBody);
  const verification = verifyRaw({ body, headers }, toOptions(trust));
  if (!verification.valid) return verification;
  const event = parseEvent<Event>(body);
  if (event === null) return { valid: false, reason: "body_malformed" };
  const { webhookId } = verification;
  return { valid: true, event, webhookId, isTest: isTestId(webhookId) };
}

function verifyRaw(webhook: WebhookToVerify, options: VerifyOptions | ReplayableOptions): Verification {
  const { secrets, publicKey, nowMs = systemClock.nowMs(), requireStandard = true, ...rest } = options;
  if (publicKey === undefined)
    return verifySignatures(webhook, secretList(secrets), { ...rest, nowMs, requireStandard });
  if (secrets !== undefined) throw new Error(BOTH);
  return verifyByKey(webhook, keyList(publicKey), { ...rest, nowMs });
}

/** In JavaScript both may be there. Then it would have to be guessed which of the two is meant to be enough. */
export const BOTH = "give secrets or publicKey, and not both";

/** The reason in words, for a log; it does not help to forge a webhook. */
export function reasonInWords(reason: VerifyReason): string {
  if (reason === "body_malformed") return "the body is signed, but it is not a JSON object that names its event";
  return FAILURE_SENTENCES[reason];
}

const toOptions = (trust: Secrets | VerifyOptions | ReplayableOptions): VerifyOptions | ReplayableOptions =>
  typeof trust === "object" && ("secrets" in trust || "publicKey" in trust) ? trust : { secrets: trust };

/**
 * Throws when there is none: in JavaScript that is an environment variable that was not set. Throws too when something
 * came along with one, such as the line break of its file: no signature would match.
 */
export function secretList(secrets: Secrets | undefined): readonly string[] {
  const list = typeof secrets === "string" ? [secrets] : (secrets ?? []);
  if (list.length === 0 || list.includes("")) throw new Error("the Webhook Verification Secret is missing or empty");
  for (const secret of list) {
    assertSecret(secret);
    const fault = pasteFault(secret, { kind: "token", isSecret: true });
    if (fault !== null) throw new Error(`the Webhook Verification Secret ${fault}`);
  }
  return list;
}

/** Throws when there is none, and when one is no public key. */
export function keyList(publicKey: PublicKeys): readonly string[] {
  const list = typeof publicKey === "string" ? [publicKey] : publicKey;
  if (list.length === 0 || list.includes("")) throw new Error("the public key is missing or empty");
  for (const key of list) parsePublicKey(key);
  return list;
}

/**
 * The signature vouches for the form: a sender with the secret builds bodies by the schema that the types come from.
 */
function parseEvent<Event extends NamedEvent>(bytes: Uint8Array | string): Event | null {
  const body = parseJson(typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes));
  const isEvent = typeof body === "object" && body !== null && "event" in body && typeof body.event === "string";
  return isEvent ? (body as Event) : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
