/**
 * Lanes: a destination's deliveries inside this node. Each has its own limit and its own short buffer, so that a
 * destination that hangs fills its lane and nothing else.
 *
 *     reserve ──► putReserved ──► waiting ──► in flight ──success──► settling ──► done
 *        └──► release   put ──────┘  │           └─────── failure, until settled ──┘
 *                                    └──► given back: the destination is throttled or not on, or the node stops
 *
 * A success frees its slot at once, so that the receiver sets a lane's pace and not the disk. A failure keeps its slot
 * until it is settled: only the settlement decides whether the destination's breaker opens.
 *
 * Invariant: in flight ≤ limit in each lane; `load.ts` bounds the deliveries of an account, and of all lanes together.
 */
import type { SendResult } from "../../domain/attempt.ts";
import {
  adapt,
  throttledLimit,
  isCrowded,
  type Lane,
  putInOrder,
  takeNext,
  noteAnswer,
  countDeliveries,
  countFreeSlots,
  takeSurplus,
  takeWhere,
  wantsBacklog,
} from "./lane.ts";
import { isOperatorsConcern } from "../../egress/connect-outcome.ts";
import { slotsAtRate } from "../../domain/destination.ts";
import type { Clock } from "../../lib/clock.ts";
import { secondsMs } from "../../lib/duration.ts";
import type { ClaimedDelivery } from "../../store/contract/path.ts";
import { type Delivered, type OnAnswer, isTooLate } from "../deliver.ts";
import { isSuccess } from "../send/judge.ts";
import { Admission } from "../admission.ts";
import type { LoopWork } from "../loop-work.ts";
import { BacklogPace, computeYieldingCapacity } from "./backlog-pace.ts";
import { type Capacity, type LaneKey, Load } from "./load.ts";
import { Yielding } from "./yielding.ts";

export interface LanesOptions {
  readonly clock: Clock;
  /** The most deliveries in this node; the others wait in the store. Bounds its sockets and its memory. */
  readonly deliveriesMax: number;
  /** Makes the attempt. Must not reject. */
  readonly run: (delivery: ClaimedDelivery, onAnswer: OnAnswer) => Promise<Delivered>;
  /** Takes back deliveries that were not started. Must not reject. */
  readonly giveBack: (deliveries: readonly ClaimedDelivery[]) => Promise<unknown>;
  readonly loopWork: LoopWork;
  /** Called when a lane that left deliveries in the store has capacity for them. */
  readonly onCapacity: () => void;
  /** Called when a delivery has left a lane and will be due in the store at that instant. */
  readonly onDue: (atMs: number) => void;
}

const NO_CAPACITY: Capacity = {
  all: 0,
  chars: 0,
  newAccountSlots: 0,
  accountSlots: {},
  newLaneSlots: 0,
  freeSlots: {},
};

/** The pause after a fault of ours or of the operator's proxy: the waiting deliveries would meet the same fault. */
const OWN_FAULT_PAUSE_MS = secondsMs(1);

export class Lanes {
  /** The load of all lanes together. */
  readonly load: Load;
  readonly #options: LanesOptions;

  readonly #pace: BacklogPace;
  readonly #yielding: Yielding;
  /** Calls of intake that wait for capacity in a lane. */
  readonly admission: Admission;
  #isStopping = false;
  /** Claims that have begun. */
  #claims = 0;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.load = new Load(options.deliveriesMax);
    this.#pace = new BacklogPace(() => this.admission.isWaitedFor());
    this.admission = new Admission({
      clock: options.clock,
      loopWork: options.loopWork,
      isCrowded: (id) => {
        const lane = this.load.findLane(id);
        return lane !== null && isCrowded(lane, this.#share(lane));
      },
    });
    this.#yielding = new Yielding(options.clock, this.#pace, (lane) => this.#startWaiting(lane));
  }

  /**
   * Reserves a slot for a delivery that is about to be committed; false when none is free. Then later ones of its
   * destination queue up behind it from now on, and `noteBacklog` must follow.
   */
  reserve(key: LaneKey, chars: number): boolean {
    const lane = this.load.laneOf(key);
    if (this.#isStopping || lane.hasBacklog || !this.#hasSlot(lane, chars)) {
      lane.hasBacklog = true;
      lane.joining += 1;
      return false;
    }
    lane.reserved += 1;
    this.load.add(lane, 1, chars);
    return true;
  }

  #hasSlot(lane: Lane, chars: number): boolean {
    return !this.load.isFull(chars) && countFreeSlots(lane, this.#share(lane)) > 0;
  }

  /** Releases a reserved slot: its delivery was not committed, or not for this node. */
  release(key: LaneKey, chars: number): void {
    const lane = this.load.laneOf(key);
    lane.reserved -= 1;
    this.load.add(lane, -1, -chars);
  }

