/**
 * The request for an access token (RFC 6749 §4.4.2), and its answer: a token, or an outcome of the attempt. Pure. The
 * same sender and guard carry it as a webhook. A destination with a client certificate presents it there too, as RFC
 * 8705 asks for: tokens may then be bound to it. Messages are sentences for the webhook's owner that begin with the
 * endpoint's host; none holds the client secret.
 */
import type { ClientCredentials } from "../domain/authentication.ts";
import { LIMITS } from "../domain/limits.ts";
import type { WebhookRequest } from "./send/request.ts";
import type { Outcome, ReceiverResponse, SendResult } from "../domain/attempt.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { isOperatorsConcern } from "../egress/connect-outcome.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { durationInWords } from "../lib/written-times.ts";
import { maskEcho } from "./mask-echo.ts";

/** `webhook` is the request that the token is for. */
export function buildTokenRequest(oauth: ClientCredentials, webhook: WebhookRequest): WebhookRequest {
  const body = writeForm(oauth);
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(Buffer.byteLength(body)),
    accept: "application/json",
    "user-agent": webhook.headers["user-agent"] ?? "Bellwire",
    ...(oauth.clientAuthentication === "basic" ? { authorization: writeBasic(oauth) } : {}),
  };
  return {
    // Sockets of its own: every byte of a webhook is the receiver's alone.
    lane: `${webhook.lane} token`,
    owner: webhook.owner ?? webhook.lane,
    url: new URL(oauth.tokenUrl),
    deadlineMs: LIMITS.tokenDeadlineMs,
    headers,
    maskedHeaders: {},
    authentication: { oauth: null, certificate: webhook.authentication?.certificate ?? null },
    body,
    bytes: Buffer.from(body),
  };
}

function writeForm({ scope, audience, clientId, clientSecret, clientAuthentication }: ClientCredentials): string {
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scope !== "") form.set("scope", scope);
  if (audience !== "") form.set("audience", audience);
  if (clientAuthentication === "post") {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  }
  return form.toString();
}

/** RFC 6749 §2.3.1: both are encoded as in a form first. */
function writeBasic({ clientId, clientSecret }: ClientCredentials): string {
  return `Basic ${Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString("base64")}`;
}

const formEncode = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

/** Every form in which the token endpoint gets the client secret, for masking its answers. */
export function listSecrets(oauth: ClientCredentials): readonly string[] {
  return [oauth.clientSecret, formEncode(oauth.clientSecret), writeBasic(oauth)];
}

export interface GivenToken {
  readonly text: string;
  /** The time for which it may be used from now on. */
  readonly usableMs: number;
}

/** The answer to a token request; the failure is the outcome of the attempt that needed the token. */
export function readTokenAnswer(result: SendResult, oauth: ClientCredentials): Result<GivenToken, Outcome> {
  const { outcome } = result;
  const host = new URL(oauth.tokenUrl).host;
  if (outcome.kind !== "response") return refuse(unreached(outcome, host));
  const { response } = outcome;
  if (response.status >= 200 && response.status <= 299) return readToken(response, host);
  const retryAfter = response.headers["retry-after"];
  const refusal = refused(masked(result, oauth) ?? response, host);
  return refuse(retryAfter === undefined ? refusal : { ...refusal, retryAfter });
}

/** Some endpoints repeat what they got. */
function masked(result: SendResult, oauth: ClientCredentials): ReceiverResponse | null {
  const secrets = listSecrets(oauth).map((value) => ({ name: "authorization", value, secret: true }));
  const { outcome } = maskEcho(result, secrets);
  return outcome.kind === "response" ? outcome.response : null;
}

type TokenError = Extract<Outcome, { kind: "token_error" }>;

const failure = (code: string, message: string): TokenError => ({ kind: "token_error", code, message });

function unreached(outcome: Exclude<Outcome, { kind: "response" }>, host: string): Outcome {
  // A fault of ours, or of the operator's proxy, stays one.
  if (isOperatorsConcern(outcome)) return outcome;
  switch (outcome.kind) {
    case "timeout":
      return failure("TOKEN_TIMEOUT", `${host} didn't answer within ${durationInWords(LIMITS.tokenDeadlineMs)}.`);
    case "dns_error":
      return failure("TOKEN_NAME", `${host} could not be found (${outcome.code}).`);
    case "tls_error":
      return failure("TOKEN_TLS", `${host} has a certificate or TLS problem: ${outcome.message}`);
    case "blocked":
      return failure("TOKEN_BLOCKED", `${host} may not be called: ${outcome.message}`);
    case "network_error":
    case "proxy_error":
      return failure("TOKEN_UNREACHABLE", `${host} could not be reached: ${outcome.message}`);
    case "token_error":
    case "body_error":
    case "internal_error":
      return outcome;
  }
}

