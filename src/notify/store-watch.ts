/**
 * Watches whether this node can commit, and sends the operator an alert when that changes. A store that is away cannot
 * store the alert, so it lives in this node's memory: each node sends its own, and a node that dies takes its alert
 * with it.
 *
 *     healthy ──two probes in a row fail──► unhealthy: "store_unhealthy"
 *        ▲                                      │
 *        └───"store_healthy"──two succeed───────┘
 */
import { bodyTime, operatorAlertBody } from "../domain/operator-alert.ts";
import { MESSAGE_MS_MAX } from "../domain/message.ts";
import { type Clock, inTime } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/contract/store.ts";
import type { OperatorMessage } from "./operator-webhook.ts";

export interface StoreWatchContext {
  readonly store: Pick<Store, "probe">;
  readonly clock: Clock;
  readonly random: Random;
  readonly node: string;
  /** False when the receiver did not take it: it is tried again at the next step. */
  readonly alert: (message: OperatorMessage) => Promise<boolean>;
}

export interface StoreWatch {
  /** Probes, and sends an alert about a change; returns the number of alerts that were taken. */
  step(): Promise<number>;
  /** The last probe succeeded. */
  isHealthy(): boolean;
}

/** One failed probe may be a restart of the database; two, ten seconds apart, are an outage. */
const PROBES = 2;

/** Guess. A disk that hangs does not answer at all, and no healthy store takes this long for a row. */
const PROBE_MS_MAX = secondsMs(5);

/** A store that comes and goes makes one alert of this node in this time. */
const QUIET_MS = minutesMs(10);

const MESSAGES_MAX = 10;

export function createStoreWatch(ctx: StoreWatchContext): StoreWatch {
  const { clock, node } = ctx;
  let messages: readonly (OperatorMessage & { readonly atMs: number })[] = [];
  /** The number of probes in a row that contradict the last alert. */
  let against = 0;
  let isLastGood = true;
  /** The start of the outage as the last alert gave it; `null` after an alert that the store is well. */
  let alertedSinceMs: number | null = null;
  let firstFailedMs = 0;
  let raisedMs = -Infinity;

  function note(isGood: boolean): void {
    const nowMs = clock.nowMs();
    if (!isGood && isLastGood) firstFailedMs = nowMs;
    isLastGood = isGood;
    against = isGood === (alertedSinceMs === null) ? 0 : against + 1;
    if (against < PROBES) return;
    if (isGood) lower(nowMs);
    else if (clock.monotonicMs() - raisedMs >= QUIET_MS) raise(nowMs);
  }

  function raise(nowMs: number): void {
    alertedSinceMs = firstFailedMs;
    raisedMs = clock.monotonicMs();
    enqueue(nowMs, operatorAlertBody("store_unhealthy", nowMs, { node, since: bodyTime(firstFailedMs) }));
  }

  function lower(nowMs: number): void {
    const unhealthySince = bodyTime(alertedSinceMs ?? nowMs);
    alertedSinceMs = null;
    enqueue(nowMs, operatorAlertBody("store_healthy", nowMs, { node, unhealthy_since: unhealthySince }));
  }

  function enqueue(atMs: number, body: string): void {
    against = 0;
    const webhookId = `ntc_${Buffer.from(ctx.random.bytes(16)).toString("hex")}`;
    messages = [...messages, { webhookId, body, atMs }].slice(-MESSAGES_MAX);
  }

  /** In their order, up to the first that is not taken. */
  async function sendAll(): Promise<number> {
    messages = messages.filter(({ atMs }) => clock.nowMs() - atMs < MESSAGE_MS_MAX);
    let sent = 0;
    for (const message of messages) {
      if (!(await ctx.alert(message))) break;
      sent += 1;
    }
    messages = messages.slice(sent);
    return sent;
  }

  return {
    async step() {
      note(await probe(ctx));
      return await sendAll();
    },
    isHealthy: () => isLastGood,
  };
}

/** Every kind of failure means that this node does not commit now; other calls to the store log the cause. */
async function probe({ store, clock }: StoreWatchContext): Promise<boolean> {
  const asked = store.probe({ nowMs: clock.nowMs() }).then(
    () => true,
    () => false,
  );
  return (await inTime(clock, PROBE_MS_MAX, asked)) ?? false;
}
