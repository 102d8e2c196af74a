/**
 * Sends the operator the alerts that the store holds (a destination fails, is turned off, works again; the backlog
 * grows old), and, from this node's own memory, the alert that the store itself is away.
 *
 *     claimed ──► sent ──► settled
 *        │          └──► refused ──► put off: 5 s, 10 s, 20 s … 15 min ──► claimed again
 *        └──► this node dies ──► its claim ends ──► claimed again, by any node, under the same `webhook-id`
 *
 * At least once, in order for each destination.
 */
import { createHash } from "node:crypto";
import { operatorAlertBody } from "../domain/operator-alert.ts";
import { messageRetryMs, OPERATOR_RETRY_MIN_MS } from "../domain/message.ts";
import { assert } from "../lib/assert.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { createRounds } from "../lib/rounds.ts";
import type { ClaimedAlert, ClaimedMessage, MessageEnd } from "../store/contract/messages.ts";
import type { Store } from "../store/contract/store.ts";
import { isTaken, metWords, type OperatorMessage, type OperatorWebhook } from "./operator-webhook.ts";
import { createMessageLoop, type MessagesContext, STEP_MS } from "./messages.ts";
import { createStoreWatch } from "./store-watch.ts";

export interface OperatorAlertsContext extends MessagesContext {
  readonly store: MessagesContext["store"] & Pick<Store, "probe" | "countWaiting" | "noteCondition">;
  readonly webhook: OperatorWebhook;
  /** Names this node in alerts that only this node can send. */
  readonly node: string;
}

export interface OperatorAlerts extends AsyncDisposable {
  /** Checks backlog and store, sends what is due, and returns the number of alerts. */
  step(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** They go out side by side, one for each destination. */
const ALERTS_MAX = 20;

/** Guess. Five times what an alarm on the gauge would wait for: an operator who has both hears of real trouble. */
const BACKLOG_MS_MAX = minutesMs(5);

/** A backlog that comes and goes makes one alert in this time. */
const BACKLOG_QUIET_MS = minutesMs(10);

export function createOperatorAlerts(ctx: OperatorAlertsContext): OperatorAlerts {
  const watch = createStoreWatch({ ...ctx, alert: (message) => send(ctx, message) });
  const stored = createMessageLoop(ctx, {
    route: "operator",
    messagesMax: ALERTS_MAX,
    async send(alerts, settle) {
      await Promise.all(alerts.map(async (alert) => await settle(alert, await sendStored(ctx, alert))));
      return false;
    },
  });
  // Two loops: a store that hangs keeps its callers waiting for a minute, and the operator must hear of it in the
  // meantime.
  const loops = [watch.step, fromStore].map((work) => createRounds(ctx.clock, () => round(work)));
  let stopping: Promise<void> | null = null;

  /** Without its store this node has no other alerts. */
  async function fromStore(): Promise<number> {
    if (!watch.isHealthy()) return 0;
    await noteBacklog(ctx);
    return await stored.step();
  }

  async function round(work: () => Promise<number>): Promise<number> {
    await work().catch((error: unknown) => ctx.onFailure("alerts to the operator could not be read", error));
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
async function send({ webhook, onFailure }: OperatorAlertsContext, message: OperatorMessage): Promise<boolean> {
  const result = await webhook.send(message);
  if (!isTaken(result)) onFailure("the operator's webhook did not take an alert", metWords(result.outcome));
  return isTaken(result);
}

/**
 * Every node checks, and the store takes the first that sees a change. A backlog alert ends at half of the limit, so
 * that an age near the limit does not cause alert after alert.
 */
async function noteBacklog({ store, clock }: OperatorAlertsContext): Promise<void> {
  const nowMs = clock.nowMs();
  const { waiting, oldestDueAtMs, isPart } = await store.countWaiting({ nowMs });
  const ageMs = oldestDueAtMs === null ? 0 : Math.max(0, nowMs - oldestDueAtMs);
  if (ageMs > BACKLOG_MS_MAX / 2 && ageMs <= BACKLOG_MS_MAX) return;
  const isRaised = ageMs > BACKLOG_MS_MAX;
  // What is overdue may wait on the server that is away.
  if (!isRaised && isPart === true) return;
  const body = operatorAlertBody(isRaised ? "backlog_late" : "backlog_cleared", nowMs, {
    oldest_due_seconds: Math.round(ageMs / secondsMs(1)),
    limit_seconds: BACKLOG_MS_MAX / secondsMs(1),
    deliveries_waiting: waiting,
  });
  await store.noteCondition({ subject: "backlog", isRaised, body, quietMs: BACKLOG_QUIET_MS, nowMs });
}

async function sendStored(ctx: OperatorAlertsContext, alert: ClaimedMessage): Promise<{ readonly end: MessageEnd }> {
  assert(alert.kind === "operator_alert", `no alert: ${alert.kind}`);
  const isSent = await send(ctx, { webhookId: computeWebhookId(alert), body: alert.body });
  if (isSent) return { end: { kind: "sent" } };
  const delayMs = messageRetryMs(OPERATOR_RETRY_MIN_MS, alert.refusals + 1);
  return { end: { kind: "refused", retryAtMs: ctx.clock.nowMs() + delayMs } };
}

/**
 * Derived from the row's constant columns, so that every node that sends it again uses the same id. A receiver that
 * knows another installation would take a bare number for a repeat.
 */
function computeWebhookId({ seq, subject, atMs, body }: ClaimedAlert): string {
  const hash = createHash("sha256").update(`${seq} ${subject} ${atMs} ${body}`).digest("hex");
  return `ntc_${hash.slice(0, 32)}`;
}