  /** Puts a committed delivery into its reserved slot. */
  putReserved(delivery: ClaimedDelivery): void {
    const lane = this.load.laneOf(delivery);
    lane.reserved -= 1;
    putInOrder(lane.fresh, delivery);
    const { clock } = this.#options;
    // Below 0 when the clock was set back in the meantime.
    this.#pace.noteFresh(clock.monotonicMs(), Math.max(0, clock.nowMs() - delivery.pendingSinceMs));
    this.#enqueue(lane, delivery, 0);
  }

  /** Takes a delivery that was claimed within `capacity`. */
  put(delivery: ClaimedDelivery): void {
    const lane = this.load.laneOf(delivery);
    lane.waiting.push(delivery);
    lane.backlog = Math.max(0, lane.backlog - 1);
    this.#enqueue(lane, delivery, 1);
  }

  /**
   * The commit of a delivery without a slot has ended. If it `isAccepted`, the store has it: it comes before newer
   * ones, and is claimed when a slot is free.
   */
  noteBacklog(key: LaneKey, isAccepted: boolean): void {
    const lane = this.load.laneOf(key);
    lane.joining -= 1;
    if (!isAccepted) return;
    lane.hasBacklog = true;
    lane.backlog += 1;
    lane.joinedInClaim = this.#claims;
    this.#pace.noteJoined(this.#options.clock.monotonicMs());
    if (wantsBacklog(lane, this.#share(lane))) this.#options.onCapacity();
  }

  /** The store has one more that goes in its turn. While one of its destination is here, its end asks for the next. */
  noteOrdered(destinationId: string): void {
    const lane = this.load.findLane(destinationId);
    if (lane === null || countDeliveries(lane) === 0) this.#askForNext();
  }

  #askForNext(): void {
    // Both: another node's claim may be about to take it, and see nothing of it yet.
    this.#options.onDue(this.#options.clock.nowMs());
    this.#options.onCapacity();
  }

  /**
   * The claim that `capacity` began looked at all that is due and brought `claimed`. Where that is less than it was
   * offered, the store has no more but what has come since, unless the lane's account got all that it may have.
   */
  noteClaimed(claimed: readonly ClaimedDelivery[], capacity: Capacity): void {
    const { newAccountSlots, accountSlots, newLaneSlots, freeSlots } = capacity;
    const byAccount = Map.groupBy(claimed, ({ accountId }) => accountId);
    const byDestination = Map.groupBy(claimed, ({ destinationId }) => destinationId);
    for (const lane of this.load.lanes()) {
      const { accountId, destinationId, ratePerSecond } = lane;
      if (!lane.hasBacklog && !byDestination.has(destinationId)) continue;
      const ofAccount = Object.hasOwn(accountSlots, accountId) ? accountSlots[accountId] : undefined;
      if ((byAccount.get(accountId)?.length ?? 0) >= (ofAccount ?? newAccountSlots)) continue;
      const most = Math.min(freeSlots[destinationId] ?? newLaneSlots, slotsAtRate(ratePerSecond));
      if ((byDestination.get(destinationId)?.length ?? 0) >= most) {
        if (lane.backlog === 0 && most > 0) [lane.hasBacklog, lane.backlog] = [true, Infinity];
        continue;
      }
      if (!lane.hasBacklog || lane.joining > 0 || lane.joinedInClaim === this.#claims) continue;
      lane.hasBacklog = false;
      lane.backlog = 0;
      this.admission.noteCapacity(destinationId);
    }
  }

  /** The capacity that a claim may fill; none once the node stops, or while claimed deliveries have to yield. */
  capacity(): Capacity {
    this.#claims += 1;
    if (this.#isStopping) return NO_CAPACITY;
    const limit = this.#pace.limit(this.#options.clock.monotonicMs());
    if (limit === Infinity) return this.load.capacity();
    const left = computeYieldingCapacity(limit, this.load.countWaiting());
    if (left === 0) return NO_CAPACITY;
    const capacity = this.load.capacity();
    return { ...capacity, all: Math.min(capacity.all, left) };
  }

  /** Starts nothing more, and returns the deliveries that were not started. Requests in flight continue. */
  stop(): ClaimedDelivery[] {
    this.#isStopping = true;
    return [...this.load.lanes()].flatMap((lane) => this.#takeUnstarted(lane));
  }

  #share(lane: Lane): number {
    return this.load.share(lane.accountId);
  }

  #enqueue(lane: Lane, delivery: ClaimedDelivery, added: 0 | 1): void {
    lane.ratePerSecond = delivery.ratePerSecond;
    this.load.add(lane, added, added * delivery.body.length);
    this.#startWaiting(lane);
    this.#giveBackSurplus(lane);
  }

  /**
   * Gives back deliveries that would lose their claim here: the owner's limit was lowered, or was unknown when slots
   * were reserved. Runs once for all deliveries that are put together.
   */
  #giveBackSurplus(lane: Lane): void {
    if (lane.isTrimmed || lane.ratePerSecond === null) return;
    lane.isTrimmed = true;
    queueMicrotask(() => {
      lane.isTrimmed = false;
      const surplus = this.#isStopping ? [] : takeSurplus(lane);
      if (surplus.length === 0) return;
      this.#forget(lane, surplus);
      lane.hasBacklog = true;
      lane.backlog += surplus.length;
      void this.#options.giveBack(surplus);
    });
  }

  #startWaiting(lane: Lane): void {
    if (lane.isPaced || this.#isStopping) return;
    for (;;) {
      const next = takeNext(lane, this.#options.clock.monotonicMs(), () => this.#yielding.mayStart(lane));
      if (next === null) return;
      if ("waitMs" in next) return this.#startLater(lane, next.waitMs);
      this.#start(lane, next);
    }
  }

  #start(lane: Lane, delivery: ClaimedDelivery): void {
    lane.inFlight += 1;
    const startedMs = this.#options.clock.monotonicMs();
    let isSettling = false;
    const onAnswer = (result: SendResult) => {
      lane.limit = adapt(lane.limit, result);
      if (isOperatorsConcern(result.outcome)) lane.nextStartMs = this.#options.clock.monotonicMs() + OWN_FAULT_PAUSE_MS;
      if (!isSuccess(result.outcome)) return;
      isSettling = true;
      noteAnswer(lane, this.#options.clock.monotonicMs() - startedMs);
      lane.inFlight -= 1;
      lane.settling += 1;
      this.#startWaiting(lane);
      this.admission.noteCapacity(lane.destinationId);
      if (wantsBacklog(lane, this.#share(lane))) this.#options.onCapacity();
    };
    void this.#options.run(delivery, onAnswer).then((delivered) => {
      if (isSettling) lane.settling -= 1;
      else lane.inFlight -= 1;
      this.#finish(lane, delivery, delivered);
    });
  }

  /** The owner's limit lets the next delivery start at that instant; one timer is enough for all that wait. */
  #startLater(lane: Lane, waitMs: number): void {
    lane.isPaced = true;
    this.#options.clock.after(waitMs, () => {
      lane.isPaced = false;
      this.#startWaiting(lane);
    });
  }

  #finish(lane: Lane, delivery: ClaimedDelivery, delivered: Delivered): void {
    // The waiting deliveries would find it off too. In the store they wait for the person who turns the destination on
    // or cancels them.
    if (delivered === "not_on") this.#giveBackUnstarted(lane);
    else if (delivered === null) this.#giveBackLate(lane);
    else if (delivered.heldUntilMs > 0) this.#throttle(lane);
    this.#noteDue(delivered);
    this.#startWaiting(lane);
    this.load.add(lane, -1, -delivery.body.length);
    if (delivery.isInOrder && hasEnded(delivered)) this.#askForNext();
    this.admission.noteCapacity(lane.destinationId);
    if (wantsBacklog(lane, this.#share(lane))) this.#options.onCapacity();
  }

  #noteDue(delivered: Delivered): void {
    if (delivered === "not_on") return;
    // It was given back, or its claim runs out.
    if (delivered === null) return this.#options.onDue(this.#options.clock.nowMs());
    const { verdict, heldUntilMs } = delivered;
    if (verdict.kind === "retry") this.#options.onDue(Math.max(verdict.dueAtMs, heldUntilMs));
  }

  /**
   * Waiting deliveries must not be sent while the breaker is open. Afterwards the receiver gets a trickle that grows,
   * not the flood.
   */
  #throttle(lane: Lane): void {
    lane.limit = throttledLimit;
    this.#giveBackUnstarted(lane);
  }

  #giveBackUnstarted(lane: Lane): void {
    const unstarted = this.#takeUnstarted(lane);
    if (unstarted.length > 0) void this.#options.giveBack(unstarted);
  }

  /** Deliveries behind one that was too late are often too late themselves, and need not wait for the lane's pace. */
  #giveBackLate(lane: Lane): void {
    const late = takeWhere(lane, (delivery) => isTooLate(delivery, this.#options.clock.nowMs()));
    this.#forget(lane, late);
    if (late.length > 0) void this.#options.giveBack(late);
  }

  #takeUnstarted(lane: Lane): ClaimedDelivery[] {
    const unstarted = takeWhere(lane, () => true);
    this.#forget(lane, unstarted);
    return unstarted;
  }

  /** These deliveries are no longer in this node. */
  #forget(lane: Lane, deliveries: readonly ClaimedDelivery[]): void {
    const chars = deliveries.reduce((sum, { body }) => sum + body.length, 0);
    this.load.add(lane, -deliveries.length, -chars);
  }
}

const hasEnded = (delivered: Delivered): boolean =>
  delivered !== null && delivered !== "not_on" && delivered.verdict.kind !== "retry";
