/**
 * The row locks of one shard of the simulator: shared by verbs, alone for a move. Who comes later waits behind who came
 * earlier, also where it could share with who holds the row now.
 */
import pg from "pg";
import type { Simulator } from "../simulator.ts";

export type LockKind = "shared" | "alone";

/** Compared by identity: a transaction, or a verb's call. */
export type Holder = object;

export interface Wanted {
  readonly row: string;
  readonly kind: LockKind;
  readonly limitMs: number;
}

interface Waiting {
  readonly holder: Holder;
  readonly kind: LockKind;
  readonly go: () => void;
}

interface Locked {
  readonly holders: Map<Holder, LockKind>;
  waiting: Waiting[];
}

export class Locks {
  readonly #rows = new Map<string, Locked>();
  readonly #sim: Pick<Simulator, "after">;

  constructor(sim: Pick<Simulator, "after">) {
    this.#sim = sim;
  }

  /** Rejects as PostgreSQL does when the row is not to be had in time. True: it had to wait. */
  async acquire(holder: Holder, { row, kind, limitMs }: Wanted): Promise<boolean> {
    const locked: Locked = this.#rows.get(row) ?? { holders: new Map(), waiting: [] };
    this.#rows.set(row, locked);
    const mine = locked.holders.get(holder);
    if (mine === "alone" || mine === kind) return false;
    if (locked.waiting.length === 0 && isFree(locked, holder, kind)) {
      locked.holders.set(holder, kind);
      return false;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { holder, kind, go: resolve };
      locked.waiting.push(waiting);
      this.#sim.after(limitMs, null, () => {
        if (!locked.waiting.includes(waiting)) return;
        locked.waiting = locked.waiting.filter((one) => one !== waiting);
        this.#letGo(locked);
        reject(lockedOut());
      });
    });
    return true;
  }

  release(holder: Holder): void {
    for (const locked of this.#rows.values()) {
      locked.waiting = locked.waiting.filter((one) => one.holder !== holder);
      locked.holders.delete(holder);
      this.#letGo(locked);
    }
  }

  /** Rows that somebody holds or waits for. */
  held(): readonly string[] {
    return [...this.#rows].filter(([, { holders, waiting }]) => holders.size + waiting.length > 0).map(([row]) => row);
  }

  #letGo(locked: Locked): void {
    for (let [next] = locked.waiting; next !== undefined; [next] = locked.waiting) {
      if (!isFree(locked, next.holder, next.kind)) return;
      locked.waiting.shift();
      locked.holders.set(next.holder, next.kind);
      next.go();
    }
  }
}

const isFree = ({ holders }: Locked, holder: Holder, kind: LockKind): boolean =>
  [...holders].every(([other, held]) => other === holder || (kind === "shared" && held === "shared"));

function lockedOut(): Error {
  const error = new pg.DatabaseError("canceling statement due to lock timeout", 0, "error");
  return Object.assign(error, { code: "55P03" });
}
