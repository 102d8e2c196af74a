/** Settings → Verification: the state of the secret, showing it, rotating it, and "Check a signature". */
import Type from "typebox";
import type { AccountView } from "../../accounts/account-view.ts";
import { rotateSecret, switchSecret, switchWhenDue } from "../../accounts/rotate-secret.ts";
import { secretsAt } from "../../accounts/secrets.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type Result, ok, problem, refuse } from "../../domain/problem.ts";
import { toDeliveryId } from "../../domain/delivery.ts";
import { type KnownSecrets, checkSignature } from "./check-signature.ts";
import { EVENT_FORM_BYTES_MAX, type Route, type RouteGroup } from "../call/operation.ts";
import type { DashboardContext } from "../call/context.ts";
import type { VerificationAnswer } from "../contract/verification.ts";
import { freshView } from "../call/fresh-view.ts";
import { parsePastedHeaders } from "./pasted-webhook.ts";
import type { Session } from "../guard/session.ts";
import { createTryCounter } from "../../http/try-counter.ts";
import type { Clock } from "../../lib/clock.ts";
import { minutesMs } from "../../lib/duration.ts";

const revealForm = Type.Object({ which: Type.Enum(["current", "next"]) }, { additionalProperties: false });
const rotateForm = Type.Object({ mode: Type.Enum(["overlap", "now"]) }, { additionalProperties: false });

/** Twice what a webhook may have: a body that was written anew with indents is larger. */
const checkForm = Type.Object(
  {
    headers: Type.String({ maxLength: 64 * 1024 }),
    body: Type.String({ maxLength: 2 * LIMITS.recordBytesMax }),
  },
  { additionalProperties: false },
);

const getVerification: Route<"GET /verification">["handle"] = async (ctx, { session }) =>
  await buildVerificationAnswer(ctx, session);

async function buildVerificationAnswer(ctx: DashboardContext, session: Session): Promise<Result<VerificationAnswer>> {
  await switchWhenDue(ctx.accounts, session.accountId);
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { current, next } = view.value.secrets;
  return ok({
    current: { createdAtMs: current.createdAtMs },
    next: next === null ? null : { createdAtMs: next.createdAtMs, becomesCurrentAtMs: next.becomesCurrentAtMs },
    sourceAddresses: ctx.sourceAddresses,
    lastRevealed: await lastRevealed(ctx, session),
  });
}

async function lastRevealed({ accounts: { store } }: DashboardContext, { accountId }: Session) {
  const wanted = { accountId, action: "secret_revealed", before: null, limit: 1 } as const;
  const [entry] = await store.listAudit(wanted);
  return entry === undefined ? null : { by: entry.person, atMs: entry.atMs };
}

/** The audit is written before the secret is shown, so every look leaves a trace. */
const postReveal: Route<"POST /verification/reveal">["handle"] = async (ctx, { session, body }) => {
  const { accountId, by } = session;
  await switchWhenDue(ctx.accounts, accountId);
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const shown = view.value.secrets[body.which];
  if (shown === null) return refuse(problem("not_rotating", "There is no new secret: none is being rotated in."));
  const entry = { accountId, by, action: "secret_revealed", subject: `${body.which} secret` } as const;
  await ctx.accounts.store.writeAudit({ ...entry, nowMs: ctx.accounts.clock.nowMs() });
  return ok({ secret: shown.secret });
};

const postRotate: Route<"POST /verification/rotate">["handle"] = async (ctx, { session, body }) => {
  const { accountId, by } = session;
  const rotated = await rotateSecret(ctx.accounts, { accountId, mode: body.mode, by });
  return rotated.ok ? await buildVerificationAnswer(ctx, session) : rotated;
};

const postSwitch: Route<"POST /verification/switch">["handle"] = async (ctx, { session }) => {
  const { accountId, by } = session;
  const switched = await switchSecret(ctx.accounts, { accountId, by });
  return switched.ok ? await buildVerificationAnswer(ctx, session) : switched;
};

const postCheck: Route<"POST /verification/check">["handle"] = async (ctx, { session, body }) => {
  if (ctx.isCheckedTooOften(session.accountId)) {
    const limit = `This account may check ${CHECKS_PER_MINUTE_MAX} signatures a minute, and it has. Wait a minute.`;
    return refuse(problem("too_many_checks", limit));
  }
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const nowMs = ctx.accounts.clock.nowMs();
  const { signatureHeader } = ctx.accounts;
  const sentBody = await sentUnderPastedId(ctx, session, body.headers);
  return ok(
    checkSignature({ ...body, secrets: listKnownSecrets(view.value, nowMs), signatureHeader, nowMs, sentBody }),
  );
};

/** By the clock, as requests are signed: the rows may not have followed yet. */
function listKnownSecrets({ secrets }: AccountView, nowMs: number): KnownSecrets {
  const { current, next } = secrets;
  const old = { secret: current.secret };
  if (next === null)
    return { current: { secret: current.secret, sinceMs: current.createdAtMs }, next: null, old: null };
  const isSwitched = secretsAt(secrets, nowMs)[0] === next.secret;
  return isSwitched
    ? { current: { secret: next.secret, sinceMs: next.createdAtMs }, next: null, old }
    : { current: { secret: current.secret, sinceMs: current.createdAtMs }, next, old: null };
}

/** `webhook-id` names one of our deliveries: with its sent body, every change of the body can be found. */
async function sentUnderPastedId(
  { accounts: { store } }: DashboardContext,
  { accountId }: Session,
  headers: string,
): Promise<string | null> {
  const webhookId = parsePastedHeaders(headers).get("webhook-id");
  if (webhookId === undefined) return null;
  return (await store.loadDelivery({ accountId, deliveryId: toDeliveryId(webhookId) }))?.body ?? null;
}

export const verificationRoutes: RouteGroup<
  | "GET /verification"
  | "POST /verification/reveal"
  | "POST /verification/rotate"
  | "POST /verification/switch"
  | "POST /verification/check"
> = {
  "GET /verification": { role: "viewer", handle: getVerification },
  "POST /verification/reveal": { role: "owner", bodySchema: revealForm, handle: postReveal },
  "POST /verification/rotate": { role: "owner", bodySchema: rotateForm, handle: postRotate },
  "POST /verification/switch": { role: "owner", handle: postSwitch },
  "POST /verification/check": {
    role: "viewer",
    bodySchema: checkForm,
    bodyBytesMax: EVENT_FORM_BYTES_MAX,
    handle: postCheck,
  },
};

/* How many signatures the people of an account may have checked in a minute. */

/** Guess: people read the result of each check. The check of a large body blocks the node for 30 ms. */
export const CHECKS_PER_MINUTE_MAX = 60;

/** A function to call with the account of each check; true when it has had too many. */
export const createCheckLimit = (clock: Clock): ((accountId: string) => boolean) =>
  createTryCounter({ clock, triesMax: CHECKS_PER_MINUTE_MAX, windowMs: minutesMs(1) });
