/**
 * A Webhook URL with custom headers while somebody edits it. Pure: every change gives a new draft.
 *
 * Rows have ids of their own, so typing keeps the focus and rows never trade places. A secret value that is saved never
 * comes to the page: its row keeps it (`value: null` in what is sent) until it is replaced, and only while the Webhook
 * URL leads to the same origin. Else whoever may edit could send a secret to a server of their own.
 */
import type { HeaderForm, WebhookForm, WebhookSettings } from "../../../src/dashboard/contract/destinations.ts";
import { parsePastedHeaders } from "../headers/pasted-lines.ts";
import { looksSecret } from "../headers/secret-names.ts";

export interface HeaderRow {
  readonly id: number;
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** The name under which the service has a secret value for this row; `null` when it has none. */
  readonly savedAs: string | null;
  /** The saved value is being replaced by what is typed. */
  readonly isReplaced: boolean;
  /** Somebody has set the tick; the name decides no more. */
  readonly isTickChosen: boolean;
}

export interface WebhookDraft {
  readonly url: string;
  readonly rows: readonly HeaderRow[];
  /** As typed; empty for no limit. */
  readonly rate: string;
  /** Of the URL that is saved; `null` when none is. */
  readonly savedOrigin: string | null;
  readonly nextId: number;
}

export function draftOf(saved: WebhookSettings | null): WebhookDraft {
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
    rate: saved?.ratePerSecond?.toString() ?? "",
    savedOrigin: originOf(saved?.url ?? ""),
    nextId: rows.length + 1,
  };
}

/** Whether the Webhook URL leads elsewhere than the one that is saved. What is not a URL yet leads nowhere. */
export function hasNewOrigin({ url, savedOrigin }: WebhookDraft): boolean {
  const origin = originOf(url);
  return savedOrigin !== null && origin !== null && origin !== savedOrigin;
}

/** Whether this row's value stays the one that the service has. */
export function keepsSaved(draft: WebhookDraft, row: HeaderRow): boolean {
  return row.savedAs !== null && row.savedAs === row.name && !row.isReplaced && !hasNewOrigin(draft);
}

export function addRow(draft: WebhookDraft): WebhookDraft {
  return { ...draft, rows: [...draft.rows, newRow(draft.nextId)], nextId: draft.nextId + 1 };
}

export function removeRow(draft: WebhookDraft, id: number): WebhookDraft {
  return { ...draft, rows: draft.rows.filter((row) => row.id !== id) };
}

export function nameRow(draft: WebhookDraft, id: number, name: string): WebhookDraft {
  return changeRow(draft, id, (row) => ({
    ...row,
    name,
    isSecret: row.isTickChosen ? row.isSecret : looksSecret(name),
  }));
}

export function changeRow(draft: WebhookDraft, id: number, change: (row: HeaderRow) => HeaderRow): WebhookDraft {
  return { ...draft, rows: draft.rows.map((row) => (row.id === id ? change(row) : row)) };
}

/**
 * Fills this row and as many new ones behind it as there are lines. `null` when the text is not a list of headers, or
 * has one line only that is meant for a field with something in it already.
 */
export function pasteIntoRow(draft: WebhookDraft, id: number, text: string): WebhookDraft | null {
  const row = draft.rows.find((each) => each.id === id);
  const pasted = parsePastedHeaders(text);
  if (row === undefined || pasted === null) return null;
  if (pasted.length === 1 && (row.name !== "" || row.value !== "")) return null;
  const isEmpty = row.name === "" && row.value === "";
  const added = pasted.map(({ name, value }, index): HeaderRow => ({
    ...newRow(isEmpty && index === 0 ? id : draft.nextId + index),
    name,
    value,
    isSecret: looksSecret(name),
  }));
  const rows = draft.rows.flatMap((each) => (each.id !== id ? [each] : isEmpty ? added : [each, ...added]));
  return { ...draft, rows, nextId: draft.nextId + pasted.length };
}

/** What is sent, and which row each of its headers came from. Rows in which nothing was typed are left out. */
export function formOf(draft: WebhookDraft): { readonly form: WebhookForm; readonly rows: readonly HeaderRow[] } {
  const rows = draft.rows.filter((row) => row.name !== "" || row.value !== "" || row.savedAs !== null);
  const headers = rows.map((row): HeaderForm => ({
    name: row.name.trim(),
    value: keepsSaved(draft, row) ? null : row.value,
    secret: row.isSecret,
  }));
  return { form: { url: draft.url.trim(), headers, ratePerSecond: rateOf(draft.rate) }, rows };
}

/** Two drafts are the same when they would send the same. */
export function sends(draft: WebhookDraft): string {
  return JSON.stringify([formOf(draft).form, draft.rate.trim()]);
}

/** `null` for no limit; what is no number stays one (NaN), for the check to refuse. */
export function rateOf(rate: string): number | null {
  const trimmed = rate.trim().replace(",", ".");
  return trimmed === "" ? null : Number(trimmed);
}

/** Scheme, host and port; `null` for what is not a URL that can be called. */
export function originOf(url: string): string | null {
  try {
    const { protocol, origin } = new URL(url.trim());
    return protocol === "https:" || protocol === "http:" ? origin : null;
  } catch {
    return null;
  }
}

function newRow(id: number): HeaderRow {
  return { id, name: "", value: "", isSecret: false, savedAs: null, isReplaced: false, isTickChosen: false };
}
