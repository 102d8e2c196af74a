/**
 * A destination's authentication as the form sends it. The page does not have the secrets that were saved before, so
 * `null` keeps one. Returns what may be saved or tested, or every error. Pure, the certificate's reading aside.
 *
 * Invariants: a kept secret is used for the two servers that it was saved for only, as with secret headers; at most one
 * of OAuth and the owner's headers sets `Authorization`.
 */
import {
  type Authentication,
  CLIENT_AUTHENTICATIONS,
  type ClientCertificate,
  type ClientCredentials,
} from "../domain/authentication.ts";
import { LIMITS } from "../domain/limits.ts";
import type { FieldError, Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { AuthenticationForm, CertificateForm, OauthForm } from "../domain/webhook-form.ts";
import { mendPem } from "../lib/mend-pem.ts";
import { pasteFault, withoutBlanks } from "../lib/pasted.ts";
import { refuseCertificate } from "../egress/client-certificate.ts";
import { type WebhookUrl, parseTokenUrl } from "../egress/webhook-url.ts";
import type { KeptFor } from "./kept-secrets.ts";

export interface CheckAuthentication extends KeptFor {
  /** The names of the custom headers. */
  readonly headerNames: readonly string[];
  readonly nowMs: number;
}

/** `null` for neither. */
export function checkAuthentication(
  form: AuthenticationForm | null,
  check: CheckAuthentication,
): Result<Authentication | null, readonly FieldError[]> {
  if (form === null || (form.oauth === null && form.certificate === null)) return ok(null);
  const oauth = form.oauth === null ? ok(null) : checkOauth(form.oauth, check);
  const certificate = form.certificate === null ? ok(null) : checkCertificate(form.certificate, check);
  if (oauth.ok && certificate.ok) return ok({ oauth: oauth.value, certificate: certificate.value });
  return refuse([...(oauth.ok ? [] : oauth.error), ...(certificate.ok ? [] : certificate.error)]);
}

function checkOauth(form: OauthForm, check: CheckAuthentication): Result<ClientCredentials, readonly FieldError[]> {
  const saved = check.saved?.authentication?.oauth ?? null;
  const tokenUrl = parseTokenUrl(form.tokenUrl, saved?.tokenUrl);
  const secret = findSecret(form, tokenUrl.ok ? tokenUrl.value : null, check);
  const clientId = withoutBlanks(form.clientId);
  const scope = withoutBlanks(form.scope);
  const audience = withoutBlanks(form.audience);
  const errors = [
    ...fault("tokenUrl", tokenUrl.ok ? null : tokenUrl.error),
    ...fault(
      "clientId",
      clientId === "" ? "is empty; enter the client id" : textFault(clientId, LIMITS.clientIdCharsMax),
    ),
    ...fault("clientSecret", secret.ok ? secretFault(secret.value, saved?.clientSecret) : secret.error),
    ...fault("scope", scopeFault(scope)),
    ...fault("audience", textFault(audience, LIMITS.audienceCharsMax)),
    ...fault("clientAuthentication", CLIENT_AUTHENTICATIONS.includes(form.clientAuthentication) ? null : WAYS),
    ...authorizationFaults(check.headerNames),
  ];
  if (!tokenUrl.ok || !secret.ok || errors.length > 0) return refuse(errors);
  const { clientAuthentication } = form;
  return ok({
    tokenUrl: tokenUrl.value.href,
    clientId,
    clientSecret: secret.value,
    scope,
    audience,
    clientAuthentication,
  });
}

const WAYS = `must be one of ${CLIENT_AUTHENTICATIONS.join(" and ")}`;

const fault = (field: string, message: string | null): FieldError[] =>
  message === null ? [] : [{ path: `authentication.oauth.${field}`, message }];

const secretFault = (secret: string, saved: string | undefined): string | null =>
  secret === saved ? null : textFault(secret, LIMITS.clientSecretCharsMax, true);

/** RFC 6749, appendix A.1 and A.2: id and secret are visible ASCII. */
function textFault(text: string, charsMax: number, isSecret = false): string | null {
  if (text.length > charsMax) return `has ${text.length} characters; at most ${charsMax} are taken`;
  const pasted = pasteFault(text, { kind: "words", isSecret });
  if (pasted !== null) return pasted;
  return /^[\x20-\x7e]*$/.test(text) ? null : "may have visible ASCII characters only, and no line breaks";
}

/** RFC 6749 §3.3. */
const scopeFault = (scope: string): string | null =>
  /["\\]/.test(scope)
    ? 'may have no " and no \\; write names with blanks between them'
    : textFault(scope, LIMITS.scopeCharsMax);

function authorizationFaults(headerNames: readonly string[]): FieldError[] {
  const row = headerNames.findIndex((name) => name.trim().toLowerCase() === "authorization");
  if (row < 0) return [];
  const message = '"Authorization" carries the access token of OAuth; remove this header, or switch OAuth off';
  return [{ path: `headers[${row}].name`, message }];
}

/** The typed secret, or the saved one where it may be kept. */
function findSecret(
  { clientSecret }: OauthForm,
  tokenUrl: WebhookUrl | null,
  { saved, url }: CheckAuthentication,
): Result<string, string> {
  if (clientSecret !== null) {
    const typed = withoutBlanks(clientSecret);
    return typed === "" ? refuse("is empty; enter the client secret") : ok(typed);
  }
  const former = saved?.authentication?.oauth ?? null;
  if (former === null) return refuse("has no saved value; enter the client secret");
  if (hasMoved(former.tokenUrl, tokenUrl)) return refuse(`${AGAIN}, because the token URL leads to another server now`);
  // A token is as good as a secret: whoever gets one can call the receiver.
  if (hasMoved(saved?.url ?? "", url)) return refuse(`${AGAIN}, ${BECAUSE_MOVED}`);
  return ok(former.clientSecret);
}

const AGAIN = "must be entered again";
const BECAUSE_MOVED = "because the Webhook URL leads to another server now";

/** A text that is no URL is refused anyway, and keeps nothing. */
const hasMoved = (savedUrl: string, url: WebhookUrl | null): boolean =>
  url !== null && URL.parse(savedUrl)?.origin !== url.origin;

function checkCertificate(
  form: CertificateForm,
  check: CheckAuthentication,
): Result<ClientCertificate, readonly FieldError[]> {
  const key = findKey(form, check);
  if (!key.ok) return refuse([{ path: "authentication.certificate.key", message: key.error }]);
  const certificate = { chain: toPem(form.chain), key: toPem(key.value) };
  const savedChain = check.saved?.authentication?.certificate?.chain ?? "";
  // One that was saved may be kept beyond its end: other settings of the webhook can still be changed.
  const isKept = toPem(savedChain) === certificate.chain;
  const refused = refuseCertificate(certificate, isKept ? -Infinity : check.nowMs);
  if (refused !== null)
    return refuse([{ path: `authentication.certificate.${refused.field}`, message: refused.message }]);
  if (check.url?.protocol === "http:")
    return refuse([{ path: "authentication.certificate.chain", message: NEEDS_TLS }]);
  return ok(certificate);
}

const NEEDS_TLS = "is presented over https: only; write https:// in the Webhook URL, or remove the certificate";

const toPem = (text: string): string => `${mendPem(text)}\n`;

function findKey({ key }: CertificateForm, { saved, url }: CheckAuthentication): Result<string, string> {
  if (key !== null) return ok(key);
  const former = saved?.authentication?.certificate ?? null;
  if (former === null) return refuse("has no saved value; paste the certificate's private key");
  return hasMoved(saved?.url ?? "", url) ? refuse(`${AGAIN}, ${BECAUSE_MOVED}`) : ok(former.key);
}
