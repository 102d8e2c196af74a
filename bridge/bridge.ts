/**
 * The bridge: messages of a broker become calls of Bellwire's intake, and each is acknowledged only after the result of
 * its last record. `port.ts` draws a message's way; start reading here.
 *
 * Invariants: a message leaves the hand acknowledged or given back, never otherwise; it is acknowledged only when each
 * of its records is an event of Bellwire or stored as a dead letter; records of one partition, account and event are
 * posted in the order of their messages.
 */
import type { BridgeConfig } from "./options.ts";
import { type CancelTimer, type Clock, inTime } from "../src/lib/clock.ts";
import { secondsMs } from "../src/lib/duration.ts";
import type { Random } from "../src/lib/random.ts";
import { readAddress } from "./address.ts";
import { type Finisher, createFinisher } from "./finisher.ts";
import { type Hand, type Job, createHand } from "./hand.ts";
import { type PartitionQueues, type Waiting, createPartitionQueues } from "./partition-queues.ts";
import { type Pauses, createPauses } from "./pause.ts";
import type { Message, Source } from "./port.ts";
import { readRecords } from "./records.ts";
import type { BridgeReport } from "./report.ts";
import { type Results, createResults } from "./results.ts";
import type { PostRecords } from "./post-records.ts";

export interface BridgeOptions<Taken extends Message> {
  readonly source: Source<Taken>;
  readonly post: PostRecords;
  readonly rules: Pick<BridgeConfig, "bridgeSubject" | "bridgeAccount" | "bridgeEvent" | "bridgeInHandMax">;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: BridgeReport;
}

/** Present values, for metrics and the health page. */
export interface BridgeNow {
  readonly inHand: number;
  /** Partition queues that Bellwire does not take at the moment. */
  readonly queuesHeld: number;
  /** Messages that wait at the broker; `null` when it does not say. */
  readonly waiting: number | null;
  /** Why the bridge cannot work at the moment, for a person; `null` when it can. */
  readonly trouble: string | null;
}

/** A scrape must not wait for a broker that is away, and the last call of a stop neither. */
const BROKER_MS_MAX = secondsMs(2);

/** A question that is not answered costs the broker nothing, and messages wait. */
const PULL_AGAIN_MS_MAX = secondsMs(2);

export class Bridge<Taken extends Message = Message> {
  readonly #options: BridgeOptions<Taken>;
  readonly #stopping = new AbortController();
  readonly #askToStop: () => void;
  readonly #pauses: Pauses;
  readonly #hand: Hand<Taken>;
  readonly #finisher: Finisher<Taken>;
  readonly #results: Results<Taken>;
  readonly #queues: PartitionQueues<Taken>;
  #pulling: Promise<void> | null = null;
  #pullFailures = 0;
  #cancelKeep: CancelTimer = () => {};
  #isClosed = false;

  constructor(options: BridgeOptions<Taken>) {
    const { source, post, rules, clock, random, report } = options;
    const { promise: stopAsked, resolve } = Promise.withResolvers<void>();
    this.#options = options;
    this.#askToStop = resolve;
    const pauses = createPauses(clock, random, stopAsked);
    const hand = createHand<Taken>(clock, rules.bridgeInHandMax);
    const finisher = createFinisher({ source, hand, pauses, report });
    this.#pauses = pauses;
    this.#hand = hand;
    this.#finisher = finisher;
    this.#results = createResults({ finisher, clock, report });
    this.#queues = createPartitionQueues<Taken>({
      post,
      pauses,
      clock,
      report,
      isStopping: () => this.#isStopping,
      mustGiveWay: () => source.canDelay && hand.capacity() === 0,
      settled: this.#results.settled,
      giveBack: (jobs, delayMs) => void finisher.giveBack(jobs, delayMs),
    });
  }

  start(): void {
    this.#pulling ??= this.#pullUntilStopped();
    this.#keepOn();
  }

  async now(): Promise<BridgeNow> {
    const asked = this.#options.source.countWaiting().catch(() => null);
    const waiting = await inTime(this.#options.clock, BROKER_MS_MAX, asked);
    const trouble = this.#pullFailures > 0 ? "The broker does not answer." : this.#queues.trouble();
    return { inHand: this.#hand.jobs.size, queuesHeld: this.#queues.held(), waiting, trouble };
  }

  /**
   * Pulls nothing more, finishes what is in hand, gives back what is not finished within `deadlineMs` or what Bellwire
   * does not take, and closes the source.
   */
  async stop(deadlineMs: number): Promise<void> {
    const { source, clock } = this.#options;
    this.#stopping.abort();
    this.#askToStop();
    this.#hand.nudge();
    const emptied = (this.#pulling ?? Promise.resolve()).then(() => this.#emptyHand());
    await inTime(clock, deadlineMs, emptied);
    this.#isClosed = true;
    this.#cancelKeep();
    this.#finisher.stop();
    const left = [...this.#hand.jobs];
    if (left.length > 0) await inTime(clock, BROKER_MS_MAX, this.#finisher.giveBack(left, 0));
    await source[Symbol.asyncDispose]();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #pullUntilStopped(): Promise<void> {
    while (!this.#isStopping) {
      const capacity = this.#hand.capacity();
      if (capacity === 0) await this.#hand.changed();
      else await this.#pull(capacity);
    }
  }

  async #pull(countMax: number): Promise<void> {
    const { source, report } = this.#options;
    const messages = await source.pull(countMax, this.#stopping.signal).catch((error: unknown) => {
      report.brokerFailed({ what: "pull", error });
      return null;
    });
    this.#pullFailures = messages === null ? this.#pullFailures + 1 : 0;
    const pauseMs = Math.min(PULL_AGAIN_MS_MAX, this.#pauses.backOffMs(this.#pullFailures));
    if (messages === null) return await this.#pauses.wait(pauseMs);
    if (messages.length > 0) report.pulled(messages.length);
    for (const message of messages) this.#take(message);
  }

  #take(message: Taken): void {
    const address = readAddress(message, this.#options.rules);
    const job: Job<Taken> = { message, address: address.ok ? address.value : null, left: 1, letters: [] };
    this.#hand.take(job);
    if (!address.ok) return this.#results.refused(job, { line: 1, bytes: message.body }, address.error);
    const records = readRecords(message);
    if (records.length === 0) return this.#finisher.finish(job);
    job.left = records.length;
    const waiting: Waiting<Taken>[] = [];
    for (const { line, bytes, text } of records) {
      if (text.ok) waiting.push({ job, line, bytes, text: text.value });
      else this.#results.refused(job, { line, bytes }, text.error);
    }
    this.#queues.push(message.partition, address.value, waiting);
  }

  /** Tells the broker again and again that messages are still in hand. */
  #keepOn(): void {
    const { source, clock, report } = this.#options;
    if (source.keepEveryMs === null) return;
    this.#cancelKeep = clock.after(source.keepEveryMs, () => {
      const messages = [...this.#hand.jobs].map(({ message }) => message);
      const kept = messages.length === 0 ? Promise.resolve() : source.keep(messages);
      void kept
        .catch((error: unknown) => report.brokerFailed({ what: "keep", error }))
        .then(() => this.#isClosed || this.#keepOn());
    });
  }

  async #emptyHand(): Promise<void> {
    while (this.#hand.jobs.size > 0) await this.#hand.changed();
  }
}
