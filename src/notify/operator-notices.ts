/**
 * Sends the operator the notices that the store holds (a destination fails, is turned off, works again; the backlog
 * grows old), and, from this node's own memory, the notice that the store itself is away.
 *
 *     claimed ──► sent ──► told (the row goes)
 *        │          └──► refused ──► put off: 5 s, 10 s, 20 s … 15 min ──► claimed again
 *        └──► this node dies ──► its claim runs out ──► claimed again, by any node, under the same `webhook-id`
 *
 * At least once, in order for each destination. A notice that the receiver did not take for a day is dropped.
 */
import { createHash } from "node:crypto";
import { operatorNoticeBody } from "../domain/operator-notice.ts";
import type { Clock } from "../lib/clock.ts";
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import { createRounds } from "../lib/rounds.ts";
import type { StoredOperatorNotice } from "../store/contract/notices.ts";
import type { Store } from "../store/contract/store.ts";
import { isTold, metWords, type OperatorMessage, type OperatorWebhook } from "./operator-webhook.ts";
import { createStoreWatch } from "./store-watch.ts";

export interface OperatorNoticesContext {
  readonly store: Pick<
    Store,
    "probe" | "countWaiting" | "noteCondition" | "claimOperatorNotices" | "settleOperatorNoticeIfClaimed"
  >;
  readonly clock: Clock;
  readonly random: Random;
  readonly webhook: OperatorWebhook;
  /** Names this node in notices that only this node can send. */
  readonly node: string;
  /** Called when the receiver did not take a notice, or the store is away. */
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface OperatorNotices extends AsyncDisposable {
  /** Checks backlog and store, sends the due notices, and returns their number. */
  step(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Guess. An operator who has to get up wants to know soon, and a look costs a write and three searches. */
const STEP_MS = secondsMs(10);

/** Longer than an attempt's deadline and its settling; then another node tries. */
const CLAIM_MS = minutesMs(1);

/** They go out side by side, one for each destination. */
const NOTICES_MAX = 20;
const NEWS_MS_MAX = hoursMs(24);

const RETRY_MIN_MS = secondsMs(5);
const RETRY_MAX_MS = minutesMs(15);

/** Guess. Five times what an alarm on the gauge would wait for: an operator who has both hears of real trouble. */
const BACKLOG_MS_MAX = minutesMs(5);
/** A backlog that comes and goes makes one notice in this time. */
const BACKLOG_QUIET_MS = minutesMs(10);

export function createOperatorNotices(ctx: OperatorNoticesContext): OperatorNotices {
  const watch = createStoreWatch({ ...ctx, tell: (message) => send(ctx, message) });
  // Two loops: a store that hangs keeps its readers waiting for a minute, and the operator must hear of it in the
  // meantime.
  const loops = [watch.step, fromStore].map((work) => createRounds(ctx.clock, () => round(work)));
  let stopping: Promise<void> | null = null;

  /** Without its store this node has no other notices. */
  async function fromStore(): Promise<number> {
    return watch.isHealthy() ? (await noteBacklog(ctx)) + (await tellNotices(ctx)) : 0;
  }

  async function round(work: () => Promise<number>): Promise<number> {
    await work().catch((error: unknown) => ctx.onFailure("operator notices could not be read", error));
    return STEP_MS;
  }

  function stop(): Promise<void> {
    stopping ??= Promise.all(loops.map((loop) => loop.stop())).then(() => ctx.webhook[Symbol.asyncDispose]());
    return stopping;
  }

  return {
    step: async () => (await watch.step()) + (await fromStore()),
    start: () => loops.forEach((loop) => loop.start()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** False when the receiver did not take it. */
async function send({ webhook, onFailure }: OperatorNoticesContext, message: OperatorMessage): Promise<boolean> {
  const result = await webhook.send(message);
  if (!isTold(result)) onFailure("the operator's webhook did not take a notice", metWords(result.outcome));
  return isTold(result);
}

/**
 * Every node checks, and the store takes the first that sees a change. A backlog notice ends at half of the limit, so
 * that an age near the limit does not cause notice after notice.
 */
async function noteBacklog({ store, clock }: OperatorNoticesContext): Promise<0> {
  const nowMs = clock.nowMs();
  const { waiting, oldestDueAtMs, isPart } = await store.countWaiting({ nowMs });
  const ageMs = oldestDueAtMs === null ? 0 : Math.max(0, nowMs - oldestDueAtMs);
  if (ageMs > BACKLOG_MS_MAX / 2 && ageMs <= BACKLOG_MS_MAX) return 0;
  const isRaised = ageMs > BACKLOG_MS_MAX;
  // What is overdue may wait on the server that is away.
  if (!isRaised && isPart === true) return 0;
  const body = operatorNoticeBody(isRaised ? "backlog_late" : "backlog_cleared", nowMs, {
    oldest_due_seconds: Math.round(ageMs / secondsMs(1)),
    limit_seconds: BACKLOG_MS_MAX / secondsMs(1),
    deliveries_waiting: waiting,
  });
  await store.noteCondition({ subject: "backlog", isRaised, body, quietMs: BACKLOG_QUIET_MS, nowMs });
  return 0;
}

async function tellNotices(ctx: OperatorNoticesContext): Promise<number> {
  const nowMs = ctx.clock.nowMs();
  const claimToken = Buffer.from(ctx.random.bytes(16)).toString("hex");
  const claim = { nowMs, claimToken, claimUntilMs: nowMs + CLAIM_MS, noticesMax: NOTICES_MAX };
  const notices = await ctx.store.claimOperatorNotices(claim);
  await Promise.all(notices.map((notice) => tell(ctx, notice, claimToken)));
  return notices.length;
}

async function tell(ctx: OperatorNoticesContext, notice: StoredOperatorNotice, claimToken: string): Promise<void> {
  const { store, clock } = ctx;
  const noticeSeq = notice.seq;
  if (clock.nowMs() - notice.atMs >= NEWS_MS_MAX) {
    return await store.settleOperatorNoticeIfClaimed({ noticeSeq, claimToken, retryAtMs: null });
  }
  const isTaken = await send(ctx, { webhookId: computeWebhookId(notice), body: notice.body });
  const retryAtMs = isTaken ? null : clock.nowMs() + retryMs(notice.attempts);
  await store.settleOperatorNoticeIfClaimed({ noticeSeq, claimToken, retryAtMs });
}

/** No jitter: one receiver, and no more than `NOTICES_MAX` requests at a time. */
const retryMs = (attempts: number): number => Math.min(RETRY_MIN_MS * 2 ** (attempts - 1), RETRY_MAX_MS);

/**
 * Derived from the row's constant columns, so that every node that sends it again uses the same id. A receiver that
 * knows another installation would take a bare number for a repeat.
 */
function computeWebhookId({ seq, subject, atMs, body }: StoredOperatorNotice): string {
  const hash = createHash("sha256").update(`${seq} ${subject} ${atMs} ${body}`).digest("hex");
  return `ntc_${hash.slice(0, 32)}`;
}
