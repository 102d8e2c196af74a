/** Settings → Verification: secret and public key, showing and rotating them, and "Check a signature". */
import type { AccountView } from "../../accounts/account-view.ts";
import {
  addSigningKey,
  endRotation,
  endWhenDue,
  removeSigningKey,
  rotateSecret,
} from "../../accounts/rotate-secret.ts";
import { type OpenedSecret, type Rotating, previousAt } from "../../accounts/secrets.ts";
import { LIMITS } from "../../domain/limits.ts";
import { toPublicKey } from "../../domain/signature.ts";
import { type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { toDeliveryId } from "../../domain/delivery.ts";
import { type KnownSecrets, checkSignature } from "./check-signature.ts";
import { type Handler, type Handlers } from "../call/operation.ts";
import type { DashboardContext } from "../call/context.ts";
import type { PublicKeyView, RotatingView, VerificationAnswer } from "../contract/verification.ts";
import { freshView } from "../call/fresh-view.ts";
import { parsePastedHeaders } from "./pasted-webhook.ts";
import type { Session } from "../guard/session.ts";
import { createTryCounter } from "../../http/try-counter.ts";
import type { Clock } from "../../lib/clock.ts";
import { minutesMs } from "../../lib/duration.ts";

const getVerification: Handler<"GET /verification"> = async (ctx, { session }) =>
  await buildVerificationAnswer(ctx, session);

async function buildVerificationAnswer(ctx: DashboardContext, session: Session): Promise<Result<VerificationAnswer>> {
  await endWhenDue(ctx.accounts, session.accountId);
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { secrets } = view.value;
  const { signingKey } = secrets;
  return ok({
    ...toView(secrets, ({ createdAtMs }) => ({ createdAtMs })),
    signingKey: signingKey === null ? null : toView(signingKey, toPublicKeyView),
    overlapMsMax: LIMITS.secretOverlapMsMax,
    sourceAddresses: ctx.sourceAddresses,
    lastRevealed: await lastRevealed(ctx, session),
  });
}

function toView<View>({ current, previous }: Rotating, show: (secret: OpenedSecret) => View): RotatingView<View> {
  return {
    current: show(current),
    previous: previous === null ? null : { ...show(previous), stopsAtMs: previous.stopsAtMs },
  };
}

const toPublicKeyView = ({ secret, createdAtMs }: OpenedSecret): PublicKeyView => ({
  createdAtMs,
  ...toPublicKey(secret),
});

async function lastRevealed({ accounts: { store } }: DashboardContext, { accountId }: Session) {
  const wanted = { accountId, action: "secret_revealed", before: null, limit: 1 } as const;
  const [entry] = await store.listAudit(wanted);
  return entry === undefined ? null : { by: entry.person, atMs: entry.atMs };
}

/** The audit is written before the secret is shown, so every look leaves a trace. */
const postReveal: Handler<"POST /verification/reveal"> = async (ctx, { session, body }) => {
  const { accountId, by } = session;
  await endWhenDue(ctx.accounts, accountId);
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const shown = view.value.secrets[body.which];
  if (shown === null) return refuse(problem("not_rotating", "There is no previous secret: none is being rotated."));
  const entry = { accountId, by, action: "secret_revealed", subject: `${body.which} secret` } as const;
  await ctx.accounts.store.writeAudit({ ...entry, nowMs: ctx.accounts.clock.nowMs() });
  return ok({ secret: shown.secret });
};

const postRotate: Handler<"POST /verification/rotate"> = async (ctx, { session, body }) =>
  await answerAfter(ctx, session, rotateSecret(ctx.accounts, { ...ofSession(session), ...body }));

const postEnd: Handler<"POST /verification/end-rotation"> = async (ctx, { session, body }) =>
  await answerAfter(ctx, session, endRotation(ctx.accounts, { ...ofSession(session), ...body }));

const postSigningKey: Handler<"POST /verification/signing-key"> = async (ctx, { session, body }) => {
  const change = body.isOn ? addSigningKey : removeSigningKey;
  return await answerAfter(ctx, session, change(ctx.accounts, ofSession(session)));
};

const ofSession = ({ accountId, by }: Session) => ({ accountId, by });

async function answerAfter(ctx: DashboardContext, session: Session, change: Promise<Result<void>>) {
  const changed = await change;
  return changed.ok ? await buildVerificationAnswer(ctx, session) : changed;
}

const postCheck: Handler<"POST /verification/check"> = async (ctx, { session, body }) => {
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
  const { current, previous, signingKey } = secrets;
  const keys = signingKey === null ? [] : [signingKey.current, ...asList(previousAt(signingKey, nowMs))];
  return {
    current: { secret: current.secret, sinceMs: current.createdAtMs },
    previous: previousAt(secrets, nowMs),
    stopped: previous === null || nowMs < previous.stopsAtMs ? null : previous.secret,
    publicKeys: keys.map(({ secret }) => toPublicKey(secret).publicKey),
  };
}

const asList = <Item>(item: Item | null): readonly Item[] => (item === null ? [] : [item]);

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

export const verificationHandlers = {
  "GET /verification": getVerification,
  "POST /verification/reveal": postReveal,
  "POST /verification/rotate": postRotate,
  "POST /verification/end-rotation": postEnd,
  "POST /verification/signing-key": postSigningKey,
  "POST /verification/check": postCheck,
} satisfies Handlers;

/* How many signatures the people of an account may have checked in a minute. */

/** Guess: people read the result of each check. The check of a large body blocks the node for 30 ms. */
export const CHECKS_PER_MINUTE_MAX = 60;

/** A function to call with the account of each check; true when it has had too many. */
export const createCheckLimit = (clock: Clock): ((accountId: string) => boolean) =>
  createTryCounter({ clock, triesMax: CHECKS_PER_MINUTE_MAX, windowMs: minutesMs(1) });
