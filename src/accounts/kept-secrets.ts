/**
 * Custom headers as the form sends them. The page does not have the secret values that were saved before, so `value:
 * null` keeps one. Pure.
 *
 * Invariant: a kept value only goes to the origin that it was saved for. Otherwise an editor could point the URL at a
 * server of their own, press Test, and read a secret that the dashboard never shows.
 */
import type { CustomHeader } from "../domain/destination.ts";
import type { FieldError } from "../domain/problem.ts";
import type { HeaderForm } from "../domain/webhook-form.ts";
import type { WebhookUrl } from "../egress/webhook-url.ts";
import { withoutBlanks } from "../lib/pasted.ts";
import type { DestinationView } from "./account-view.ts";

export interface KeptFor {
  readonly saved: DestinationView | null;
  /** The new address; `null` when the form's text is not a URL, and then no value is kept. */
  readonly url: WebhookUrl | null;
}

export interface FilledHeaders {
  readonly headers: readonly CustomHeader[];
  /** One error for each row that cannot be kept; the values of those rows are empty. */
  readonly errors: readonly FieldError[];
}

/** Fills in the saved values. */
export function fillKeptSecrets(forms: readonly HeaderForm[], { saved, url }: KeptFor): FilledHeaders {
  const errors: FieldError[] = [];
  const hasMoved = saved !== null && url !== null && new URL(saved.url).origin !== url.origin;
  const headers = forms.map((header, row): CustomHeader => {
    // Blanks around a value never arrive: RFC 9110 §5.5 has them removed.
    if (header.value !== null) return { ...header, value: withoutBlanks(header.value) };
    if (url === null) return { ...header, value: "" };
    const kept = findSecret(saved, header.name);
    const message = reasonAgainst(header, { kept, hasMoved });
    if (message === null) return { ...header, value: kept?.value ?? "" };
    errors.push({ path: `headers[${row}].value`, message });
    return { ...header, value: "" };
  });
  return { headers, errors };
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
