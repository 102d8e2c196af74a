/**
 * Forwarding for the receiver's developer: their `bellwire forward` asks for the account's new deliveries and posts a
 * copy of each to their own machine. It only reads: the saved URL gets its deliveries as before, and their attempts and
 * its health stay as they are. The secret never leaves the service: each copy is signed here, as an attempt would be at
 * that moment.
 *
 *     code, 5 minutes, works once ──► token, 7 days ──► ended: by the command, by an owner, unused for 12 h
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { AccountsContext } from "../../accounts/context.ts";
import { createForwardCode } from "../../accounts/dashboard-link.ts";
import { secretsAt } from "../../accounts/secrets.ts";
import { bodyTextOf } from "../../bodies/body-text.ts";
import { type BodyFault, renderBody } from "../../bodies/render-body.ts";
import { type DeliveredEvent, sourceOf } from "../../bodies/sent-body.ts";
import type { BodySettings } from "../../domain/body.ts";
import { buildRequest } from "../../delivery/send/request.ts";
import { newId } from "../../domain/id.ts";
import { LIMITS } from "../../domain/limits.ts";
import { problem, type Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { testWebhookId } from "../../domain/delivery.ts";
import { hashToken, isToken, newToken } from "../../domain/token.ts";
import { createValidator } from "../../events/validate.ts";
import { readBearer } from "../../http/bearer.ts";
import type { AuthHook } from "../../http/auth-hook.ts";
import { callerAddress } from "../../http/client-address.ts";
import { sendProblem } from "../../http/problem-response.ts";
import { createTryCounter } from "../../http/try-counter.ts";
import { assert } from "../../lib/assert.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { StoredDelivery } from "../../store/contract/log.ts";
import type { StoredSession } from "../../store/contract/people.ts";
import type { DashboardContext } from "../call/context.ts";
import { writeDeliveryCursor } from "../call/cursor.ts";
import { freshView } from "../call/fresh-view.ts";
import { createQueryReader, LINK_BYTES_MAX, readBody, readParams, type Handlers } from "../call/operation.ts";
import type { ForwardedList, ForwardedRequest, ForwardOpened, OpenForwardBody } from "../contract/forward.ts";
import { readDeliveryQuery } from "../deliveries/query.ts";
import { forwardQuery } from "../forms/queries.ts";
import { destinationsById } from "../destinations/destinations.ts";
import { toOpeningRefusals } from "../sign-in/sign-in.ts";

const ROWS = 50;
const BAD_CODES_MAX = 20;
const BAD_CODES_WINDOW_MS = minutesMs(1);

export const forwardHandlers = {
  async "POST /forward-codes"(ctx, { session: { accountId, by } }) {
    const made = await createForwardCode(ctx.accounts, { accountId, person: by.person, role: "viewer" });
    if (!made.ok) return made;
    return ok({ ...made.value, serviceUrl: ctx.accounts.publicUrl(), fileSha256: ctx.forwardSha256 });
  },
} satisfies Handlers;

const checkOpening = createValidator(
  Type.Object({ code: Type.String({ maxLength: 256 }) }, { additionalProperties: false }),
);

/** The calls of the command. */
export function registerForward(scope: FastifyInstance, ctx: DashboardContext): void {
  const { clock } = ctx.accounts;
  const isTooMany = createTryCounter({ clock, triesMax: BAD_CODES_MAX, windowMs: BAD_CODES_WINDOW_MS });
  const { authHook, getSession } = createForwardAuth(ctx.accounts);

  scope.post(
    "/forward",
    { config: { authHook: () => "unauthenticated" }, bodyLimit: LINK_BYTES_MAX },
    async (request, reply) => {
      const opened = await open(ctx, request);
      if (opened.ok) return await reply.send(opened.value);
      return sendProblem(reply, isTooMany(callerAddress(request)) ? REFUSALS.tooMany : opened.error);
    },
  );

  scope.get("/forward/deliveries", { config: { authHook } }, async (request, reply) => {
    return await answer(reply, await list(ctx, getSession(request), request));
  });

  scope.get("/forward/deliveries/:id", { config: { authHook } }, async (request, reply) => {
    return await answer(reply, await copy(ctx, getSession(request), request));
  });

  scope.delete("/forward", { config: { authHook } }, async (request, reply) => {
    const { hash, accountId, id } = getSession(request);
    await ctx.accounts.store.endSession({ sessionHash: hash, address: callerAddress(request), nowMs: clock.nowMs() });
    ctx.live.sessionsEnded(accountId, [id]);
    return await reply.code(204).send();
  });
}

async function answer(reply: FastifyReply, result: Result<unknown>): Promise<FastifyReply> {
  return result.ok ? await reply.send(result.value) : sendProblem(reply, result.error);
}

async function open(ctx: DashboardContext, request: FastifyRequest): Promise<Result<ForwardOpened>> {
  const { clock, random, store } = ctx.accounts;
  const body = readBody(request, checkOpening);
  if (!body.ok) return body;
  const { code } = body.value as OpenForwardBody;
  if (!isToken(code)) return refuse(REFUSALS.unknown);
  const nowMs = clock.nowMs();
  const token = newToken(random);
  const opened = await store.openSession({
    tokenHash: hashToken(code),
    purpose: "forward",
    sessionHash: hashToken(token),
    sessionId: newId("ses", nowMs, random),
    replacedHash: null,
    expiresAtMs: nowMs + LIMITS.sessionMs,
    address: callerAddress(request),
    nowMs,
  });
  if (opened.kind !== "opened") return refuse(REFUSALS[opened.kind]);
  for (const ended of opened.ended) ctx.live.sessionsEnded(ended.accountId, [ended.id]);
  const { accountId, expiresAtMs } = opened.session;
  ctx.live.configurationChanged(accountId);
  const view = await freshView(ctx, { accountId });
  return view.ok ? ok({ token, account: view.value.account.name, expiresAtMs, nowMs }) : view;
}

