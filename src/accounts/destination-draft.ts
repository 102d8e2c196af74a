/**
 * Checks a Webhook URL with custom headers as a person typed them, and returns either a draft that may be saved or
 * tested, or every error. Save and Test check the form alike. Save also asks the egress guard; for a test the same
 * guard answers when it connects.
 */
import { checkCustomHeaders } from "../domain/custom-headers.ts";
import type { CustomHeader } from "../domain/destination.ts";
import { LIMITS } from "../domain/limits.ts";
import { type FieldError, type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import { type WebhookUrl, parseWebhookUrl } from "../egress/webhook-url.ts";
import type { DestinationSetup } from "../store/contract/accounts.ts";
import { type DestinationView, sealHeader } from "./account-view.ts";
import type { AccountsContext } from "./context.ts";
import { type HeaderForm, fillKeptSecrets } from "./kept-secrets.ts";

/** A Webhook URL with custom headers as the form sends it. */
export interface DestinationForm {
  readonly url: string;
  readonly headers: readonly HeaderForm[];
  /** The owner's rate limit in deliveries a second; none when left out. */
  readonly ratePerSecond?: number | null;
}

/** The form after its check: the URL parsed, kept secrets filled in. */
export interface CheckedDestination {
  readonly url: WebhookUrl;
  readonly headers: readonly CustomHeader[];
  readonly ratePerSecond: number | null;
}

export interface CheckForm {
  /** The destination that the form belongs to; `null` when it was never saved. */
  readonly saved: DestinationView | null;
  readonly signatureHeader: string;
}

/** Checks everything that needs no question to others, all at once: the URL's form, headers and rate limit. */
export function checkDestinationForm(
  form: DestinationForm,
  { saved, signatureHeader }: CheckForm,
): Result<CheckedDestination> {
  const url = parseWebhookUrl(form.url);
  const headers = checkHeaders(form.headers, { saved, signatureHeader, url: url.ok ? url.value : null });
  const ratePerSecond = form.ratePerSecond ?? null;
  if (url.ok && headers.ok && isRate(ratePerSecond)) {
    return ok({ url: url.value, headers: headers.value, ratePerSecond });
  }
  const problems = [
    ...(url.ok ? [] : [badUrl(url.error)]),
    ...(headers.ok ? [] : [badHeaders(headers.error)]),
    ...(isRate(ratePerSecond) ? [] : [badRate]),
  ];
  const errors = problems.flatMap((each) => each.errors ?? []);
  return refuse({ ...(problems[0] ?? badRate), errors });
}

/** Saved values are filled in first, because their length counts too. */
function checkHeaders(
  forms: readonly HeaderForm[],
  { saved, signatureHeader, url }: CheckForm & { readonly url: WebhookUrl | null },
): Result<readonly CustomHeader[], readonly FieldError[]> {
  const filled = fillKeptSecrets(forms, { saved, url });
  const checked = checkCustomHeaders(filled.headers, signatureHeader);
  const errors = [...filled.errors, ...(checked.ok ? [] : checked.error)];
  return errors.length === 0 ? ok(filled.headers) : refuse(errors);
}

/** The same check, plus whether the address may be called. The URL is kept exactly as it was checked. */
export async function checkDestination(
  ctx: Pick<AccountsContext, "checkUrl" | "signatureHeader">,
  form: DestinationForm,
  saved: DestinationView | null,
): Promise<Result<CheckedDestination>> {
  const checked = checkDestinationForm(form, { saved, signatureHeader: ctx.signatureHeader });
  if (!checked.ok) return checked;
  const blocked = await ctx.checkUrl(checked.value.url);
  return blocked === null ? checked : refuse(badUrl(blocked));
}

export function sealDestination(ctx: AccountsContext, id: string, checked: CheckedDestination): DestinationSetup {
  const headers = checked.headers.map((header) => sealHeader(id, header, ctx.sealer));
  return { id, url: checked.url.href, headers, ratePerSecond: checked.ratePerSecond };
}

const isRate = (rate: number | null): boolean =>
  rate === null || (rate >= LIMITS.ratePerSecondMin && rate <= LIMITS.ratePerSecondMax);

const badRate: Problem = problem("invalid_rate_limit", "The rate limit cannot be kept.", [
  {
    path: "ratePerSecond",
    message: `must be a number from ${LIMITS.ratePerSecondMin} to ${LIMITS.ratePerSecondMax}, or left out`,
  },
]);

const badHeaders = (errors: readonly FieldError[]): Problem =>
  problem("invalid_custom_headers", "Some custom headers cannot be sent.", errors);

const badUrl = (message: string): Problem =>
  problem("invalid_webhook_url", "The Webhook URL cannot be used.", [{ path: "url", message }]);
