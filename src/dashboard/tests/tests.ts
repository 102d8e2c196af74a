/**
 * Test webhook, with values that need not be saved: one attempt the same way as a real delivery, and its result in
 * words. Kept secrets go to the origin that they were saved for only, exactly as at Save.
 */
import type { AccountView, DestinationView } from "../../accounts/account-view.ts";
import { destinationMissing } from "../../accounts/set-destination-state.ts";
import { sendTest, type TestResult } from "../../delivery/test-delivery.ts";
import { hasPlan } from "../../domain/account.ts";
import type { BodyKind } from "../../domain/body.ts";
import type { OwnerKind } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import { isPulled } from "../../domain/pull.ts";
import { type Problem, problem, type Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { findWanted, type Webhook } from "../../domain/webhook.ts";
import { pickKept, UNTOUCHED, type WebhookForm } from "../../domain/webhook-form.ts";
import { parseJson } from "../../events/exact-json.ts";
import type { EventType } from "../../events/event-type.ts";
import type { EventTypes } from "../../events/event-types.ts";
import { assert } from "../../lib/assert.ts";
import type { Caller, DashboardContext } from "../call/context.ts";
import { below, freshView } from "../call/fresh-view.ts";
import type { TestAnswer } from "../contract/alerts.ts";
import { explainOutcome } from "../explain/outcome.ts";
import { findSampleBody } from "./samples.ts";

interface WantedTest {
  readonly owner: OwnerKind;
  /** Those that the webhook gets: the sample is of one of them. */
  readonly types: readonly EventType[];
  readonly form: WebhookForm;
  /** The destination that the form belongs to; `null` when it was never saved. */
  readonly saved: DestinationView | null;
  /** As edited; `undefined` sends the sample. */
  readonly body: string | undefined;
  readonly appUrl: string;
  readonly assistantId?: string;
  /** Its name in the audit: the alert's or assistant's name. */
  readonly subject: string;
}

export async function runTest(ctx: DashboardContext, caller: Caller, wanted: WantedTest): Promise<Result<TestAnswer>> {
  if (isPulled(wanted.form)) return refuse(NOTHING_IS_CALLED);
  if (wanted.types.length === 0) return refuse(NOTHING_TO_SEND);
  const body = await chooseBody(ctx, caller, wanted);
  if (!body.ok) return body;
  return await ctx.tests.run(caller.accountId, () => send(ctx, caller, { ...wanted, body: body.value }));
}

const NOTHING_IS_CALLED: Problem = problem(
  "destination_not_on",
  "This webhook is asked by a program, so there is no URL to test. Its next event waits for the program's question.",
);

const NOTHING_TO_SEND: Problem = problem(
  "unknown_event_type",
  "None of the event types that this webhook wants is declared any more, so there is nothing to send.",
);

interface SavedTest {
  readonly destinationId: string;
  /** As they are, unless something of them is tried that is not saved. */
  readonly toForm?: (saved: DestinationView) => WebhookForm;
}

/** A test with the saved settings. */
export async function runSavedTest(
  ctx: DashboardContext,
  caller: Caller,
  { destinationId, toForm = (saved) => saved }: SavedTest,
): Promise<Result<TestAnswer>> {
  const view = await freshView(ctx, caller);
  if (!view.ok) return view;
  const owner = findOwner(ctx, view.value, destinationId);
  if (owner === null) return refuse(destinationMissing);
  const { account } = view.value;
  const { destination: saved, ...rest } = owner;
  return await runTest(ctx, caller, {
    ...rest,
    form: toForm(saved),
    saved,
    body: undefined,
    appUrl: account.appUrl,
  });
}

interface ReadyTest extends WantedTest {
  readonly body: string;
}

async function send(ctx: DashboardContext, caller: Caller, test: ReadyTest): Promise<Result<TestAnswer>> {
  const { accountId } = caller;
  const { body, form: webhook, saved, owner } = test;
  const atMs = ctx.accounts.clock.nowMs();
  const tested = await sendTest(ctx.delivery, { accountId, saved, webhook, owner, type: typeOf(test), body });
  if (!tested.ok) return refuse(below("webhook", tested.error));
  ctx.engine.nudge();
  const { by } = caller;
  const entry = { accountId, by, action: "webhook_tested", subject: test.subject } as const;
  await ctx.accounts.store.writeAudit({ ...entry, nowMs: ctx.accounts.clock.nowMs() });
  return ok(toAnswer(tested.value, pickKept(webhook, saved ?? UNTOUCHED).body, atMs));
}

function toAnswer({ deliveryId, request, result }: TestResult, sends: BodyKind, atMs: number): TestAnswer {
  const { body, maskedHeaders, url } = request;
  const bodyBytes = Buffer.byteLength(body);
  const met = { result, startedAtMs: atMs, url: url.href, sends, bodyBytes, isTest: true, isFresh: true };
  return {
    deliveryId,
    atMs,
    outcome: explainOutcome(met),
    request: { url: url.href, headers: maskedHeaders, body },
  };
}

async function chooseBody(ctx: DashboardContext, { accountId }: Caller, wanted: WantedTest): Promise<Result<string>> {
  if (wanted.body !== undefined) return checkBody(wanted.body);
  return ok((await findSampleBody(ctx.accounts, { accountId, ...wanted })).body);
}

/** The one that the body names, or the first that goes to such a webhook: an edited body may name anything. */
function typeOf({ types, body }: ReadyTest): EventType {
  const parsed = parseJson(body);
  const { event } = (parsed.ok ? parsed.value : {}) as { readonly event?: unknown };
  const type = types.find((each) => each.type === event) ?? types[0];
  assert(type !== undefined, `no event goes to this webhook`);
  return type;
}

/** An edited body need not be a real event's, but receivers are promised one JSON object of bounded size. */
function checkBody(body: string): Result<string> {
  if (Buffer.byteLength(body) > LIMITS.recordBytesMax) return refuseBody("is larger than 1 MiB; real ones are not");
  const parsed = parseJson(body);
  if (!parsed.ok) return refuseBody(`is not valid JSON: ${parsed.error.detail}`);
  const isObject = typeof parsed.value === "object" && parsed.value !== null && !Array.isArray(parsed.value);
  return isObject ? ok(body) : refuseBody('must be one JSON object, which starts with "{"');
}

const refuseBody = (message: string) =>
  refuse(problem("invalid_form", "The edited body cannot be sent.", [{ path: "body", message }]));

/* Whose a destination is. Pure. */

interface DestinationWithOwner {
  readonly destination: DestinationView;
  readonly owner: OwnerKind;
  readonly types: readonly EventType[];
  /** Only an assistant's destination has one. */
  readonly assistantId?: string;
  /** The owner's name. */
  readonly subject: string;
}

/** `null` when the account has no such destination now. */
function findOwner(
  { accounts: { types } }: DashboardContext,
  view: AccountView,
  destinationId: string,
): DestinationWithOwner | null {
  for (const { alert, destination } of view.alerts) {
    if (destination?.id === destinationId)
      return { destination, owner: "alert", types: types.of("alert"), subject: alert.name };
  }
  for (const [assistantId, { name, destination }] of view.assistants) {
    if (destination?.id === destinationId) {
      return { destination, owner: "assistant", types: types.of("assistant"), assistantId, subject: name };
    }
  }
  for (const { webhook, destination } of view.webhooks) {
    if (destination.id === destinationId) {
      return { destination, owner: "webhook", types: findSent(types, view, webhook), subject: webhook.name };
    }
  }
  return null;
}

/** The first type that the webhook wants and that the plan has; else one whose gate says why it is not sent. */
function findSent({ all }: EventTypes, { account }: AccountView, webhook: Webhook): readonly EventType[] {
  const wanted = all.filter(({ type }) => findWanted(webhook, type) !== null);
  const first = wanted.find(({ plan }) => hasPlan(account.plan, plan)) ?? wanted[0];
  return first === undefined ? [] : [first];
}
