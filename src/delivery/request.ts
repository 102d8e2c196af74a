/**
 * Step 1 of an attempt builds the request exactly as it will be on the wire. Pure: the same delivery, target and
 * instant give the same request. The body was stored when the event was accepted; only the time differs from attempt to
 * attempt.
 */
import { signService, signStandard } from "../domain/signature.ts";
import type { CustomHeader, Target } from "../domain/destination.ts";
import { TEST_HEADER, isTestWebhookId } from "../domain/test-mark.ts";

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
  readonly headers: Readonly<Record<string, string>>;
  /** `headers` with secret values masked, as they may be stored and shown. */
  readonly maskedHeaders: Readonly<Record<string, string>>;
  readonly body: string;
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
  const own = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": names.userAgent,
    [names.signatureHeader]: signService(body, currentSecret(target)),
    "webhook-id": webhookId,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({ id: webhookId, timestampSeconds, body }, target.secrets),
    // Derived from the id, so that header and id always agree.
    ...(isTestWebhookId(webhookId) ? { [TEST_HEADER]: "1" } : {}),
  };
  return {
    lane: target.destinationId,
    owner,
    url: target.url,
    headers: { ...customHeaders(target.headers, false), ...own },
    maskedHeaders: { ...customHeaders(target.headers, true), ...own },
    body,
  };
}

function currentSecret(target: Target): string {
  const [secret] = target.secrets;
  if (secret === undefined) throw new Error("the account has no verification secret");
  return secret;
}

function customHeaders(headers: readonly CustomHeader[], masked: boolean): Record<string, string> {
  const entries = headers.map(({ name, value, secret }) => [name.toLowerCase(), masked && secret ? MASK : value]);
  return Object.fromEntries(entries);
}
