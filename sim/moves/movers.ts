/**
 * Operators who move accounts between shards while the run goes on, each time by a process of its own that may die, or
 * stand still for longer than its sessions live. Somebody else runs the move again later, or takes it back; once the
 * run heals all moves are brought to their end.
 */
import { hoursMs, secondsMs } from "../../src/lib/duration.ts";
import { StoreUnavailable, StoreUnusable } from "../../src/store/contract/store.ts";
import { toStoreError } from "../../src/store/postgres/failures.ts";
import { HOME_SHARD } from "../../src/store/postgres/shards/directory.ts";
import { moveAccount } from "../../src/store/postgres/shards/move/move-account.ts";
import type { Place } from "../../src/store/postgres/shards/move/over.ts";
import { takeBack } from "../../src/store/postgres/shards/move/take-back.ts";
import type { Chance } from "../chance.ts";
import type { Swarm } from "../faults.ts";
import type { History, MoveEvent } from "../history.ts";
import type { Mutant } from "../mutant.ts";
import type { Process, Simulator } from "../simulator.ts";
import type { SetUpAccount } from "../set-up.ts";
import type { StoreWeather } from "../store-weather.ts";
import type { Stores } from "../stores.ts";
import type { Server } from "./server.ts";
import type { Upgrade } from "../upgrade.ts";
import { createSteps, movesOver, type SimMoves, type SimSteps } from "./steps.ts";

export interface MoversOptions {
  readonly sim: Simulator;
  readonly swarm: Swarm;
  readonly history: History;
  readonly stores: Pick<Stores, "shards" | "servers">;
  readonly weather: StoreWeather;
  readonly upgrade: Upgrade | null;
  readonly mutant: Mutant;
  readonly stream: (name: string) => Chance;
  readonly accounts: readonly Pick<SetUpAccount, "id">[];
  readonly faultsMs: number;
  readonly areFaultsOn: () => boolean;
}

const MOVES_MAX = 16;
/** Most records come in these first minutes. */
const EARLY_MS = secondsMs(240);
/** Somebody sees that a move did not come to its end, and does something about it. */
const SEEN_MS = [secondsMs(1), secondsMs(40)] as const;
/** Behind another move's beginning. */
const BESIDE_MS = [0, 5, 50, 500, secondsMs(5)] as const;
/** How long a process stands still. */
const PAUSES_MS = [secondsMs(3), secondsMs(15), secondsMs(60), hoursMs(1)] as const;

interface Mover extends Process {
  readonly name: string;
  readonly accountId: string;
}

interface Over {
  /** Rejects where this process cannot use the shard, which may be of another version. */
  readonly mayUse: (shard: string) => Promise<void>;
  readonly meetFate?: () => void;
}

type Wanted = { readonly kind: "to"; readonly shard: string } | { readonly kind: "back" };

/** `null`: accounts stay where they are. */
export const startMovers = (options: MoversOptions): Movers | null =>
  options.stores.servers === null ? null : new Movers(options, options.stores.servers);

export class Movers {
  readonly #options: MoversOptions;
  readonly #servers: ReadonlyMap<string, Server>;
  readonly #accountIds: readonly string[];
  readonly #steps: SimSteps;
  readonly #chance: Chance;
  readonly #fate: Chance;
  readonly #running = new Set<Mover>();
  /** Accounts that somebody comes by for. */
  readonly #seen = new Set<string>();
  #started = 0;

  constructor(options: MoversOptions, servers: ReadonlyMap<string, Server>) {
    const { stream, accounts } = options;
    this.#options = options;
    this.#servers = servers;
    this.#accountIds = accounts.map(({ id }) => id);
    this.#steps = createSteps(stream("move steps"));
    this.#chance = stream("movers");
    this.#fate = stream("mover_lost");
    this.#startSome();
  }

