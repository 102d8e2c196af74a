/**
 * The request of an attempt exactly as it will be on the wire. Pure: the same body, target and instant give the same
 * request. `../build.ts` chooses the body.
 */
import type { Authentication } from "../../domain/authentication.ts";
import { signService, signStandard } from "../../domain/signature.ts";
import type { CustomHeader, Target } from "../../domain/destination.ts";
import { TEST_HEADER, isTestWebhookId } from "../../domain/delivery.ts";

export interface WebhookRequest {
  /** Names the lane that owns the sockets: destinations never share a connection pool. */
  readonly lane: string;
  /**
   * Names the account that takes turns in name look-ups, so that its dead names delay no other account; the lane when
   * left out.
   */
  readonly owner?: string;
  /** The address that was checked is the address that is connected to. */
  readonly url: URL;
  /** Left out or `null` for neither an access token nor a client certificate. */
  readonly authentication?: Authentication | null;
  /** The time that the request may take; the sender's own deadline when left out. */
  readonly deadlineMs?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `headers` with secret values masked, as they may be stored and shown. */
  readonly maskedHeaders: Readonly<Record<string, string>>;
  readonly body: string;
  /** `body` as it is signed and sent. */
  readonly bytes: Uint8Array;
}

export interface RequestNames {
  /** `x-service-signature`, unless the operator renamed it. Lower case. */
  readonly signatureHeader: string;
  /** `Bellwire/<version>` */
  readonly userAgent: string;
}

export const MASK = "••••••••";

export interface BuildRequestParams {
  readonly webhookId: string;
  readonly body: string;
  readonly target: Target;
  readonly nowMs: number;
  readonly names: RequestNames;
  /** The account; see `WebhookRequest.owner`. */
  readonly owner: string;
}

/** Builds the POST of decisions §3: custom headers first, ours written last so that none can be replaced. */
export function buildRequest({ webhookId, body, target, nowMs, names, owner }: BuildRequestParams): WebhookRequest {
  const timestampSeconds = Math.floor(nowMs / 1000);
  // Made of the text once, for the length, both signatures and the socket.
  const bytes = Buffer.from(body);
  const own: Record<string, string> = {
    "content-type": "application/json",
    "content-length": String(bytes.length),
    "user-agent": names.userAgent,
    [names.signatureHeader]: signService(bytes, currentSecret(target)),
    "webhook-id": webhookId,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({ id: webhookId, timestampSeconds, body: bytes }, target.secrets),
  };
  // Derived from the id, so that header and id always agree.
  if (isTestWebhookId(webhookId)) own[TEST_HEADER] = "1";
  const { sent, masked } = prepareCustom(target.headers);
  const headers = sent === null ? own : { ...sent, ...own };
  const shown = masked === sent ? headers : { ...masked, ...own };
  const { url, authentication = null, destinationId: lane } = target;
  // The token itself comes later (authorized-send.ts).
  const hasToken = authentication !== null && authentication.oauth !== null;
  const maskedHeaders = hasToken ? { ...shown, authorization: `Bearer ${MASK}` } : shown;
  return { lane, owner, url, authentication, headers, maskedHeaders, body, bytes };
}

const NO_BYTES = new Uint8Array();

/** For an attempt whose body could not be made: it says where the request would have gone, and is never sent. */
export const requestWithoutBody = ({ destinationId: lane, url }: Target): WebhookRequest => ({
  lane,
  url,
  headers: {},
  maskedHeaders: {},
  body: "",
  bytes: NO_BYTES,
});

function currentSecret(target: Target): string {
  const [secret] = target.secrets;
  if (secret === undefined) throw new Error("the account has no verification secret");
  return secret;
}

/** Custom headers under lower-case names; `null` for none. One object for both when no value is secret. */
interface CustomHeaders {
  readonly sent: Readonly<Record<string, string>> | null;
  readonly masked: Readonly<Record<string, string>> | null;
}

/** A destination's list of headers keeps them. Another version of the destination has another list. */
const customByList = new WeakMap<readonly CustomHeader[], CustomHeaders>();

function prepareCustom(headers: readonly CustomHeader[]): CustomHeaders {
  const known = customByList.get(headers);
  if (known !== undefined) return known;
  const sent = headers.length === 0 ? null : toRecord(headers, ({ value }) => value);
  const hasSecret = headers.some(({ secret }) => secret);
  const masked = hasSecret ? toRecord(headers, ({ value, secret }) => (secret ? MASK : value)) : sent;
  const custom = { sent, masked };
  customByList.set(headers, custom);
  return custom;
}

function toRecord(
  headers: readonly CustomHeader[],
  valueOf: (header: CustomHeader) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map((header) => [header.name.toLowerCase(), valueOf(header)]));
}
