/**
 * A webhook's settings while somebody edits them. Pure: every change gives a new draft.
 *
 * The page never gets a saved secret value. Its row sends `value: null`, which keeps it, until somebody replaces it,
 * and only while the Webhook URL leads to the same origin. Otherwise a person who may edit could have the service send
 * a secret to a server of their own.
 */
import type { HeaderForm, WebhookForm, WebhookSettings } from "../../../src/dashboard/contract/destinations.ts";
import { withoutBlanks } from "../../../src/lib/pasted.ts";
import {
  type AuthenticationDraft,
  keepsCertificate,
  keepsClientSecret,
  toAuthenticationDraft,
  toAuthenticationForm,
} from "../authentication/authentication-draft.ts";
import { isPulled } from "../../../src/domain/pull.ts";
import { type BodyDraft, followAddress, toBodyDraft, toBodySettings } from "../body/body-draft.ts";
import type { HeaderList, HeaderRow } from "../headers/rows.ts";
import { type KeptDraft, toKeptDraft, toKeptSettings } from "./kept-draft.ts";

export interface WebhookDraft extends HeaderList {
  readonly url: string;
  readonly authentication: AuthenticationDraft;
  readonly body: BodyDraft;
  readonly kept: KeptDraft;
  /** Scheme, host and port of the saved URL; `null` when none is saved. */
  readonly savedOrigin: string | null;
}

/** A form with a webhook in it. */
export interface HasWebhook {
  readonly webhook: WebhookDraft;
}

export function toDraft(saved: WebhookSettings | null): WebhookDraft {
  const rows = (saved?.headers ?? []).map(({ name, value, secret }, index): HeaderRow => ({
    id: index + 1,
    name,
    value: value ?? "",
    isSecret: secret,
    savedAs: value === null ? name : null,
    isReplaced: false,
    isTickChosen: true,
  }));
  return {
    url: saved?.url ?? "",
    rows,
    authentication: toAuthenticationDraft(saved?.authentication ?? null),
    body: toBodyDraft(saved),
    kept: toKeptDraft(saved),
    savedOrigin: parseOrigin(saved?.url ?? ""),
    nextId: rows.length + 1,
  };
}

/** With another Webhook URL, which may be that of a chat tool. */
export const withUrl = (draft: WebhookDraft, url: string): WebhookDraft => ({
  ...followAddress({ ...draft, url: completeUrl(url) }),
  url,
});

/** The same for another webhook: the values that only the service has are missing. */
export const copyDraft = (draft: WebhookDraft): WebhookDraft => ({
  ...draft,
  rows: draft.rows.map((row) => ({ ...row, savedAs: null })),
  authentication: { ...draft.authentication, saved: null },
  savedOrigin: null,
});

/** With nothing typed that is a secret: it has to be typed again. */
export const withoutSecrets = (draft: WebhookDraft): WebhookDraft => ({
  ...draft,
  rows: draft.rows.map((row) => (row.isSecret ? { ...row, value: "" } : row)),
  authentication: { ...draft.authentication, clientSecret: "", key: "" },
});

/** The secrets that a draft lacks, by their names: those that neither it nor the service has. */
export function listMissingSecrets(draft: WebhookDraft): readonly string[] {
  const { rows, authentication } = draft;
  const { hasToken, clientSecret, hasCertificate, key } = authentication;
  const hasMoved = hasNewOrigin(draft);
  const lacksSecret = hasToken && clientSecret === "" && !keepsClientSecret(authentication, hasMoved);
  const lacksKey = hasCertificate && key === "" && !keepsCertificate(authentication, hasMoved);
  return [
    ...rows.filter((row) => row.isSecret && row.value === "" && !keepsSaved(draft, row)).map(({ name }) => name),
    ...(lacksSecret ? ["client secret"] : []),
    ...(lacksKey ? ["private key"] : []),
  ];
}

/** Whether the Webhook URL leads elsewhere than the one that is saved. A text that is not a URL yet leads nowhere. */
export function hasNewOrigin({ url, savedOrigin }: WebhookDraft): boolean {
  const origin = parseOrigin(url);
  return savedOrigin !== null && origin !== null && origin !== savedOrigin;
}

/** Whether this row's value stays the one that the service has. */
export function keepsSaved(draft: WebhookDraft, row: HeaderRow): boolean {
  return row.savedAs !== null && row.savedAs === row.name && !row.isReplaced && !hasNewOrigin(draft);
}

/** The form that is sent, and the row that each of its headers came from. Empty rows are left out. */
export function toForm(draft: WebhookDraft): { readonly form: WebhookForm; readonly rows: readonly HeaderRow[] } {
  const rows = draft.rows.filter((row) => row.name !== "" || row.value !== "" || row.savedAs !== null);
  const headers = rows.map((row): HeaderForm => ({
    name: withoutBlanks(row.name),
    value: keepsSaved(draft, row) ? null : row.value,
    secret: row.isSecret,
  }));
  // What only a request would have is not sent with it.
  if (isPulled(draft)) {
    return {
      form: {
        url: draft.url,
        headers,
        ...toKeptSettings({ ...draft.kept, ratePerSecond: "", oneAtATime: "" }),
        ...toBodySettings(draft.body),
      },
      rows,
    };
  }
  const authentication = toAuthenticationForm(draft.authentication, hasNewOrigin(draft));
  const form = { url: draft.url.trim(), headers, ...toKeptSettings(draft.kept), ...toBodySettings(draft.body) };
  return { form: authentication === null ? form : { ...form, authentication }, rows };
}

/** Two drafts are the same when they would send the same. */
export function sends(draft: WebhookDraft): string {
  return JSON.stringify([toForm(draft).form, Object.values(draft.kept).map((text) => text.trim())]);
}

/** Scheme, host and port; `null` for what is not a URL that can be called. */
export function parseOrigin(url: string): string | null {
  try {
    const { protocol, origin } = new URL(url.trim());
    return protocol === "https:" || protocol === "http:" ? origin : null;
  } catch {
    return null;
  }
}

/** As far as a host is written: a name with a dot in it, localhost, or an address in brackets; and its port. */
const HOST = /^(?:localhost|\[[\da-f:.]+\]|[^\s/?#@:]+\.[^\s/?#@:]+)(?::\d+)?(?=[/?#]|$)/i;

/** With `https://` in front where only that is missing; any other text stays as it is, for the check to refuse. */
export function completeUrl(url: string): string {
  const trimmed = url.trim();
  return HOST.test(trimmed) ? `https://${trimmed}` : url;
}
