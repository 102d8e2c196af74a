/**
 * Whether the installation is held, as a copy of one is that runs elsewhere. It can be looked at, and until an operator
 * runs `bellwire adopt` nothing is accepted or sent, and no other server is asked anything:
 *
 *     held ──the setting is gone──► goes on
 *
 * A node that does not start held never asks.
 */
import { type Problem, problem } from "../domain/problem.ts";
import type { CancelTimer, Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import type { Log } from "../observe/log.ts";
import { HELD_SETTING } from "../store/contract/installation.ts";
import type { Store } from "../store/contract/store.ts";

/** So that all nodes go on within two seconds. */
const LOOKED_EVERY_MS = secondsMs(1);

export interface Hold {
  /** What callers are told while it is held. */
  readonly problem: Problem | null;
  /** Calls `goOn` once it is not held: at once, or when it was adopted. */
  start(goOn: () => void): void;
  stop(): void;
}

export interface OpenHold {
  readonly store: Pick<Store, "loadSetting">;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

export async function openHold({ store, clock, log }: OpenHold): Promise<Hold> {
  let why = await store.loadSetting({ name: HELD_SETTING });
  let isStopped = false;
  let cancel: CancelTimer = () => {};

  async function look(goOn: () => void): Promise<void> {
    // While the store is away it stays held.
    why = await store.loadSetting({ name: HELD_SETTING }).catch(() => why);
    if (isStopped) return;
    if (why !== null) return lookLater(goOn);
    log.info({}, "bellwire.adopted");
    goOn();
  }

  function lookLater(goOn: () => void): void {
    cancel = clock.after(LOOKED_EVERY_MS, () => void look(goOn));
  }

  return {
    get problem() {
      return why === null ? null : toProblem(why);
    },
    start(goOn) {
      if (why === null) return goOn();
      log.warn({ why, ends_by: "bellwire adopt" }, "bellwire.held");
      lookLater(goOn);
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

const toProblem = (why: string): Problem =>
  problem("held", `Nothing is accepted or sent: ${why}. An operator ends that by bellwire adopt.`);
