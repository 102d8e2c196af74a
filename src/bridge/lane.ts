/**
 * The records of one partition for one account and event, in their order. A lane posts one batch at a time; while
 * Bellwire does not take it the lane waits, and the others go on.
 *
 *     queue ──► batch ──► post ──► a result for each record ──► the next batch
 *                 ▲         └────► held: pause (Retry-After, back-off), then the same records again
 *                 ├─────────────────┘            └──► given back: the bridge stops, or others need the room
 *                 └── too large: half of them
 */
import type { Address } from "./address.ts";
import type { Clock } from "../lib/clock.ts";
import type { Fault } from "./fault.ts";
import type { Job } from "./hand.ts";
import type { Message } from "./port.ts";
import { type Pauses, RETRY_AFTER_MS_MAX } from "./pause.ts";
import type { Posted, PostRecords, RecordResult } from "./post-records.ts";
import { LIMITS } from "../domain/limits.ts";

/** A record that waits for its result. */
export interface Waiting<Taken extends Message = Message> {
  readonly job: Job<Taken>;
  readonly line: number;
  readonly text: string;
  /** As it came, for a dead letter. */
  readonly bytes: Uint8Array;
}

export interface LaneContext<Taken extends Message> {
  readonly post: PostRecords;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** A held lane must leave its place to others: the hand is full, and the broker can wait. */
  readonly mustGiveWay: () => boolean;
  readonly settled: (waiting: readonly Waiting<Taken>[], results: readonly RecordResult[]) => void;
  /** None of these jobs will be settled; the broker is to bring their messages again after the pause. */
  readonly giveBack: (jobs: readonly Job<Taken>[], pauseMs: number) => void;
  readonly held: (fact: { readonly reason: string; readonly pauseMs: number; readonly failures: number }) => void;
  readonly moved: () => void;
}

/** A held lane looks this often whether others need its room. */
const LOOK_AGAIN_MS = 5_000;
/** Bellwire failed on these records as often as this, the last times on one record alone. As the inbox does it. */
const BROKEN_TRIES_MAX = 10;
/** From here on records go one by one, so that the one that Bellwire fails on holds up no other. */
const BROKEN_TRIES_TOGETHER = 3;

export class Lane<Taken extends Message> {
  readonly address: Address;
  readonly #context: LaneContext<Taken>;
  #queue: Waiting<Taken>[] = [];
  /** Without a success between. */
  #failures = 0;
  #broken = 0;
  /** Less since something between this bridge and Bellwire refused a larger call. */
  #countMax: number = LIMITS.batchRecordsMax;

  constructor(address: Address, context: LaneContext<Taken>) {
    this.address = address;
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  push(waiting: readonly Waiting<Taken>[]): void {
    this.#queue.push(...waiting);
  }

  /** Posts until the queue is empty or was given back. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      const posted = await this.#context.post(
        this.address,
        batch.map(({ text }) => text),
      );
      if (posted.kind === "answered") this.#settle(batch, posted.results);
      else if (this.#isPoison(batch, posted)) this.#settle(batch, [{ kind: "refused", fault: poison }]);
      else if (posted.isTooLarge && batch.length > 1) this.#countMax = Math.ceil(batch.length / 2);
      else await this.#hold(posted);
    }
  }

  #nextBatch(): Waiting<Taken>[] {
    const countMax = this.#broken >= BROKEN_TRIES_TOGETHER ? 1 : this.#countMax;
    let bytes = 0;
    const end = this.#queue.findIndex(({ bytes: { length } }, index) => {
      bytes += length + 1;
      return index > 0 && (index >= countMax || bytes > LIMITS.batchBytesMax);
    });
    return end === -1 ? [...this.#queue] : this.#queue.slice(0, end);
  }

  #settle(batch: readonly Waiting<Taken>[], results: readonly RecordResult[]): void {
    this.#queue.splice(0, batch.length);
    if (this.#failures > 0) this.#context.moved();
    this.#failures = 0;
    // The records behind one that Bellwire fails on may be as bad: they go one by one until the lane is empty.
    this.#broken = this.#queue.length === 0 ? 0 : Math.min(this.#broken, BROKEN_TRIES_TOGETHER);
    this.#context.settled(batch, results);
  }

  #isPoison(batch: readonly unknown[], posted: Posted): boolean {
    if (posted.kind !== "held" || !posted.isBroken) return false;
    this.#broken += 1;
    return batch.length === 1 && this.#broken >= BROKEN_TRIES_MAX;
  }

  /** Ends when the pause is over. A stopping bridge gives the records back, and so does one that needs the room. */
  async #hold(posted: Extract<Posted, { kind: "held" }>): Promise<void> {
    const { clock, pauses, held, mustGiveWay, isStopping } = this.#context;
    this.#failures += 1;
    const askedMs = Math.min(posted.retryAfterMs, RETRY_AFTER_MS_MAX);
    const pauseMs = Math.max(askedMs, pauses.backOffMs(this.#failures));
    held({ reason: posted.reason, pauseMs, failures: this.#failures });
    const untilMs = clock.monotonicMs() + pauseMs;
    for (let leftMs = pauseMs; leftMs > 0 && !isStopping(); leftMs = untilMs - clock.monotonicMs()) {
      if (mustGiveWay()) this.#giveBack(leftMs);
      await pauses.wait(Math.min(leftMs, LOOK_AGAIN_MS));
    }
    if (isStopping()) this.#giveBack(0);
  }

  #giveBack(delayMs: number): void {
    const jobs = new Set(this.#queue.map(({ job }) => job));
    this.#queue = [];
    if (jobs.size > 0) this.#context.giveBack([...jobs], delayMs);
  }
}

const poison: Fault = {
  code: "internal_error",
  detail: `Bellwire failed on this record ${BROKEN_TRIES_MAX} times; its own log says why. Send it again afterwards.`,
};
