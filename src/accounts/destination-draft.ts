/**
 * Checks a Webhook URL with custom headers and authentication as a person typed them. Returns either a draft that may
 * be saved or tested, or every error. Save and Test check the form alike. Save also asks the egress guard; for a test
 * the same guard answers when it connects.
 */
import { parseTemplate } from "../bodies/template.ts";
import type { BodySettings } from "../domain/body.ts";
import { checkCustomHeaders } from "../domain/custom-headers.ts";
import type { Authentication } from "../domain/authentication.ts";
import type { CustomHeader } from "../domain/destination.ts";
import { newId } from "../domain/id.ts";
import { isPulled } from "../domain/pull.ts";
import { LIMITS } from "../domain/limits.ts";
import { type FieldError, type Problem, type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { type HeaderForm, type KeptSettings, pickKept, UNTOUCHED, type WebhookForm } from "../domain/webhook-form.ts";
import { readCertificateFacts, refuseFactors } from "../egress/client-certificate.ts";
import { PULLED_URL, type WebhookUrl, parseWebhookUrl } from "../egress/webhook-url.ts";
import type { DestinationSetup } from "../store/contract/accounts.ts";
import { type DestinationView, sealHeader } from "./account-view.ts";
import { checkAuthentication } from "./check-authentication.ts";
import type { AccountsContext } from "./context.ts";
import { fillKeptSecrets } from "./kept-secrets.ts";
import { sealAuthentication } from "./sealed-authentication.ts";
import type { Conditions } from "../domain/conditions.ts";
import type { ConditionsForm } from "../domain/conditions-form.ts";
import { checkConditions } from "../events/condition-fields.ts";
import type { EventType } from "../events/event-type.ts";

/** The form after its check: the URL parsed, kept secrets filled in. */
export interface CheckedDestination extends KeptSettings {
  readonly url: WebhookUrl;
  readonly headers: readonly CustomHeader[];
  readonly authentication: Authentication | null;
}

export interface CheckForm {
  /** The destination that the form belongs to; `null` when it was never saved. */
  readonly saved: DestinationView | null;
  readonly signatureHeader: string;
  readonly nowMs: number;
}

/** Checks everything that needs no question to others, all at once. */
export function checkDestinationForm(form: WebhookForm, check: CheckForm): Result<CheckedDestination> {
  const url = isPulled(form) ? ok(PULLED_URL) : parseWebhookUrl(form.url, check.saved?.url);
  const keptFor = { saved: check.saved, url: url.ok ? url.value : null };
  const headers = checkHeaders(form.headers, { ...check, ...keptFor });
  const headerNames = form.headers.map(({ name }) => name);
  const authentication = checkAuthentication(form.authentication ?? null, { ...check, ...keptFor, headerNames });
  const unused = listUnused(form);
  if (unused.length > 0) return refuse(problem("invalid_webhook_url", "Nothing is called.", unused));
  const given = pickKept(form, check.saved ?? UNTOUCHED);
  const kept = { ...given, tags: sortTags(given.tags), ...(isPulled(form) ? { oneAtATime: false } : {}) };
  const keptProblems = [...(isRate(kept.ratePerSecond) ? [] : [badRate]), ...refuseBody(kept)];
  if (url.ok && headers.ok && authentication.ok && keptProblems.length === 0) {
    return ok({ ...kept, url: url.value, headers: headers.value, authentication: authentication.value });
  }
  const problems = [
    ...(url.ok ? [] : [badUrl(url.error)]),
    ...(headers.ok ? [] : [badHeaders(headers.error)]),
    ...(authentication.ok ? [] : [badAuthentication(authentication.error)]),
    ...keptProblems,
  ];
  const errors = problems.flatMap((each) => each.errors ?? []);
  return refuse({ ...(problems[0] ?? badRate), errors });
}

/** What only a request would have. A form that says it means a URL. */
function listUnused(form: WebhookForm): FieldError[] {
  if (!isPulled(form)) return [];
  const { oauth = null, certificate = null } = form.authentication ?? {};
  const message = "must be left out: a program asks, and nothing is called";
  return [
    ...(oauth === null && certificate === null ? [] : [{ path: "authentication", message }]),
    ...((form.ratePerSecond ?? null) === null ? [] : [{ path: "ratePerSecond", message }]),
    ...(form.oneAtATime === true ? [{ path: "oneAtATime", message }] : []),
  ];
}

/** Saved values are filled in first, because their length counts too. */
function checkHeaders(
  forms: readonly HeaderForm[],
  { saved, signatureHeader, url }: CheckForm & { readonly url: WebhookUrl | null },
): Result<readonly CustomHeader[], readonly FieldError[]> {
  const filled = fillKeptSecrets(forms, { saved, url });
  const checked = checkCustomHeaders(filled.headers, signatureHeader, saved?.headers);
  const errors = [...forms.flatMap(refuseEmpty), ...filled.errors, ...(checked.ok ? [] : checked.error)];
  return errors.length === 0 ? ok(filled.headers) : refuse(errors);
}

/** A secret that is left as it was saved is `null`. */
const refuseEmpty = ({ value, secret }: HeaderForm, row: number): FieldError[] =>
  secret && value === ""
    ? [{ path: `headers[${row}].value`, message: "is empty; give the secret its value or remove the row" }]
    : [];

/** The same check, plus whether the address may be called. The URL is kept exactly as it was checked. */
export async function checkDestination(
  ctx: Pick<AccountsContext, "checkUrl" | "clock" | "signatureHeader">,
  form: WebhookForm,
  saved: DestinationView | null,
): Promise<Result<CheckedDestination>> {
  const { signatureHeader, clock } = ctx;
  const checked = await checkNewKey(form, checkDestinationForm(form, { saved, signatureHeader, nowMs: clock.nowMs() }));
  if (!checked.ok) return checked;
  if (checked.value.url === PULLED_URL) return checked;
  const blocked = await ctx.checkUrl(checked.value.url);
  if (blocked !== null) return refuse(badUrl(blocked));
  const tokenUrl = checked.value.authentication?.oauth?.tokenUrl;
  const blockedToken = tokenUrl === undefined ? null : await ctx.checkUrl(new URL(tokenUrl));
  return blockedToken === null ? checked : refuse(badAuthentication([{ path: TOKEN_URL, message: blockedToken }]));
}

/** The rest of the check of a key that was pasted; a saved one has passed it. */
export async function checkNewKey(
  form: WebhookForm,
  checked: Result<CheckedDestination>,
): Promise<Result<CheckedDestination>> {
  const isNew = (form.authentication?.certificate?.key ?? null) !== null;
  const key = checked.ok && isNew ? checked.value.authentication?.certificate?.key : undefined;
  const message = key === undefined ? null : await refuseFactors(key);
  return message === null ? checked : refuse(badAuthentication([{ path: "authentication.certificate.key", message }]));
}

const TOKEN_URL = "authentication.oauth.tokenUrl";

/** The destination keeps its id when its URL changes: waiting deliveries go to the new address. */
export const idFor = ({ clock, random }: AccountsContext, former: Pick<DestinationView, "id"> | null): string =>
  former?.id ?? newId("dst", clock.nowMs(), random);

export function sealFor(ctx: AccountsContext, id: string, checked: CheckedDestination): DestinationSetup {
  const headers = checked.headers.map((header) => sealHeader(id, header, ctx.sealer));
  const authentication = sealAuthentication(id, checked.authentication, ctx.sealer);
  const certificateEndsAtMs = findCertificateEnd(checked.authentication);
  return { ...pickKept(checked), id, url: checked.url.href, headers, authentication, certificateEndsAtMs };
}

/** One that cannot be read was refused by the check. */
function findCertificateEnd(authentication: Authentication | null): number | null {
  const chain = authentication?.certificate?.chain ?? null;
  const facts = chain === null ? null : readCertificateFacts(chain);
  return facts === null || !facts.ok ? null : facts.value.validToMs;
}

const sortTags = (tags: readonly string[]): readonly string[] => [...new Set(tags.map((tag) => tag.trim()))].toSorted();

const isRate = (rate: number | null): boolean =>
  rate === null || (rate >= LIMITS.ratePerSecondMin && rate <= LIMITS.ratePerSecondMax);

const badRate: Problem = problem("invalid_rate_limit", "The rate limit cannot be kept.", [
  {
    path: "ratePerSecond",
    message: `must be a number from ${LIMITS.ratePerSecondMin} to ${LIMITS.ratePerSecondMax}, or left out`,
  },
]);

function refuseBody({ body, template }: BodySettings): Problem[] {
  const errors = body === "template" ? findTemplateErrors(template) : template === null ? [] : [strayTemplate];
  return errors.length === 0 ? [] : [problem("invalid_body", "The body cannot be made.", errors)];
}

function findTemplateErrors(template: string | null): readonly FieldError[] {
  const parsed = parseTemplate(template ?? "");
  return parsed.ok ? [] : parsed.error;
}

const strayTemplate: FieldError = {
  path: "template",
  message: 'must be null where the body is not "template": nothing is made of it',
};

const badHeaders = (errors: readonly FieldError[]): Problem =>
  problem("invalid_custom_headers", "Some custom headers cannot be sent.", errors);

const badAuthentication = (errors: readonly FieldError[]): Problem =>
  problem("invalid_authentication", "The authentication cannot be used.", errors);

const badUrl = (message: string): Problem =>
  problem("invalid_webhook_url", "The Webhook URL cannot be used.", [{ path: "url", message }]);

/* Checks the conditions of a form that saves an owner; keeps those that it leaves out. */

/** `given` left out: a form that knows of no conditions, such as a page of an older version, takes none away. */
export function checkConditionsForm(
  types: readonly EventType[],
  given: ConditionsForm | null | undefined,
  saved: Conditions | null,
): Result<Conditions | null> {
  if (given === undefined) return ok(saved);
  if (given === null) return ok(null);
  const checked = checkConditions(types, given);
  if (checked.ok) return checked;
  const errors = checked.error.map(({ path, message }) => ({ path: `conditions.${path}`, message }));
  return refuse(problem("invalid_conditions", "Some conditions cannot be used.", errors));
}
