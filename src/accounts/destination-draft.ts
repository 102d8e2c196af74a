/**
 * A Webhook URL with custom headers, as a person typed them: checked, and sealed for the store. Save and Test check the
 * form alike. Save also asks the egress guard; for a test the same guard answers when it connects.
 */
import { checkCustomHeaders } from "../domain/custom-headers.ts";
import type { CustomHeader } from "../domain/destination.ts";
import { LIMITS } from "../domain/limits.ts";
import { type FieldError, type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import { parseWebhookUrl } from "../egress/webhook-url.ts";
import type { DestinationSetup } from "../store/store.ts";
import { sealHeader } from "./account-view.ts";
import type { AccountsContext } from "./context.ts";

export interface DestinationDraft {
  readonly url: string;
  readonly headers: readonly CustomHeader[];
  /** The owner's limit, deliveries a second; none when left out. */
  readonly ratePerSecond?: number | null;
}

/** What can be checked without asking anyone, all of it at once: the form of the URL, headers, and rate limit. */
export function checkDestinationForm(draft: DestinationDraft, signatureHeader: string): Result<URL> {
  const url = parseWebhookUrl(draft.url);
  const headers = checkCustomHeaders(draft.headers, signatureHeader);
  const problems = [
    ...(url.ok ? [] : [badUrl(url.error)]),
    ...(headers.ok ? [] : [badHeaders(headers.error)]),
    ...(isRate(draft.ratePerSecond ?? null) ? [] : [badRate]),
  ];
  const [first] = problems;
  if (first === undefined && url.ok) return url;
  const errors = problems.flatMap((each) => each.errors ?? []);
  return refuse({ ...(first ?? badRate), errors });
}

/** The same, and whether the address may be called. The URL comes back as it was checked, which is what is kept. */
export async function checkDestination(
  ctx: Pick<AccountsContext, "checkUrl" | "signatureHeader">,
  draft: DestinationDraft,
): Promise<Result<DestinationDraft>> {
  const url = checkDestinationForm(draft, ctx.signatureHeader);
  if (!url.ok) return url;
  const blocked = await ctx.checkUrl(url.value);
  return blocked === null ? ok({ ...draft, url: url.value.href }) : refuse(badUrl(blocked));
}

export function sealDestination(ctx: AccountsContext, id: string, draft: DestinationDraft): DestinationSetup {
  const headers = draft.headers.map((header) => sealHeader(id, header, ctx.sealer));
  return { id, url: draft.url, headers, ratePerSecond: draft.ratePerSecond ?? null };
}

const isRate = (rate: number | null): boolean =>
  rate === null || (rate >= LIMITS.ratePerSecondMin && rate <= LIMITS.ratePerSecondMax);

const badRate: Problem = problem("invalid_rate_limit", "The rate limit cannot be kept.", [
  {
    path: "ratePerSecond",
    message: `must be a number from ${LIMITS.ratePerSecondMin} to ${LIMITS.ratePerSecondMax}, or left out`,
  },
]);

export const badHeaders = (errors: readonly FieldError[]): Problem =>
  problem("invalid_custom_headers", "Some custom headers cannot be sent.", errors);

const badUrl = (message: string): Problem =>
  problem("invalid_webhook_url", "The Webhook URL cannot be used.", [{ path: "url", message }]);
