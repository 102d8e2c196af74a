/**
 * The request for an access token: RFC 6749 §4.4.2, by the same sender and guard as a webhook. A destination with a
 * client certificate presents it there too, as RFC 8705 asks for: tokens may then be bound to it. Pure.
 */
import type { ClientCredentials } from "../../domain/authentication.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { WebhookRequest } from "../send/request.ts";

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

/** Every writing of the client secret that the token endpoint gets, for masking what it says. */
export function listSecrets(oauth: ClientCredentials): readonly string[] {
  return [oauth.clientSecret, formEncode(oauth.clientSecret), writeBasic(oauth)];
}
