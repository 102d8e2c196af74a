/**
 * Questions that wait until something is due. What this node accepts wakes them at once. What other nodes and the clock
 * make due is found by one question to the store for all of them: when another node says that something is due, and at
 * least once a second.
 */
import type { CancelTimer, Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import type { PulledDestination } from "../store/contract/pull.ts";
import type { Store } from "../store/contract/store.ts";

/** Behind a pooler nothing else tells of other nodes. */
const LOOK_EVERY_MS = secondsMs(1);

/** Guess: two programs, and what they left behind when they were started anew. */
const WAITS_PER_DESTINATION_MAX = 10;
/** Guess. Each is an open connection, and one line of the store's question. */
const WAITS_MAX = 2_000;

export interface Wait extends Disposable {
  /** Resolves when something may be due, after `withinMs`, or when `gone` aborts or the node stops. */
  untilWoken(withinMs: number, gone: AbortSignal): Promise<void>;
  /** The node stops: a question ends with what there is. */
  isOver(): boolean;
}

export interface Waits {
  /** `null`: too many wait. */
  open(asked: PulledDestination): Wait | null;
  /** Something is due for these. */
  wake(destinationIds: Iterable<string>): void;
  /** Something may be due. */
  nudge(): void;
  /** How many wait. */
  count(): number;
  /** Ends every wait. */
  stop(): void;
}

export interface WaitsOptions {
  readonly store: Pick<Store, "listPulledDue">;
  readonly clock: Clock;
}

export function createWaits({ store, clock }: WaitsOptions): Waits {
  const open = new OpenWaits(clock);
  let isStopped = false;
  let isLooking = false;
  let isNudged = false;
  let cancelLook: CancelTimer | null = null;

  /** One at a time; a nudge meanwhile is looked at afterwards. */
  async function look(): Promise<void> {
    if (isLooking) return void (isNudged = true);
    isLooking = true;
    do {
      isNudged = false;
      const pulled = open.list();
      // While the store is away nothing is found, and the next look comes soon.
      const found = await store.listPulledDue({ pulled, nowMs: clock.nowMs() }).catch(() => []);
      open.wake(found);
    } while (isNudged);
    isLooking = false;
  }

  function lookLater(): void {
    cancelLook ??= clock.after(LOOK_EVERY_MS, () => {
      cancelLook = null;
      if (open.size === 0 || isStopped) return;
      lookLater();
      void look();
    });
  }

  return {
    open(asked) {
      const wait = open.add(asked, () => isStopped);
      if (wait !== null) lookLater();
      return wait;
    },
    wake: (destinationIds) => open.wake(destinationIds),
    nudge() {
      if (open.size > 0) void look();
    },
    count: () => open.size,
    stop() {
      isStopped = true;
      cancelLook?.();
      open.wake(open.list().map(({ destinationId }) => destinationId));
    },
  };
}

interface OpenWait extends Wait {
  wake(): void;
}

class OpenWaits {
  readonly #byDestination = new Map<string, { readonly asked: PulledDestination; readonly waits: Set<OpenWait> }>();
  readonly #clock: Clock;
  size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(asked: PulledDestination, isOver: () => boolean): Wait | null {
    const { destinationId } = asked;
    const of = this.#byDestination.get(destinationId) ?? { asked, waits: new Set() };
    if (of.waits.size >= WAITS_PER_DESTINATION_MAX || this.size >= WAITS_MAX) return null;
    const onEnd = (): void => {
      if (!of.waits.delete(wait)) return;
      this.size -= 1;
      if (of.waits.size === 0) this.#byDestination.delete(destinationId);
    };
    const wait = createWait(this.#clock, { isOver, onEnd });
    this.#byDestination.set(destinationId, of);
    of.waits.add(wait);
    this.size += 1;
    return wait;
  }

  list(): PulledDestination[] {
    return Array.from(this.#byDestination.values(), ({ asked }) => asked);
  }

  wake(destinationIds: Iterable<string>): void {
    for (const id of destinationIds) for (const wait of this.#byDestination.get(id)?.waits ?? []) wait.wake();
  }
}

/** A wake between two sleeps is not lost. */
function createWait(clock: Clock, { isOver, onEnd }: WaitOptions): OpenWait {
  let isWoken = false;
  let end = (): void => {};

  const sleep = (withinMs: number, gone: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      end = () => {
        cancel();
        gone.removeEventListener("abort", end);
        resolve();
      };
      const cancel = clock.after(withinMs, end);
      gone.addEventListener("abort", end);
    });

  return {
    wake() {
      isWoken = true;
      end();
    },
    async untilWoken(withinMs, gone) {
      if (!isWoken && !gone.aborted) await sleep(withinMs, gone);
      isWoken = false;
    },
    isOver,
    [Symbol.dispose]: onEnd,
  };
}

interface WaitOptions {
  readonly isOver: () => boolean;
  readonly onEnd: () => void;
}
