/**
 * Tells the operator what the store has written down for them (a destination fails, is turned off, works again; the
 * backlog grows old), and, from this node's own memory, that the store itself is away.
 *
 *     claimed ──► sent ──► told (the row goes)
 *        │          └──► refused ──► put off: 5 s, 10 s, 20 s … 15 min ──► claimed again
 *        └──► this node dies ──► its claim runs out ──► claimed again, by any node, under the same `webhook-id`
 *
 * At least once, in order for each destination. News that nobody took for a day is dropped.
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
  /** Names this node in what only this node can tell. */
  readonly node: string;
  readonly backlogMs: number;
  /** Told when the receiver did not take a notice, or the store is away. */
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface OperatorNotices extends AsyncDisposable {
  /** Looks at backlog and store, sends what there is to tell now, and returns how many that were. */
  step(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Guess: somebody who is to get up wants to know soon, and a look costs a write and three searches. */
const STEP_MS = secondsMs(10);

/** Longer than an attempt's deadline and its settling; then another node tries. */
const CLAIM_MS = minutesMs(1);

/** They go out side by side: one of each destination. */
const NOTICES_MAX = 20;
const NEWS_MS_MAX = hoursMs(24);

const RETRY_MIN_MS = secondsMs(5);
const RETRY_MAX_MS = minutesMs(15);

/** A backlog that comes and goes is told of once in this time. */
const BACKLOG_QUIET_MS = minutesMs(10);

export function createOperatorNotices(ctx: OperatorNoticesContext): OperatorNotices {
  const watch = createStoreWatch({ ...ctx, tell: (message) => send(ctx, message) });
  // Two loops: a store that hangs keeps whoever reads it waiting for a minute, and that is to be told meanwhile.
  const loops = [watch.step, fromStore].map((work) => createRounds(ctx.clock, () => round(work)));
  let stopping: Promise<void> | null = null;

  /** Without its store this node knows nothing else to tell. */
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

/** False when it was not taken. */
async function send({ webhook, onFailure }: OperatorNoticesContext, message: OperatorMessage): Promise<boolean> {
  const result = await webhook.send(message);
  if (!isTold(result)) onFailure("the operator's webhook did not take a notice", new Error(metWords(result.outcome)));
  return isTold(result);
}

/**
 * Every node looks, and the store takes the first that sees it change. It ends at half of the limit, so that an age
 * about the limit is not told again and again.
 */
async function noteBacklog({ store, clock, backlogMs }: OperatorNoticesContext): Promise<0> {
  const nowMs = clock.nowMs();
  const { waiting, oldestDueAtMs } = await store.countWaiting({ nowMs });
  const ageMs = oldestDueAtMs === null ? 0 : Math.max(0, nowMs - oldestDueAtMs);
  if (ageMs > backlogMs / 2 && ageMs <= backlogMs) return 0;
  const isRaised = ageMs > backlogMs;
  const body = operatorNoticeBody(isRaised ? "backlog_late" : "backlog_cleared", nowMs, {
    oldest_due_seconds: Math.round(ageMs / secondsMs(1)),
    limit_seconds: backlogMs / secondsMs(1),
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
 * Made of what the row holds for good, so that whoever sends it again says the same. A number alone would be taken for
 * a repeat by a receiver that has seen another installation.
 */
function computeWebhookId({ seq, subject, atMs, body }: StoredOperatorNotice): string {
  const hash = createHash("sha256").update(`${seq} ${subject} ${atMs} ${body}`).digest("hex");
  return `ntc_${hash.slice(0, 32)}`;
}
