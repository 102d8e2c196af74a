/**
 * Custom headers as they come from the form, where a secret value that was saved before is not in the page any more:
 * `value: null` keeps it. Pure.
 *
 * Invariant: a kept value only ever goes to the origin that it was saved for. Otherwise whoever may edit could point
 * the URL at a server of their own, press Test, and read a secret that nobody showed them.
 */
import type { CustomHeader } from "../domain/destination.ts";
import { type FieldError, type Result, ok, refuse } from "../domain/problem.ts";
import type { DestinationView } from "./account-view.ts";
import { type DestinationDraft, badHeaders } from "./destination-draft.ts";

/** A Webhook URL with custom headers as the form sends it. */
export interface DestinationForm extends Omit<DestinationDraft, "headers"> {
  readonly headers: readonly HeaderForm[];
}

export interface HeaderForm {
  readonly name: string;
  /** `null` keeps the secret value that is saved under this name. */
  readonly value: string | null;
  readonly secret: boolean;
}

/** Puts saved values in; refuses, row by row, those that cannot be kept. */
export function fillKeptSecrets(form: DestinationForm, saved: DestinationView | null): Result<DestinationDraft> {
  const errors: FieldError[] = [];
  const hasMoved = saved !== null && originOf(saved.url) !== originOf(form.url);
  const headers = form.headers.map((header, row): CustomHeader => {
    if (header.value !== null) return { ...header, value: header.value };
    const kept = findSecret(saved, header.name);
    const message = reasonAgainst(header, { kept, hasMoved });
    if (message !== null) errors.push({ path: `headers[${row}].value`, message });
    return { ...header, value: kept?.value ?? "" };
  });
  return errors.length === 0 ? ok({ ...form, headers }) : refuse(badHeaders(errors));
}

function findSecret(saved: DestinationView | null, name: string): CustomHeader | null {
  const lower = name.toLowerCase();
  return saved?.headers.find((header) => header.secret && header.name.toLowerCase() === lower) ?? null;
}

function reasonAgainst(
  { name, secret }: HeaderForm,
  { kept, hasMoved }: { readonly kept: CustomHeader | null; readonly hasMoved: boolean },
): string | null {
  if (kept === null) return `has no saved value under the name "${name}"; enter one`;
  if (!secret) return "is saved as a secret and cannot be shown; enter it again";
  if (hasMoved) return "must be entered again, because the Webhook URL leads to another server now";
  return null;
}

/** An address that cannot be read is no origin, also not its own: its secrets are never kept for it. */
function originOf(url: string): string | null {
  return URL.parse(url.trim())?.origin ?? null;
}
