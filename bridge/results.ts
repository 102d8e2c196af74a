/** Counts a message's records down as their results come, and makes a dead letter of each that was refused. */
import type { Clock } from "../src/lib/clock.ts";
import type { Fault, Message } from "./port.ts";
import type { Finisher } from "./finisher.ts";
import type { Job } from "./hand.ts";
import type { Waiting } from "./partition-queues.ts";
import { makeLetter } from "./letters.ts";
import type { BridgeReport } from "./report.ts";
import type { RecordResult } from "./post-records.ts";

interface ResultsContext<Taken extends Message> {
  readonly finisher: Pick<Finisher<Taken>, "finish">;
  readonly clock: Clock;
  readonly report: BridgeReport;
}

export interface Results<Taken extends Message> {
  /** `results` has one for each of the records, which are of one account and event. */
  settled(waiting: readonly Waiting<Taken>[], results: readonly RecordResult[]): void;
  refused(job: Job<Taken>, record: Pick<Waiting, "line" | "bytes">, fault: Fault): void;
}

export function createResults<Taken extends Message>(context: ResultsContext<Taken>): Results<Taken> {
  const { finisher, clock, report } = context;

  function countDown(job: Job<Taken>): void {
    job.left -= 1;
    if (job.left === 0) finisher.finish(job);
  }

  function refused(job: Job<Taken>, { line, bytes: body }: Pick<Waiting, "line" | "bytes">, fault: Fault): void {
    const { message, address } = job;
    job.letters.push(makeLetter({ message, address, fault, body, line, nowMs: clock.nowMs() }));
    const { account: accountId = null, event = null } = address ?? {};
    report.refused({ accountId, event, origin: message.subject, line, fault });
    countDown(job);
  }

  return {
    settled(waiting, results) {
      const counts = { accepted: 0, duplicates: 0 };
      waiting.forEach((each, index) => {
        const result = results[index];
        if (result === undefined) throw new Error("the service answered for fewer records than it was given");
        if (result.kind === "refused") return refused(each.job, each, result.fault);
        counts[result.duplicate ? "duplicates" : "accepted"] += 1;
        return countDown(each.job);
      });
      const event = waiting[0]?.job.address?.event;
      if (event !== undefined) report.forwarded({ event, ...counts });
    },
    refused,
  };
}
