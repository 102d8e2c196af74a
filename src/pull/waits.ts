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
export const WAITS_PER_DESTINATION_MAX = 10;
/** Guess, of all accounts. Each is an open connection, and one line of the store's question. */
const WAITS_MAX = 2_000;

export interface Wait extends Disposable {
  /** Resolves when something may be due, after `withinMs`, or when `gone` aborts or the node stops. */
  untilWoken(withinMs: number, gone: AbortSignal): Promise<void>;
  /** The node stops, or others have no room: a question ends with what there is. */
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
  readonly waitsMax?: number;
}

export function createWaits({ store, clock, waitsMax = WAITS_MAX }: WaitsOptions): Waits {
  const open = new OpenWaits(clock, waitsMax);
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
  /** Before its time, with what there is. */
  endEarly(): void;
}

class OpenWaits {
  readonly #byDestination = new Map<string, { readonly asked: PulledDestination; readonly waits: Set<OpenWait> }>();
  /** The oldest of an account first. */
  readonly #byAccount = new Map<string, Set<OpenWait>>();
  readonly #clock: Clock;
  readonly #waitsMax: number;
  size = 0;

  constructor(clock: Clock, waitsMax: number) {
    this.#clock = clock;
    this.#waitsMax = waitsMax;
  }

  add(asked: PulledDestination, isOver: () => boolean): Wait | null {
    const { accountId, destinationId } = asked;
    const of = this.#byDestination.get(destinationId) ?? { asked, waits: new Set() };
    if (of.waits.size >= WAITS_PER_DESTINATION_MAX) return null;
    if (this.size >= this.#waitsMax && !this.#endOneEarly(accountId)) return null;
    const own = this.#byAccount.get(accountId) ?? new Set();
    const onEnd = (): void => {
      if (!of.waits.delete(wait)) return;
      this.size -= 1;
      if (of.waits.size === 0) this.#byDestination.delete(destinationId);
      own.delete(wait);
      if (own.size === 0) this.#byAccount.delete(accountId);
    };
    const wait = createWait(this.#clock, { isOver, onEnd });
    this.#byDestination.set(destinationId, of);
    of.waits.add(wait);
    this.#byAccount.set(accountId, own.add(wait));
    this.size += 1;
    return wait;
  }

  /** The oldest question of the account that has most of them ends early, unless the newcomer's has as many. */
  #endOneEarly(accountId: string): boolean {
    let most: ReadonlySet<OpenWait> = new Set();
    for (const waits of this.#byAccount.values()) if (waits.size > most.size) most = waits;
    const [oldest] = most;
    if (oldest === undefined || most.size <= (this.#byAccount.get(accountId)?.size ?? 0) + 1) return false;
    oldest.endEarly();
    return true;
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
  let isEnded = false;
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
    endEarly() {
      isEnded = true;
      onEnd();
      this.wake();
    },
    isOver: () => isEnded || isOver(),
    [Symbol.dispose]: onEnd,
  };
}

interface WaitOptions {
  readonly isOver: () => boolean;
  readonly onEnd: () => void;
}
