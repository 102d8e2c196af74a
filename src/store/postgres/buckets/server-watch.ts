/**
 * One of several servers, as its calls find it (see `servers.ts`):
 *
 *     here ──a call fails for want of it, or hangs and a probe with it──► away ──a probe answers──► here
 */
import type { Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import { AccountAway, StoreUnavailable } from "../../contract/store.ts";
import { meansAway } from "../failures.ts";
import type { Group } from "./groups.ts";
import { createServerSlots, type ServerSlots } from "./server-slots.ts";

/** Which connections a call runs on; each kind has its own. */
export const LANES = ["path", "side"] as const;
export type Lane = (typeof LANES)[number];

export interface ServerCall {
  readonly server: string;
  /** `lost`: it was sent, and the server was not there for it. `refused`: it was not sent. */
  readonly result: "done" | "lost" | "refused";
  /** The time of its transaction, without the wait for a connection. */
  readonly durationMs: number;
}

export interface WatchOptions {
  readonly name: string;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** A read of that group, with a limit of time of its own. Rejects as PostgreSQL does. */
  readonly probe: (group: Group) => Promise<void>;
  /** Runs it after that time, unless everything has ended by then. */
  readonly later: (delayMs: number, run: () => Promise<void>) => void;
  readonly onCall: (call: ServerCall) => void;
}

/** Between two probes of a server that is away. Guess. */
const PROBE_MS = secondsMs(2);

/** A call that takes longer than this is a reason to probe its server. Guess. */
const HANGS_MS = secondsMs(2);

/** A call that its server has not answered yet. */
interface OpenCall {
  readonly startedMs: number;
  readonly giveUp: (error: Error) => void;
}

const away = (): AccountAway => new AccountAway("the server that has this account cannot be reached");

export class ServerWatch {
  readonly name: string;
  readonly slots: Readonly<Record<Lane, ServerSlots>> = { path: createServerSlots(), side: createServerSlots() };
  readonly #options: WatchOptions;
  /** The longest one first. */
  readonly #open = new Set<OpenCall>();
  #groups: readonly Group[] = [];
  #isAway = false;
  #isSuspected = false;

  constructor(options: WatchOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get groups(): readonly Group[] {
    return this.#groups;
  }

  /** Those that it has from now on; none when they have moved to others. */
  take(groups: readonly Group[]): void {
    this.#groups = groups;
  }

  get isHere(): boolean {
    return !this.#isAway;
  }

  /** Rejects with `AccountAway` when it is away, or turns out to be. */
  async ask<Value>(lane: Lane, work: () => Promise<Value>): Promise<Value> {
    this.#noticeHanging();
    return await this.#send(work, await this.#enter(lane));
  }

  async #enter(lane: Lane): Promise<() => void> {
    try {
      if (this.#isAway) throw away();
      return await this.slots[lane].enter();
    } catch (error) {
      this.#options.onCall({ server: this.name, result: "refused", durationMs: 0 });
      throw error;
    }
  }

  #send<Value>(work: () => Promise<Value>, leave: () => void): Promise<Value> {
    const { clock, onCall } = this.#options;
    return new Promise((resolve, reject) => {
      const call: OpenCall = { startedMs: clock.monotonicMs(), giveUp: reject };
      const end = (result: ServerCall["result"]): void => {
        leave();
        this.#open.delete(call);
        onCall({ server: this.name, result, durationMs: clock.monotonicMs() - call.startedMs });
      };
      this.#open.add(call);
      work().then(
        (value) => {
          end("done");
          resolve(value);
        },
        (error: Error) => {
          const cause = error instanceof StoreUnavailable ? error.cause : error;
          const isLost = meansAway(cause);
          end(isLost ? "lost" : "done");
          if (isLost) this.#leave();
          reject(isLost ? new AccountAway(error.message, { cause }) : error);
        },
      );
    });
  }

  #leave(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    for (const lane of LANES) this.slots[lane].rejectWaiting(away);
    void this.#probeUntilBack();
  }

  async #probeUntilBack(): Promise<void> {
    if (this.#groups.length === 0 || (await this.#answers())) this.#isAway = false;
    else this.#options.later(PROBE_MS, () => this.#probeUntilBack());
  }

  /** Another failure of the server, such as of one statement, says that it answers. */
  #answers(): Promise<boolean> {
    return this.#options.probe(this.#groups[0] ?? []).then(
      () => true,
      (error: unknown) => !meansAway(error),
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
}