const readQuery = createQueryReader(forwardQuery);

/** Tests too: the developer presses the button in order to see one arrive. */
async function list(
  ctx: DashboardContext,
  { accountId }: StoredSession,
  request: FastifyRequest,
): Promise<Result<ForwardedList>> {
  const query = readQuery(request);
  if (!query.ok) return query;
  const filter = readDeliveryQuery({ ...query.value, tests: "1" });
  if (!filter.ok) return filter;
  const { clock, store } = ctx.accounts;
  const nowMs = clock.nowMs();
  const listed = await store.listDeliveries({ accountId, ...filter.value, limit: ROWS });
  const destinations = listed.deliveries.length === 0 ? new Map() : await destinationsById(ctx, { accountId });
  return ok({
    nowMs,
    deliveries: listed.deliveries.map(({ id, eventType, isTest, destinationId }) => ({
      id,
      eventType,
      isTest,
      destination: destinationId === null ? null : (destinations.get(destinationId)?.owner.name ?? null),
    })),
    nextCursor: listed.next === null ? null : writeDeliveryCursor(listed.next),
  });
}

async function copy(
  ctx: DashboardContext,
  { accountId }: StoredSession,
  request: FastifyRequest,
): Promise<Result<ForwardedRequest>> {
  const params = readParams(request);
  if (!params.ok) return params;
  const stored = await ctx.accounts.store.loadDelivery({ accountId, deliveryId: params.value["id"] ?? "" });
  if (stored === null) return refuse(problem("delivery_not_found", "This account has no such delivery."));
  if (stored.body === null) return refuse(problem("delivery_not_found", "Its body is not kept any more."));
  return await sign(ctx, stored, stored.body);
}

async function sign(ctx: DashboardContext, stored: StoredDelivery, body: string): Promise<Result<ForwardedRequest>> {
  const view = await freshView(ctx, stored);
  if (!view.ok) return view;
  const nowMs = ctx.accounts.clock.nowMs();
  const destination = stored.destinationId === null ? undefined : view.value.destinations.get(stored.destinationId);
  const custom = destination?.headers ?? [];
  const made = makeBody(ctx, destination, { ...stored, body });
  if (!made.ok) return refuse(problem("delivery_not_found", `The body could not be made: ${made.error.message}`));
  const { headers } = buildRequest({
    webhookId: stored.isTest ? testWebhookId(stored.id) : stored.id,
    body: made.value,
    target: {
      destinationId: stored.destinationId ?? stored.id,
      // The command replaces it; no header depends on it.
      url: new URL(ctx.accounts.publicUrl()),
      headers: custom.filter(({ secret }) => !secret),
      secrets: secretsAt(view.value.secrets, nowMs),
    },
    nowMs,
    names: ctx.delivery.names,
    owner: stored.accountId,
  });
  const secretHeaders = custom.filter(({ secret }) => secret).map(({ name }) => name.toLowerCase());
  return ok({ headers, body: made.value, secretHeaders });
}

/** What its webhook would send now. */
function makeBody(
  { accounts: { types } }: DashboardContext,
  settings: BodySettings | undefined,
  delivered: DeliveredEvent & Pick<StoredDelivery, "eventType">,
): Result<string, BodyFault> {
  const { eventType: name, body } = delivered;
  const text = settings === undefined ? null : bodyTextOf(settings, { eventType: types.find(name), name });
  return text === null ? ok(body) : renderBody(text, sourceOf(delivered));
}

const REFUSALS = toOpeningRefusals({
  thing: "code",
  howToGetOne: "Make a new one in the dashboard, under Settings → Verification.",
});

/* The auth hook of the forwarding command's calls: a bearer token of a session that was opened for forwarding. */

interface ForwardSession extends StoredSession {
  /** Under which the store finds it. */
  readonly hash: string;
}

interface ForwardAuth {
  readonly authHook: AuthHook;
  /** Of a call that the auth hook has let in. */
  getSession(request: FastifyRequest): ForwardSession;
}

function createForwardAuth({ store, clock }: Pick<AccountsContext, "store" | "clock">): ForwardAuth {
  const letIn = new WeakMap<FastifyRequest, ForwardSession>();
  return {
    async authHook(request) {
      const token = readBearer(request.headers.authorization);
      if (token === null || !isToken(token)) return ended;
      const hash = hashToken(token);
      const session = await store.loadSession({ sessionHash: hash, isUse: true, nowMs: clock.nowMs() });
      if (session === null || session.purpose !== "forward") return ended;
      letIn.set(request, { ...session, hash });
      return "known";
    },
    getSession(request) {
      const session = letIn.get(request);
      assert(
        session !== undefined,
        `${request.method} ${request.routeOptions.url} has no authHook that knows sessions`,
      );
      return session;
    },
  };
}

const ended = problem(
  "forward_ended",
  "Forwarding has ended: an owner stopped it, or its time is over. Make a new code in the dashboard, under " +
    "Settings → Verification.",
);
