/**
 * A webhook's access token and client certificate while somebody edits them. Pure: every change gives a new draft.
 *
 * The page never gets a saved client secret or private key. A draft that keeps one sends `null` in its place, and only
 * while Webhook URL and token URL lead to the servers that it was saved for.
 */
import type {
  AuthenticationForm,
  AuthenticationSettings,
  OauthForm,
} from "../../../src/dashboard/contract/destinations.ts";
import { withoutBlanks } from "../../../src/lib/pasted.ts";
import { count, date } from "../../words.ts";
import type { FieldErrors } from "../field-errors.ts";

export interface AuthenticationDraft {
  readonly hasToken: boolean;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly audience: string;
  readonly clientAuthentication: OauthForm["clientAuthentication"];
  /** The typed client secret replaces the saved one. */
  readonly isSecretReplaced: boolean;
  readonly hasCertificate: boolean;
  readonly chain: string;
  readonly key: string;
  /** The typed certificate and key replace the saved ones. */
  readonly isCertificateReplaced: boolean;
  readonly saved: AuthenticationSettings | null;
}

export function toAuthenticationDraft(saved: AuthenticationSettings | null): AuthenticationDraft {
  const { oauth = null, certificate = null } = saved ?? {};
  return {
    hasToken: oauth !== null,
    tokenUrl: oauth?.tokenUrl ?? "",
    clientId: oauth?.clientId ?? "",
    clientSecret: "",
    scope: oauth?.scope ?? "",
    audience: oauth?.audience ?? "",
    clientAuthentication: oauth?.clientAuthentication ?? "basic",
    isSecretReplaced: false,
    hasCertificate: certificate !== null,
    chain: certificate?.chain ?? "",
    key: "",
    isCertificateReplaced: false,
    saved,
  };
}

export const hasAuthentication = ({ hasToken, hasCertificate }: AuthenticationDraft): boolean =>
  hasToken || hasCertificate;

/** `hasMoved`: the Webhook URL leads to another server than the saved one. */
export function keepsClientSecret(draft: AuthenticationDraft, hasMoved: boolean): boolean {
  const { saved, isSecretReplaced, tokenUrl } = draft;
  if (saved === null || saved.oauth === null || isSecretReplaced || hasMoved) return false;
  return originOf(tokenUrl) === originOf(saved.oauth.tokenUrl);
}

export const keepsCertificate = ({ saved, isCertificateReplaced }: AuthenticationDraft, hasMoved: boolean): boolean =>
  saved !== null && saved.certificate !== null && !isCertificateReplaced && !hasMoved;

const originOf = (url: string): string | null => URL.parse(url.trim())?.origin ?? null;

/** `null` for neither. */
export function toAuthenticationForm(draft: AuthenticationDraft, hasMoved: boolean): AuthenticationForm | null {
  if (!hasAuthentication(draft)) return null;
  const { tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication, chain, key } = draft;
  const oauth = {
    tokenUrl: tokenUrl.trim(),
    clientId: withoutBlanks(clientId),
    clientSecret: keepsClientSecret(draft, hasMoved) ? null : clientSecret,
    scope: withoutBlanks(scope),
    audience: withoutBlanks(audience),
    clientAuthentication,
  };
  const certificate = { chain, key: keepsCertificate(draft, hasMoved) ? null : key };
  return { oauth: draft.hasToken ? oauth : null, certificate: draft.hasCertificate ? certificate : null };
}

const PATH = "authentication";

/** The errors that the page can find by itself, under the paths that the service gives too. */
export function checkAuthentication(draft: AuthenticationDraft, hasMoved: boolean): FieldErrors {
  const { oauth = null, certificate = null } = toAuthenticationForm(draft, hasMoved) ?? {};
  const isFirst = draft.saved === null;
  const missing = [
    [oauth?.tokenUrl, "oauth.tokenUrl", "Enter the token URL of your identity provider."],
    [oauth?.clientId, "oauth.clientId", "Enter the client id."],
    [oauth?.clientSecret, "oauth.clientSecret", isFirst || !hasMoved ? "Enter the client secret." : AGAIN],
    [certificate?.chain.trim(), "certificate.chain", "Paste the certificate."],
    [certificate?.key?.trim(), "certificate.key", isFirst || !hasMoved ? "Paste the private key." : AGAIN],
  ] as const;
  return Object.fromEntries(
    missing.flatMap(([value, path, words]) => (value === "" ? [[`${PATH}.${path}`, words]] : [])),
  );
}

const AGAIN = "Enter it again: the Webhook URL leads to another server now.";

/** The names of the fields, for the sentences of the service. */
export const AUTHENTICATION_SUBJECTS: Readonly<Record<string, string>> = {
  "authentication.oauth.tokenUrl": "The token URL",
  "authentication.oauth.clientId": "The client id",
  "authentication.oauth.clientSecret": "The client secret",
  "authentication.oauth.scope": "The scope",
  "authentication.oauth.audience": "The audience",
  "authentication.certificate.chain": "The certificate",
  "authentication.certificate.key": "The private key",
};

/* The section and its parts take the same: the draft, what is wrong with it, and who is told of a change. */

export interface AuthenticationProps {
  readonly draft: AuthenticationDraft;
  /** The Webhook URL leads to another server than the saved one. */
  readonly hasMoved: boolean;
  readonly errors: FieldErrors;
  /** `keys` are the fields that have changed. */
  readonly onChange: (draft: AuthenticationDraft, ...keys: readonly string[]) => void;
  readonly onLeave: (key: string) => void;
  readonly isReadOnly: boolean;
}

/* The warning before a client certificate ends. Pure. */

const DAY_MS = 86_400_000;
/** Guess. Owners need some days to get a new one. */
const WARNING_MS = 30 * DAY_MS;

/** `null` while it has more than 30 days. */
export function certificateEndWords(
  validToMs: number,
  nowMs: number,
): { readonly tone: "warn" | "bad"; readonly title: string } | null {
  const leftMs = validToMs - nowMs;
  if (leftMs > WARNING_MS) return null;
  if (leftMs <= 0) return { tone: "bad", title: `This certificate ended on ${date(validToMs)}. Replace it.` };
  const days = Math.floor(leftMs / DAY_MS);
  const left = days === 0 ? "in less than a day" : `in ${count(days, "day")}`;
  return { tone: "warn", title: `This certificate ends ${left}, on ${date(validToMs)}. Replace it before.` };
}
