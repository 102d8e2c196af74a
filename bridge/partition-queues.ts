/**
 * The records of one partition for one account and event, in their order: a partition queue. It posts one batch at a
 * time; while Bellwire does not take it the queue waits, and the others go on. While Bellwire cannot be reached at all,
 * none posts until the pause is over.
 *
 *     queue ──► batch ──► post ──► a result for each record ──► the next batch
 *                 ▲         └────► held: pause (Retry-After, back-off), then the same records again
 *                 ├─────────────────┘            └──► given back: the bridge stops, or others need the capacity
 *                 └── too large: half of them
 */
import type { Address } from "./address.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { Fault, Message } from "./port.ts";
import type { Job } from "./hand.ts";
import { type Pauses, RETRY_AFTER_MS_MAX } from "./pause.ts";
import type { Posted, PostRecords, RecordResult } from "./post-records.ts";
import { BATCH_BYTES_MAX, BATCH_RECORDS_MAX } from "../src/client/batches.ts";
import type { BridgeReport } from "./report.ts";

/** A record that waits for its result. */
export interface Waiting<Taken extends Message = Message> {
  readonly job: Job<Taken>;
  readonly line: number;
  readonly text: string;
  /** As it came, for a dead letter. */
  readonly bytes: Uint8Array;
}

export interface PartitionQueueContext<Taken extends Message> {
  readonly post: PostRecords;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** A queue that waits must leave its place to others: the hand is full, and the broker can wait. */
  readonly mustGiveWay: () => boolean;
  readonly settled: (waiting: readonly Waiting<Taken>[], results: readonly RecordResult[]) => void;
  /** None of these jobs will be settled; the broker is to bring their messages again after the pause. */
  readonly giveBack: (jobs: readonly Job<Taken>[], pauseMs: number) => void;
  readonly held: (fact: { readonly reason: string; readonly pauseMs: number; readonly failures: number }) => void;
  readonly moved: () => void;
}

/** A queue that waits checks this often whether others need its capacity. */
const CHECK_AGAIN_MS = 5_000;
/** Bellwire failed on these records as often as this, the last times on one record alone. As the inbox does it. */
const BROKEN_TRIES_MAX = 10;
/** From here on records go one by one, so that the one that Bellwire fails on holds up no other. */
const BROKEN_TRIES_TOGETHER = 3;

export class PartitionQueue<Taken extends Message> {
  readonly address: Address;
  readonly #context: PartitionQueueContext<Taken>;
  #queue: Waiting<Taken>[] = [];
  /** Without a success between. */
  #failures = 0;
  #broken = 0;
  /** Less since something between this bridge and Bellwire refused a larger call. */
  #countMax: number = BATCH_RECORDS_MAX;

