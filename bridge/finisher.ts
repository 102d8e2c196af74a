/**
 * The last steps of messages, many at once: dead letters first, then the acknowledgement. A broker that fails in either
 * is asked again: a repeat of both does no harm, and until it has worked the messages stay in hand.
 */
import type { Hand, Job } from "./hand.ts";
import { fitLetter } from "./letters.ts";
import type { Pauses } from "./pause.ts";
import type { Message, Source } from "./port.ts";
import type { BridgeReport } from "./report.ts";

interface FinisherContext<Taken extends Message> {
  readonly source: Source<Taken>;
  readonly hand: Hand<Taken>;
  readonly pauses: Pauses;
  readonly report: BridgeReport;
}

export interface Finisher<Taken extends Message> {
  /** The job has a result for each record. */
  finish(job: Job<Taken>): void;
  giveBack(jobs: readonly Job<Taken>[], delayMs: number): Promise<void>;
  /** Asks the broker no more; a call that fails is not repeated. */
  stop(): void;
}

export function createFinisher<Taken extends Message>(context: FinisherContext<Taken>): Finisher<Taken> {
  const { source, hand, pauses, report } = context;
  const finished: Job<Taken>[] = [];
  let isRunning = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isRunning = true;
    // Jobs that are finished by the same answer go together.
    await Promise.resolve();
    while (finished.length > 0 && !isStopped) {
      const jobs = finished.splice(0);
      const letters = jobs.flatMap((job) => job.letters).map((letter) => fitLetter(letter, source.letterBytesMax));
      const messages = jobs.map(({ message }) => message);
      if (letters.length > 0) await insist("dead letters", () => source.sendDeadLetters(letters));
      await insist("acknowledge", () => source.acknowledge(messages));
      // After a stop in the middle the broker brings them again.
      if (isStopped) break;
      hand.release(jobs);
      report.acknowledged(jobs.length);
    }
    isRunning = false;
  }

  async function insist(what: string, call: () => Promise<void>): Promise<void> {
    for (let failures = 1; !isStopped; failures += 1) {
      try {
        return await call();
      } catch (error) {
        report.brokerFailed({ what, error });
        await pauses.waitOut(pauses.backOffMs(failures));
      }
    }
  }

  return {
    finish(job) {
      finished.push(job);
      if (!isRunning) void run();
    },
    async giveBack(jobs, delayMs) {
      const messages = jobs.map(({ message }) => message);
      await source.giveBack(messages, delayMs).catch((error: unknown) => {
        // The broker brings them again by itself when its time for an acknowledgement is over.
        report.brokerFailed({ what: "give back", error });
      });
      hand.release(jobs);
      report.gaveBack(jobs.length);
    },
    stop() {
      isStopped = true;
    },
  };
}
