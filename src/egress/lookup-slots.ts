/**
 * Decides which name look-up may run now. Slots are few, and owners take turns for them. An owner with a thousand dead
 * names waits behind itself; every other owner waits behind at most one look-up of each owner. Pure apart from calling
 * the jobs.
 *
 * Invariant: at most `inFlightMax` jobs run, at most `perOwnerMax` of one owner; a waiting job keeps its owner's order.
 */
export interface LookupSlotsOptions {
  readonly inFlightMax: number;
  readonly perOwnerMax: number;
}

/** Runs until its promise settles, which frees the slot; `null` when no work is left. Must not reject. */
export type LookupJob = () => Promise<unknown> | null;

export interface LookupSlots {
  /** Starts the job now, or in its owner's turn. */
  enqueue(owner: string, job: LookupJob): void;
  inFlight(): number;
  waiting(): number;
}

interface Owner {
  readonly waiting: LookupJob[];
  inFlight: number;
}

export function createLookupSlots({ inFlightMax, perOwnerMax }: LookupSlotsOptions): LookupSlots {
  /** Owners with a waiting or running job; the owner of the job that started last stands last. */
  const owners = new Map<string, Owner>();
  let inFlight = 0;

  function startWhatMay(): void {
    while (inFlight < inFlightMax) {
      const next = nextInTurn(owners, perOwnerMax);
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
    waiting: () => [...owners.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  };
}

/** Passes over owners that use all their slots: at most `inFlightMax / perOwnerMax` of them hold every slot. */
function nextInTurn(owners: ReadonlyMap<string, Owner>, perOwnerMax: number): { name: string; owner: Owner } | null {
  for (const [name, owner] of owners) {
    if (owner.waiting.length > 0 && owner.inFlight < perOwnerMax) return { name, owner };
  }
  return null;
}