  constructor(address: Address, context: PartitionQueueContext<Taken>) {
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
      return index > 0 && (index >= countMax || bytes > BATCH_BYTES_MAX);
    });
    return end === -1 ? [...this.#queue] : this.#queue.slice(0, end);
  }

  #settle(batch: readonly Waiting<Taken>[], results: readonly RecordResult[]): void {
    this.#queue.splice(0, batch.length);
    if (this.#failures > 0) this.#context.moved();
    this.#failures = 0;
    // The records behind one that Bellwire fails on may be as bad: they go one by one until the queue is empty.
    this.#broken = this.#queue.length === 0 ? 0 : Math.min(this.#broken, BROKEN_TRIES_TOGETHER);
    this.#context.settled(batch, results);
  }

  #isPoison(batch: readonly unknown[], posted: Posted): boolean {
    if (posted.kind !== "held" || !posted.isBroken) return false;
    this.#broken += 1;
    return batch.length === 1 && this.#broken >= BROKEN_TRIES_MAX;
  }

  /** Ends when the pause is over. A stopping bridge gives the records back, and so does one that needs the capacity. */
  async #hold(posted: Extract<Posted, { kind: "held" }>): Promise<void> {
    const { clock, pauses, held, mustGiveWay, isStopping } = this.#context;
    this.#failures += 1;
    const askedMs = Math.min(posted.retryAfterMs, RETRY_AFTER_MS_MAX);
    const pauseMs = Math.max(askedMs, pauses.backOffMs(this.#failures));
    held({ reason: posted.reason, pauseMs, failures: this.#failures });
    const untilMs = clock.monotonicMs() + pauseMs;
    for (let leftMs = pauseMs; leftMs > 0 && !isStopping(); leftMs = untilMs - clock.monotonicMs()) {
      if (mustGiveWay()) this.#giveBack(leftMs);
      await pauses.wait(Math.min(leftMs, CHECK_AGAIN_MS));
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

export interface PartitionQueuesContext<Taken extends Message> extends Omit<
  PartitionQueueContext<Taken>,
  "held" | "moved" | "post"
> {
  readonly post: PostRecords;
  readonly report: BridgeReport;
}

export interface PartitionQueues<Taken extends Message> {
  push(partition: string, address: Address, waiting: readonly Waiting<Taken>[]): void;
  /** The number of queues that Bellwire does not take at the moment. */
  held(): number;
  /** Why, when no queue at all gets through. */
  trouble(): string | null;
}

/** Guess: a node commits the calls that come together in one transaction. */
const POSTS_MAX = 8;

export function createPartitionQueues<Taken extends Message>(
  context: PartitionQueuesContext<Taken>,
): PartitionQueues<Taken> {
  const queues = new Map<string, PartitionQueue<Taken>>();
  const held = new Map<PartitionQueue<Taken>, string>();
  const gate = createGate(context);

  function open(key: string, address: Address): PartitionQueue<Taken> {
    const queue: PartitionQueue<Taken> = new PartitionQueue(address, {
      ...context,
      post: gate.post,
      held(fact) {
        held.set(queue, fact.reason);
        context.report.heldBack({ accountId: address.account, event: address.event, ...fact });
      },
      moved: () => release(queue),
    });
    queues.set(key, queue);
    return queue;
  }

  function release(queue: PartitionQueue<Taken>): void {
    if (held.delete(queue) && held.size === 0) context.report.resumed();
  }

  /** A queue with nothing left is forgotten, and so is its number of failures. */
  async function drain(key: string, queue: PartitionQueue<Taken>): Promise<void> {
    do await queue.drain();
    while (!queue.isEmpty);
    queues.delete(key);
    release(queue);
  }

  return {
    push(partition, address, waiting) {
      if (waiting.length === 0) return;
      const key = `${address.event} ${address.account} ${partition}`;
      const known = queues.get(key);
      const queue = known ?? open(key, address);
      queue.push(waiting);
      // A queue that is known drains already.
      if (known === undefined) void drain(key, queue);
    },
    held: () => held.size,
    trouble() {
      const [first] = held.values();
      const reason = gate.awayReason() ?? (held.size === queues.size ? first : undefined);
      return reason === undefined ? null : `Bellwire does not take records: ${reason}`;
    },
  };
}

interface Gate {
  readonly post: PostRecords;
  /** Why no call has been answered since the last one that was. */
  readonly awayReason: () => string | null;
}

/** Lets `POSTS_MAX` calls through at once. After one without any answer, all wait for the pause of the first. */
function createGate<Taken extends Message>({ post, clock, pauses, isStopping }: PartitionQueuesContext<Taken>): Gate {
  const callers: (() => void)[] = [];
  let inside = 0;
  let awayFailures = 0;
  let awayReason: string | null = null;
  let shutUntilMs = Number.NEGATIVE_INFINITY;

  async function enter(): Promise<void> {
    if (inside >= POSTS_MAX) await new Promise<void>((resolve) => callers.push(resolve));
    else inside += 1;
    while (!isStopping() && clock.monotonicMs() < shutUntilMs) await pauses.wait(shutUntilMs - clock.monotonicMs());
  }

  function leave(): void {
    const next = callers.shift();
    if (next === undefined) inside -= 1;
    else next();
  }

  function note(posted: Posted): void {
    awayReason = posted.kind === "held" && posted.isAway ? posted.reason : null;
    if (awayReason === null) awayFailures = 0;
    else if (clock.monotonicMs() >= shutUntilMs) {
      awayFailures += 1;
      shutUntilMs = clock.monotonicMs() + pauses.backOffMs(awayFailures);
    }
  }

  return {
    awayReason: () => awayReason,
    async post(address, lines) {
      await enter();
      try {
        const posted = await post(address, lines);
        note(posted);
        return posted;
      } finally {
        leave();
      }
    },
  };
}