/** RFC 6749 §5.2: the errors that the owner of the client can mend, each with its own code. */
const CODES: Readonly<Record<string, string>> = {
  invalid_client: "TOKEN_INVALID_CLIENT",
  unauthorized_client: "TOKEN_UNAUTHORIZED_CLIENT",
  unsupported_grant_type: "TOKEN_UNAUTHORIZED_CLIENT",
  invalid_scope: "TOKEN_INVALID_SCOPE",
  invalid_target: "TOKEN_INVALID_SCOPE",
};

function refused(response: ReceiverResponse, host: string): TokenError {
  const { status } = response;
  if (status >= 300 && status <= 399) {
    return failure("TOKEN_REDIRECT", `${host} answered ${status}, a redirect, which is not followed.`);
  }
  if (status === 404 || status === 405) {
    return failure("TOKEN_NOT_FOUND", `${host} answered ${status}: it gives no tokens at this address.`);
  }
  if (status === 429 || status >= 500) return failure("TOKEN_UNAVAILABLE", `${host} answered ${status}.`);
  const { error, error_description: description } = parseObject(response) ?? {};
  const named = toWords(error);
  const why = toWords(description);
  const words = [named, why].filter((each) => each !== "").join(": ");
  const code = CODES[named] ?? (named === "" && status === 401 ? "TOKEN_INVALID_CLIENT" : "TOKEN_REFUSED");
  return failure(code, `${host} answered ${status}${words === "" ? "" : ` (${words})`} and gave no token.`);
}

/** Guess. The error's name and its description fit on one line. */
const WORDS_CHARS_MAX = 200;

function toWords(value: unknown): string {
  if (typeof value !== "string") return "";
  return value
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, WORDS_CHARS_MAX)
    .replace(/\.$/, "");
}

/** RFC 6750 §2.1, a little wider: every token that a header can carry unchanged. */
const TOKEN = /^[\x21-\x7e]+$/;
/** Guess: a token has to fit into a receiver's limit for headers, which is 8 KiB in many. */
const TOKEN_CHARS_MAX = 8 * 1024;

function readToken(response: ReceiverResponse, host: string): Result<GivenToken, Outcome> {
  const { access_token: text, token_type: type, expires_in: seconds } = parseObject(response) ?? {};
  if (typeof text !== "string" || text === "") {
    const cut = response.bodyCut ? `, whose first ${LIMITS.responseBytesMax / 1024} KiB were read` : "";
    return refuse(failure("TOKEN_MISSING", `${host} answered ${response.status} without an access_token${cut}.`));
  }
  if (!TOKEN.test(text) || text.length > TOKEN_CHARS_MAX) {
    return refuse(failure("TOKEN_UNUSABLE", `${host} gave a token that cannot be sent in a header.`));
  }
  if (typeof type === "string" && type.toLowerCase() !== "bearer") {
    return refuse(failure("TOKEN_UNUSABLE", `${host} gave a token of another type than Bearer.`));
  }
  return ok({ text, usableMs: computeUsableMs(seconds) });
}

/** Guess, for an endpoint that does not say it. A token that ends earlier is renewed on the receiver's 401. */
const LIFETIME_MS = minutesMs(5);
const LIFETIME_MS_MAX = minutesMs(24 * 60);
/** Guess. Before its end a token is not used any more: clocks differ, and the request is on its way for a while. */
const EARLY_MS_MAX = secondsMs(60);
const EARLY_SHARE = 0.1;

function computeUsableMs(expiresIn: unknown): number {
  const isDigits = typeof expiresIn === "string" && /^\d{1,10}$/.test(expiresIn);
  const seconds = isDigits ? Number(expiresIn) : expiresIn;
  const isKnown = typeof seconds === "number" && seconds >= 0;
  const lifetimeMs = isKnown ? Math.min(secondsMs(seconds), LIFETIME_MS_MAX) : LIFETIME_MS;
  return lifetimeMs - Math.min(EARLY_MS_MAX, lifetimeMs * EARLY_SHARE);
}

/** `null` for what is not a JSON object. */
function parseObject({ body }: ReceiverResponse): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
