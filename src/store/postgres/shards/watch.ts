/**
 * One of several shards, as its calls find it:
 *
 *     here ──a call fails for want of its server, or hangs and a probe with it──► away ──a probe answers──► here
 *
 * While it is away its calls are refused at once, so that nobody waits for a server that is known to be gone.
 */
import type { CancelTimer, Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import { AccountAway, StoreUnavailable } from "../../contract/store.ts";
import { meansAway } from "../failures.ts";

export interface ShardCall {
  readonly shard: string;
  /** `lost`: it was sent, and the server was not there for it. `refused`: it was not sent. */
  readonly result: "done" | "lost" | "refused";
  readonly durationMs: number;
}

export interface WatchOptions {
  readonly name: string;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  /** A read with a limit of time of its own. Rejects as PostgreSQL does. */
  readonly probe: () => Promise<void>;
  readonly onCall: (call: ShardCall) => void;
}

/** Between two probes of a shard that is away. Guess. */
const PROBE_MS = secondsMs(2);

/** A call that takes longer than this is a reason to probe its shard. Guess. */
const HANGS_MS = secondsMs(2);

/** A call that its shard has not answered yet. */
interface OpenCall {
  readonly startedMs: number;
  readonly giveUp: (error: Error) => void;
}

/** `null`: it was there, and failed for another reason. One that cannot be opened is away too (`reach.ts`). */
function toAway(error: Error): AccountAway | null {
  if (error instanceof AccountAway) return error;
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return meansAway(cause) ? new AccountAway(error.message, { cause }) : null;
}

const away = (): AccountAway => new AccountAway("the server that has this account cannot be reached");

export class ShardWatch implements Disposable {
  readonly #options: WatchOptions;
  /** The longest one first. */
  readonly #open = new Set<OpenCall>();
  #isAway = false;
  #isSuspected = false;
  #isOver = false;
  #cancel: CancelTimer = () => {};

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  get isHere(): boolean {
    return !this.#isAway;
  }

  /** Rejects with `AccountAway` when it is away, or turns out to be. */
  ask<Value>(work: () => Promise<Value>): Promise<Value> {
    const { name, clock, onCall } = this.#options;
    this.#noticeHanging();
    if (this.#isAway) {
      onCall({ shard: name, result: "refused", durationMs: 0 });
      return Promise.reject(away());
    }
    return new Promise((resolve, reject) => {
      const call: OpenCall = { startedMs: clock.monotonicMs(), giveUp: reject };
      const end = (result: ShardCall["result"]): void => {
        this.#open.delete(call);
        onCall({ shard: name, result, durationMs: clock.monotonicMs() - call.startedMs });
      };
      this.#open.add(call);
      work().then(
        (value) => {
          end("done");
          resolve(value);
        },
        (error: Error) => {
          const lost = toAway(error);
          end(lost === null ? "done" : "lost");
          if (lost !== null) this.#leave();
          reject(lost ?? error);
        },
      );
    });
  }

  #leave(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    void this.#probeUntilBack();
  }

  async #probeUntilBack(): Promise<void> {
    if (await this.#answers()) this.#isAway = false;
    else if (!this.#isOver) this.#cancel = this.#options.clock.after(PROBE_MS, () => void this.#probeUntilBack());
  }

  /** Another failure of the server, such as of one statement, says that it answers. */
  #answers(): Promise<boolean> {
    return this.#options.probe().then(
      () => true,
      (error: Error) => toAway(error) === null,
    );
  }

  #noticeHanging(): void {
    const [oldest] = this.#open;
    if (oldest === undefined || this.#isSuspected || this.#isAway) return;
    if (this.#options.clock.monotonicMs() > oldest.startedMs + HANGS_MS) void this.#suspect();
  }

  /** A call that takes long may be about much, or the server hangs. */
  async #suspect(): Promise<void> {
    this.#isSuspected = true;
    if (!(await this.#answers())) {
      this.#leave();
      for (const { giveUp } of this.#open) giveUp(away());
    }
    this.#isSuspected = false;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#cancel();
  }
}
