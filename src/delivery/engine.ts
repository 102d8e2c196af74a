/**
 * The engine claims due deliveries and runs them. `tick` does one round and returns how many it claimed. The loop
 * around it is the only place of this folder where time passes by itself.
 *
 * Requests and settlements only nudge the engine; the store holds the truth. A claim is a lease: a delivery that this
 * node took and did not settle becomes due again when its claim runs out.
 */
import { type Place, placeAfter } from "../domain/id.ts";
import { secondsMs } from "../lib/duration.ts";
import type { Claim, ClaimedDelivery } from "../store/contract/path.ts";
import type { DeliveryContext } from "./context.ts";
import { type Delivered, type OnAnswer, START_MARGIN_MS, deliver } from "./deliver.ts";
import { Lanes } from "./lanes/lanes.ts";
import type { LoopWork } from "./loop-work.ts";
import { createPollSchedule } from "./poll-schedule.ts";
import { giveBack } from "./settle.ts";
import { createRounds } from "../lib/rounds.ts";

/** Longer than any attempt: 30 s to wait in a lane, plus `START_MARGIN_MS` for the attempt itself. */
const CLAIM_MS = secondsMs(30) + START_MARGIN_MS;

/**
 * The delay with which the engine notices a retry that has become due. Not a timer to the due time: clocks jump. A tick
 * polls the store only when `poll-schedule.ts` says so.
 */
const TICK_MS = 250;

/** Guess. The longest time between two polls: claims of a node that died and hints that got lost wait this long. */
const POLL_MS = secondsMs(1);

/** The pause after a failed claim (the store is away). */
const FAILED_TICK_MS = secondsMs(1);

/** Guess. The most deliveries of one claim, which bounds what one round reads into memory. */
const CLAIM_DELIVERIES_MAX = 512;

/** Guess. The most characters of bodies in one claim. */
const CLAIM_CHARS_MAX = 16 * 1024 * 1024;

export interface Engine extends AsyncDisposable {
  readonly lanes: Lanes;
  /** A new claim that starts now. */
  newClaim(): Claim;
  /** The place of the next event that this node accepts. */
  newPlace(): Place;
  /** Claims due deliveries, hands them to the lanes, and returns their number. */
  tick(): Promise<number>;
  /** Polls at once, because something may be due. */
  nudge(): void;
  start(): void;
  /** Stops claiming, gives back deliveries that have not started, and waits for the others. May be called twice. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  readonly deliveriesMax: number;
  /** False: other nodes make deliveries due without a hint to this one, so it polls at every tick. */
  readonly isHinted?: boolean;
  /** Never busy, unless given. */
  readonly loopWork?: LoopWork;
}

export function createEngine(
  ctx: DeliveryContext,
  { deliveriesMax, isHinted = true, loopWork = () => 0 }: EngineOptions,
): Engine {
  const rounds = createRounds(ctx.clock, round);
  const polls = createPollSchedule(ctx.clock, isHinted ? POLL_MS : TICK_MS);
  const lanes = new Lanes({
    clock: ctx.clock,
    deliveriesMax,
    loopWork,
    run: (delivery, onAnswer) => runSafely(ctx, delivery, onAnswer),
    giveBack: (deliveries) => giveBackSafely(ctx, deliveries).then(() => polls.noteDue(ctx.clock.nowMs())),
    onCapacity: nudge,
    onDue: polls.noteDue,
  });
  let stopping: Promise<void> | null = null;
  let place: Place = { atMs: 0, number: 0 };

  function nudge(): void {
    polls.nudge();
    rounds.nudge();
  }

  async function round(): Promise<number> {
    if (!polls.isTime()) return TICK_MS;
    const { claims, asksForNext } = polls.begin();
    const nowMs = ctx.clock.nowMs();
    // Unless the poll succeeds, the next tick polls again.
    let dueAtMs: number | null = nowMs;
    try {
      const claimed = claims ? await claimInto(lanes, ctx) : 0;
      if (claimed !== null && claimed > 0) return 0;
      if (claimed === 0) dueAtMs = asksForNext ? (await ctx.store.findNextDue({ nowMs })).dueAtMs : null;
      return !claims && dueAtMs !== null && dueAtMs <= nowMs ? 0 : TICK_MS;
    } catch (error) {
      ctx.report.failed({ what: "claiming due deliveries", error });
      return FAILED_TICK_MS;
    } finally {
      if (dueAtMs !== null) polls.noteDue(dueAtMs);
    }
  }

  async function stopOnce(): Promise<void> {
    const unstarted = lanes.stop();
    await rounds.stop();
    unstarted.push(...lanes.stop());
    if (unstarted.length > 0) await giveBackSafely(ctx, unstarted);
    await lanes.load.idle();
  }

  function stop(): Promise<void> {
    stopping ??= stopOnce();
    return stopping;
  }

  return {
    lanes,
    newClaim: () => newClaim(ctx),
    newPlace: () => (place = placeAfter(place, ctx.clock.nowMs())),
    tick: async () => (await claimInto(lanes, ctx)) ?? 0,
    nudge,
    start: rounds.start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Claims as many due deliveries as the lanes have capacity for; `null` without a query when they have none. */
async function claimInto(lanes: Lanes, ctx: DeliveryContext): Promise<number | null> {
  const capacity = lanes.capacity();
  const { newAccountSlots, accountSlots, newLaneSlots, freeSlots } = capacity;
  if (capacity.all === 0) return null;
  const deliveriesMax = Math.min(capacity.all, CLAIM_DELIVERIES_MAX);
  const startedMs = ctx.clock.monotonicMs();
  const claimed = await ctx.store.claimDueDeliveries({
    nowMs: ctx.clock.nowMs(),
    claim: newClaim(ctx),
    deliveriesMax,
    perAccountMax: newAccountSlots,
    accountSlots,
    perDestinationMax: newLaneSlots,
    freeSlots,
    bodyCharsMax: Math.min(capacity.chars, CLAIM_CHARS_MAX),
  });
  ctx.report.claimed({ deliveries: claimed.length, durationMs: ctx.clock.monotonicMs() - startedMs });
  for (const { accountId, configVersion } of claimed) {
    ctx.accounts.confirm(accountId, { configVersion, askedMs: startedMs });
  }
  for (const delivery of claimed) lanes.put(delivery);
  if (claimed.length < deliveriesMax) lanes.noteClaimed(claimed, capacity);
  return claimed.length;
}

const newClaim = ({ clock, random }: DeliveryContext): Claim => ({
  token: Buffer.from(random.bytes(12)).toString("base64url"),
  untilMs: clock.nowMs() + CLAIM_MS,
});

/** A lane must never see an exception: the failure is reported here, and the claim runs out by itself. */
async function runSafely(ctx: DeliveryContext, delivery: ClaimedDelivery, onAnswer: OnAnswer): Promise<Delivered> {
  try {
    return await deliver(ctx, delivery, onAnswer);
  } catch (error) {
    ctx.report.failed({ what: `delivering ${delivery.id}`, error });
    return null;
  }
}

/** A failed give-back costs only a wait: the claims run out by themselves. */
async function giveBackSafely(ctx: DeliveryContext, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  try {
    await giveBack(ctx, deliveries);
  } catch (error) {
    ctx.report.failed({ what: `giving back ${deliveries.length} deliveries`, error });
  }
}