  /** The way of a process to the shards. It has each of them opened before it is used. */
  over(process: Process, { mayUse, meetFate = () => {} }: Over): SimMoves {
    const { sim, weather, mutant } = this.#options;
    const plain = movesOver(this.#servers, this.#steps, { sim, weather, process, meetFate, mayUse });
    return mutant.onMoves?.(plain) ?? plain;
  }

  /** From now on nothing fails: brings every move to its end. */
  heal(rounds = HEALS_MAX): void {
    if (this.#running.size === 0) this.#accountIds.filter((id) => this.#isLeft(id)).forEach((id) => this.#seeToIt(id));
    if (!this.areDone() && rounds > 1) this.#options.sim.after(HEALS_MS, null, () => this.heal(rounds - 1));
  }

  /** Nothing moves, and as far as the directory says nothing is left of a move. */
  areDone(): boolean {
    return this.#running.size === 0 && !this.#accountIds.some((id) => this.#isLeft(id));
  }

  #startSome(): void {
    const { sim, swarm, faultsMs } = this.#options;
    const chance = this.#chance;
    const { shards } = this.#options.stores;
    for (let number = 0; number < MOVES_MAX; number += 1) {
      const atMs = chance.between(0, Math.min(chance.happens(0.7) ? EARLY_MS : faultsMs, faultsMs));
      const [accountId, shard] = [chance.pick(this.#accountIds), chance.pick(shards)];
      if (!chance.happens(swarm.rate("moves"))) continue;
      sim.after(atMs, null, () => void this.#run(accountId, { kind: "to", shard }));
      if (!chance.happens(0.3)) continue;
      // Somebody else does something about the same account.
      const beside: Wanted = chance.happens(0.5) ? { kind: "back" } : { kind: "to", shard: chance.pick(shards) };
      sim.after(atMs + chance.pick(BESIDE_MS), null, () => void this.#run(accountId, beside));
    }
  }

  async #run(accountId: string, wanted: Wanted): Promise<void> {
    const { sim } = this.#options;
    this.#started += 1;
    const mover: Mover = { name: `mover.${this.#started}`, accountId, isDead: false, pausedUntilMs: 0 };
    const onStep = async (what: MoveEvent): Promise<void> => {
      this.#tell(mover, what);
      this.#meetFate(mover);
      if (mover.isDead) await new Promise(() => {});
    };
    this.#running.add(mover);
    this.#tell(mover, wanted.kind === "to" ? "begins" : "takes back", wanted.kind === "to" ? `to ${wanted.shard}` : "");
    const mayUse = async (shard: string): Promise<void> => this.#options.upgrade?.assertIsCurrent(shard);
    const own = this.over(mover, { mayUse, meetFate: () => this.#meetFate(mover) });
    try {
      const ended =
        wanted.kind === "back"
          ? await takeBack(own, { accountId })
          : (await moveAccount(own, { accountId, to: wanted.shard, nowMs: sim.nowMs, onStep })).kind;
      this.#tell(mover, "ends", ended);
    } catch (error) {
      this.#tell(mover, "ends", String(error));
      const isInOrder = error instanceof StoreUnusable || toStoreError(error) instanceof StoreUnavailable;
      if (!isInOrder) this.#options.history.add({ kind: "mover_failed", by: mover.name, error });
      this.#seeToItLater(accountId);
    } finally {
      this.#running.delete(mover);
    }
  }

  #meetFate(mover: Mover): void {
    const { sim, swarm, areFaultsOn } = this.#options;
    const fate = this.#fate;
    if (!areFaultsOn() || !fate.happens(swarm.rate("mover_lost"))) return;
    if (fate.happens(0.6)) {
      mover.isDead = true;
      this.#running.delete(mover);
      this.#tell(mover, "died");
    } else {
      const forMs = fate.pick(PAUSES_MS);
      mover.pausedUntilMs = sim.nowMs() + forMs;
      this.#tell(mover, "paused", `for ${forMs} ms`);
    }
    this.#seeToItLater(mover.accountId);
  }

  /** One at a time: each that fails is seen to again, and a shard may be away for long. */
  #seeToItLater(accountId: string): void {
    if (this.#seen.has(accountId)) return;
    this.#seen.add(accountId);
    this.#options.sim.after(this.#chance.between(...SEEN_MS), null, () => {
      this.#seen.delete(accountId);
      this.#seeToIt(accountId);
    });
  }

  /** By whoever comes by, and sees only what the directory says. */
  #seeToIt(accountId: string): void {
    const place = this.#placeOf(accountId);
    if (place === undefined || !this.#isLeft(accountId)) return;
    const isToGo = this.#chance.happens(0.6);
    void this.#run(accountId, isToGo ? { kind: "to", shard: place.movingTo ?? place.shard } : { kind: "back" });
  }

  #isLeft(accountId: string): boolean {
    const place = this.#placeOf(accountId);
    return place !== undefined && (place.movingTo !== null || place.leaving !== null);
  }

  #placeOf(accountId: string): Place | undefined {
    return this.#servers.get(HOME_SHARD)?.marks.place.get(accountId);
  }

  #tell({ name, accountId }: Mover, what: MoveEvent, detail = ""): void {
    this.#options.sim.noteActivity();
    this.#options.history.add({ kind: "moving", by: name, accountId, what, detail });
  }
}

/** Between two looks at what is left. */
const HEALS_MS = secondsMs(2);
/** Behind them nobody is paused any more, and what is still left is a fault. */
const HEALS_MAX = 3_600;
