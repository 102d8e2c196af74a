/**
 * The Test button's verb: one attempt with the values in the form, saved or not. It takes the way of a real delivery
 * (same body, request, guard, sockets, redaction). It is recorded as a test, is never retried and does not count in the
 * destination's health. A receiver can tell it from a real event by the `webhook-id`; the body is one of the family's,
 * with nothing added.
 */
import type { AccountView, DestinationView } from "../accounts/account-view.ts";
import { accountMissing, PLAN_GATES } from "../accounts/context.ts";
import { type CheckedDestination, checkDestinationForm, checkNewKey } from "../accounts/destination-draft.ts";
import { secretsAt } from "../accounts/secrets.ts";
import type { SendResult } from "../domain/attempt.ts";
import type { OwnerKind } from "../domain/event.ts";
import { newId } from "../domain/id.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Problem, Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { EventType } from "../events/event-type.ts";
import type { WebhookForm } from "../domain/webhook-form.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { build } from "./build.ts";
import type { DeliveryContext } from "./context.ts";
import type { MadeBody } from "./made-bodies.ts";
import { isSuccess } from "./send/judge.ts";
import { maskEcho } from "./mask-echo.ts";
import type { WebhookRequest } from "./send/request.ts";
import { sendCurrent } from "./send-current.ts";
import { toAttempt } from "./settle.ts";

export interface TestDraft {
  readonly accountId: string;
  /** The destination that the form belongs to; `null` when it was never saved. */
  readonly saved: DestinationView | null;
  readonly webhook: WebhookForm;
  /** Of the webhook. */
  readonly owner: OwnerKind;
  readonly type: EventType;
  /** The event's exact body, which is sent unless the webhook wants another. */
  readonly body: string;
}

export interface TestResult {
  readonly deliveryId: string;
  readonly request: WebhookRequest;
  readonly result: SendResult;
}

/**
 * Sends a test and records it. Refuses values that could not be saved either (URL, headers, plan). An address that the
 * egress guard blocks is a result (`blocked`), because a test is there to try the guard.
 */
export async function sendTest(ctx: DeliveryContext, draft: TestDraft): Promise<Result<TestResult>> {
  const { accountId, saved } = draft;
  const view = await ctx.accounts.loadCurrent(accountId);
  if (view === null) return refuse(accountMissing(accountId));
  const gate = planGate(view, draft);
  if (gate !== null) return refuse(gate);
  const { signatureHeader } = ctx.names;
  const check = { saved, signatureHeader, nowMs: ctx.clock.nowMs() };
  const form = await checkNewKey(draft.webhook, checkDestinationForm(draft.webhook, check));
  if (!form.ok) return form;
  const nowMs = ctx.clock.nowMs();
  const ids = { deliveryId: newId("dlv", nowMs, ctx.random), eventId: newId("evt", nowMs, ctx.random) };
  try {
    return await sendOnce(ctx, view, { draft, webhook: form.value, ...ids });
  } finally {
    ctx.bodies.release(ids.deliveryId);
  }
}

async function sendOnce(ctx: DeliveryContext, view: AccountView, test: TestRequest): Promise<Result<TestResult>> {
  const { draft, webhook, deliveryId } = test;
  const { accountId, saved } = draft;
  const sent = await sendWhileAllowed(ctx, view, test);
  if (sent === null) return refuse(await whyNotSent(ctx, draft));
  const { request, made, startedAtMs } = sent;
  const result = maskEcho(sent.result, webhook.headers);
  // The log's row links to the destination only when the test calls the saved URL.
  const destinationId = saved?.url === webhook.url.href ? saved.id : null;
  await record(ctx, { ...test, destinationId, startedAtMs, request, made, result });
  ctx.report.tested({ accountId, deliveryId, destinationId, result });
  return ok({ deliveryId, request, result });
}

interface TestRequest {
  readonly draft: TestDraft;
  readonly webhook: CheckedDestination;
  readonly deliveryId: string;
  readonly eventId: string;
}

/** `null` when the plan was lowered in the meantime, or the account could not be confirmed in time. */
function sendWhileAllowed(ctx: DeliveryContext, { configVersion }: AccountView, test: TestRequest) {
  const untilMs = ctx.clock.monotonicMs() + LIMITS.attemptDeadlineMs;
  return sendCurrent(ctx, {
    accountId: test.draft.accountId,
    configVersion,
    build: (view) => (planGate(view, test.draft) === null ? buildTestRequest(ctx, view, test) : null),
    isTooLate: () => ctx.clock.monotonicMs() > untilMs,
  });
}

const planGate = ({ account }: AccountView, { owner, type }: TestDraft): Problem | null =>
  PLAN_GATES[owner](type, account.plan);

async function whyNotSent({ accounts }: DeliveryContext, draft: TestDraft): Promise<Problem> {
  const view = await accounts.load(draft.accountId);
  const gate = view === null ? accountMissing(draft.accountId) : planGate(view, draft);
  if (gate !== null) return gate;
  throw new StoreUnavailable(`account ${draft.accountId} could not be confirmed in time`);
}

/** Signed with the secrets that are valid now, also when another node replaced a leaked one a moment ago. */
function buildTestRequest(ctx: DeliveryContext, view: AccountView, test: TestRequest) {
  const { draft, webhook, deliveryId: id, eventId } = test;
  const nowMs = ctx.clock.nowMs();
  const { url, headers, authentication } = webhook;
  // A lane of its own: a test neither waits for the real deliveries' sockets nor leaves one behind for them.
  const lane = `test:${id}`;
  const target = { destinationId: lane, url, headers, authentication, secrets: secretsAt(view.secrets, nowMs) };
  const { body, accountId, type } = draft;
  const delivery = { id, eventId, eventType: type.type, accountId, isTest: true, body };
  return build(ctx, delivery, { settings: webhook, target });
}

interface Tested extends TestRequest, Omit<TestResult, "deliveryId"> {
  readonly made: MadeBody | null;
  readonly destinationId: string | null;
  readonly startedAtMs: number;
}

async function record(ctx: DeliveryContext, tested: Tested): Promise<void> {
  const { draft, destinationId, deliveryId, eventId, made, result } = tested;
  const { accountId, type, body } = draft;
  if (made !== null) await ctx.bodies.keep(accountId, made.text);
  await ctx.store.recordTestDelivery({
    nowMs: ctx.clock.nowMs(),
    deliveryId,
    eventId,
    accountId,
    destinationId,
    type: type.type,
    body,
    attempt: toAttempt(tested, 1),
    state: isSuccess(result.outcome) ? "delivered" : "failed",
  });
}
