/**
 * Slots decide which job may run now: a name look-up, a read of a program. They are few, and owners get them in
 * round-robin order: an owner with a thousand jobs waits behind itself; every other one waits behind at most one job of
 * each owner.
 *
 * Invariant: at most `inFlightMax` jobs run, at most `perOwnerMax` of one owner; a waiting job keeps its owner's order.
 */
export interface SlotsOptions {
  readonly inFlightMax: number;
  readonly perOwnerMax: number;
}

/** Runs until its promise settles, which frees the slot; `null` when no work is left. Must not reject. */
export type Job = () => Promise<unknown> | null;

export interface Slots {
  /** Starts the job now, or when its owner is next. */
  enqueue(owner: string, job: Job): void;
  inFlight(): number;
  /** Of one owner, or of all. */
  waiting(owner?: string): number;
}

interface Owner {
  readonly waiting: Job[];
  inFlight: number;
}

export function createSlots({ inFlightMax, perOwnerMax }: SlotsOptions): Slots {
  /** Owners with a waiting or running job; the owner of the job that started last stands last. */
  const owners = new Map<string, Owner>();
  let inFlight = 0;

  function startWhatMay(): void {
    while (inFlight < inFlightMax) {
      const next = nextOwner(owners, perOwnerMax);
      if (next === null) return;
      start(next.name, next.owner);
    }
  }

  function start(name: string, owner: Owner): void {
    const running = owner.waiting.shift()?.() ?? null;
    owners.delete(name);
    if (running !== null) {
      inFlight += 1;
      owner.inFlight += 1;
      void running.then(() => free(owner, name));
    }
    if (owner.inFlight > 0 || owner.waiting.length > 0) owners.set(name, owner);
  }

  function free(owner: Owner, name: string): void {
    inFlight -= 1;
    owner.inFlight -= 1;
    if (owner.inFlight === 0 && owner.waiting.length === 0) owners.delete(name);
    startWhatMay();
  }

  return {
    enqueue(name, job) {
      const owner = owners.get(name) ?? { waiting: [], inFlight: 0 };
      owners.set(name, owner);
      owner.waiting.push(job);
      startWhatMay();
    },
    inFlight: () => inFlight,
    waiting: (owner) =>
      owner === undefined
        ? [...owners.values()].reduce((sum, { waiting }) => sum + waiting.length, 0)
        : (owners.get(owner)?.waiting.length ?? 0),
  };
}

/** Skips owners that use all their slots: at most `inFlightMax / perOwnerMax` of them hold every slot. */
function nextOwner(owners: ReadonlyMap<string, Owner>, perOwnerMax: number): { name: string; owner: Owner } | null {
  for (const [name, owner] of owners) {
    if (owner.waiting.length > 0 && owner.inFlight < perOwnerMax) return { name, owner };
  }
  return null;
}
