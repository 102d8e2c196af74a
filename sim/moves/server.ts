/**
 * A shard of the simulator as a move finds it, and a transaction there: statements travel, wait for rows, and take
 * effect with the commit; one whose process is gone, or asks nothing for too long, is rolled back. Production's
 * protocol runs over these (`steps.ts`).
 */
import { type ByKey, createByKey } from "../../src/lib/by-key.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { StoreUnavailable } from "../../src/store/contract/store.ts";
import type { Departed, FoundPlace } from "../../src/store/postgres/shards/move/over.ts";
import type { Owners } from "../../src/store/postgres/shards/move/copy.ts";
import { IDLE_IN_TRANSACTION_MS_MAX, LOCK_MS_MAX } from "../../src/store/postgres/connection/transaction-settings.ts";
import { commitAtOnce } from "../../src/store/sqlite/commit.ts";
import type { Connection } from "../../src/store/sqlite/connection/connection.ts";
import type { InlineStore } from "../../src/store/sqlite/open.ts";
import type { Transaction } from "../../src/store/sqlite/transaction.ts";
import type { Process, Simulator } from "../simulator.ts";
import { type StoreWeather, toError } from "../store-weather.ts";
import { type LockKind, Locks } from "./locks.ts";

/** What stands in a shard about moves, and in the directory, by account. */
export interface Marks {
  readonly arriving: { readonly run: string; readonly owners: Owners; readonly rows: string | null };
  readonly departed: Departed;
  readonly place: FoundPlace;
}

export interface Server {
  readonly name: string;
  readonly between: InlineStore["between"];
  readonly locks: Locks;
  /** Calls that a move held up go on at one instant: what each has done is noted before the next one does anything. */
  readonly turns: ByKey;
  readonly marks: { readonly [Kind in keyof Marks]: Map<string, Marks[Kind]> };
}

export const openServer = (sim: Pick<Simulator, "after">, name: string, { between }: InlineStore): Server => ({
  name,
  between,
  locks: new Locks(sim),
  turns: createByKey(),
  marks: { arriving: new Map(), departed: new Map(), place: new Map() },
});

/** Runs between two verbs. Rejects with what `work` throws. */
export async function ask<Value>(
  { between }: Pick<Server, "between">,
  work: (db: Connection) => Value,
): Promise<Value> {
  let done: { readonly value: Value } | null = null;
  let failure: unknown = null;
  await between((db) => {
    try {
      done = { value: work(db) };
    } catch (error) {
      failure = error;
    }
  });
  if (done === null) throw failure;
  return (done as { readonly value: Value }).value;
}

/** Who asks, and over which way. */
export interface Client {
  readonly sim: Simulator;
  readonly weather: StoreWeather;
  readonly process: Process;
  /** Lets happen what the dice say about a statement. */
  readonly meetFate: () => void;
}

/** A server looks so often after whom it has not heard from. */
const LOOKS_MS = secondsMs(1);

type Write = (tx: Transaction) => void;

export class SimTransaction {
  readonly server: Server;
  readonly #client: Client;
  readonly #writes: Write[] = [];
  readonly #staged = new Map<string, () => void>();
  readonly #values = new Map<string, unknown>();
  #state: "open" | "committed" | "rolled back" = "open";
  #running = 0;
  #usedAtMs: number;
  lockMsMax = LOCK_MS_MAX;

  constructor(server: Server, client: Client) {
    this.server = server;
    this.#client = client;
    this.#usedAtMs = client.sim.nowMs();
    this.#lookAfter();
  }

  /** One statement: it travels there and back. */
  async ask<Value>(work: () => Value | Promise<Value>, lastsMs = 0): Promise<Value> {
    return await this.#travel(async (fault) => {
      if (fault === "away") return this.#fail(toError(fault));
      this.#assertIsOpen();
      const value = await work();
      this.#assertIsOpen();
      return value;
    }, lastsMs);
  }

  async lock(row: string, kind: LockKind = "alone"): Promise<void> {
    await this.server.locks.acquire(this, { row, kind, limitMs: this.lockMsMax });
  }

  /** As this transaction sees it. */
  read<Kind extends keyof Marks>(kind: Kind, accountId: string): Marks[Kind] | undefined {
    const key = `${kind} ${accountId}`;
    const marks: Map<string, Marks[Kind]> = this.server.marks[kind];
    return this.#staged.has(key) ? (this.#values.get(key) as Marks[Kind] | undefined) : marks.get(accountId);
  }

  /** `undefined` deletes it. The caller has locked it. */
  stage<Kind extends keyof Marks>(kind: Kind, accountId: string, value: Marks[Kind] | undefined): void {
    const key = `${kind} ${accountId}`;
    const marks: Map<string, Marks[Kind]> = this.server.marks[kind];
    this.#values.set(key, value);
    this.#staged.set(key, () => {
      if (value === undefined) marks.delete(accountId);
      else marks.set(accountId, value);
    });
  }

  /** Rows that change with the commit. */
  write(write: Write): void {
    this.#writes.push(write);
  }

  async commit(): Promise<void> {
    await this.#travel(async (fault) => {
      this.#assertIsOpen();
      if (fault !== null && fault !== "reply_lost") return this.#fail(toError(fault));
      await this.#takeEffect();
      if (fault !== null) throw toError(fault);
    }, 0);
  }

  /** At once: what the process has not sent does not matter any more. */
  rollBack(): void {
    if (this.#state === "open") this.#end("rolled back");
  }

  async #takeEffect(): Promise<void> {
    try {
      if (this.#writes.length > 0) {
        await ask(this.server, (db) => {
          db.keptHours.clear();
          commitAtOnce(db, (tx) => this.#writes.forEach((write) => write(tx)));
        });
      }
      for (const apply of this.#staged.values()) apply();
    } catch (error) {
      await ask(this.server, (db) => db.inTransaction() && db.run("rollback"));
      this.#fail(error);
    }
    this.#end("committed");
  }

  #travel<Value>(
    arrive: (fault: ReturnType<StoreWeather["draw"]>["fault"]) => Promise<Value>,
    lastsMs: number,
  ): Promise<Value> {
    const { sim, weather, process, meetFate } = this.#client;
    if (process.isDead) return new Promise(() => {});
    meetFate();
    // It may have died before it sent anything.
    if (process.isDead) return new Promise(() => {});
    const { thereMs, backMs, fault } = weather.draw(this.server.name);
    this.#running += 1;
    return new Promise((resolve, reject) => {
      const back = (settle: () => void): void => {
        this.#running -= 1;
        this.#usedAtMs = sim.nowMs();
        sim.after(backMs, process, settle);
      };
      sim.after(thereMs + lastsMs, null, () => {
        arrive(fault).then(
          (value) => back(() => resolve(value)),
          (error: unknown) => back(() => reject(error)),
        );
      });
    });
  }

  #assertIsOpen(): void {
    if (this.#state !== "open") throw new StoreUnavailable("the simulated session is gone");
  }

  #fail(error: unknown): never {
    this.rollBack();
    throw error;
  }

  #end(state: "committed" | "rolled back"): void {
    this.#state = state;
    this.server.locks.release(this);
  }

  #lookAfter(): void {
    const { sim, process } = this.#client;
    sim.after(LOOKS_MS, null, () => {
      if (this.#state !== "open") return;
      const isIdle = this.#running === 0 && sim.nowMs() - this.#usedAtMs > IDLE_IN_TRANSACTION_MS_MAX;
      if (process.isDead || isIdle) return this.rollBack();
      this.#lookAfter();
    });
  }
}
