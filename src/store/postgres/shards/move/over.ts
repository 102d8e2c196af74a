/**
 * What a move asks of the directory and of the shards between which it works. The order of its steps, and what each may
 * assume, is written over this (`move-account.ts`, `complete-move.ts`, `take-back.ts`, `clean-up.ts`), so that it runs
 * unchanged over the shards of the simulator too. `steps.ts` has the steps in SQL.
 */
import { StoreUnavailable } from "../../../contract/store.ts";
import type { Transaction } from "../../transaction.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Alike, Owners } from "./copy.ts";

/**
 * A move keeps a transaction open in one shard while it works in another and asks the directory: so each of them has
 * connections of its own, home as a shard and home as the directory too. Nothing else uses these.
 */
export interface MovesOver<Tx = Transaction> {
  readonly directory: MoveShard<Tx>;
  /** Rejects when there is no such shard, and with `StoreUnusable` when its schema is not this version's. */
  shard(name: string): Promise<MoveShard<Tx>>;
  readonly steps: MoveSteps<Tx>;
  /** Work that nobody waits for; the servers rest afterwards for as long as it took. At once unless given. */
  gently?<Value>(work: () => Promise<Value>): Promise<Value>;
}

export interface MoveShard<Tx = Transaction> {
  /** A transaction. What `work` rejects with rolls it back. */
  commit<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value>;
  /** For what only reads: each statement is a transaction by itself. */
  read<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value>;
}

export interface Place {
  readonly shard: string;
  /** A move to there has begun. */
  readonly movingTo: string | null;
  /** Its history is still there too, or what a move that was taken back had copied. */
  readonly leaving: string | null;
}

export interface FoundPlace extends Place {
  /** How often it has changed: a place is not the same one because it reads the same. */
  readonly changes: number;
}

export interface ChangePlace {
  readonly before: Pick<FoundPlace, "changes">;
  readonly after: Place;
}

/**
 * `run` is another one after each change. A transaction in one shard cannot see that its process has lost its locks in
 * the other; but who changes what stands here has seen its `run` while it held them (`move-account.ts`).
 */
export interface Arriving {
  readonly run: string;
  readonly owners: Owners;
  /** All of it has arrived; the other shard may have let it go. */
  readonly isComplete: boolean;
}

export interface SetArriving {
  /** `null`: nothing of it stands here. */
  readonly before: string | null;
  readonly owners: Owners;
  /** Those that will make it live; `null`: it is to be copied on. */
  readonly rows: string | null;
}

export interface Departed {
  /** Another one with each departure. */
  readonly run: string;
  readonly owners: Owners;
}

/** The shards that an account goes from and to, or a transaction in each. */
export interface Ends<Of> {
  readonly from: Of;
  readonly to: Of;
}

export interface Copied {
  readonly accountId: string;
  readonly owners: Owners;
  readonly catalogue: Catalogue;
  /** What a round has found alike need not be read under the fence. */
  readonly alike: Alike;
  /** After each batch: how many rows were written or deleted. Throws to stop. */
  onRows(table: string, rows: number): void;
}

export interface CopyAhead<Tx> extends Copied {
  /** A transaction where the copy is. */
  write(work: (tx: Tx) => Promise<void>): Promise<void>;
  /** Events and entries of logs that are younger are left for later, so that all are numbered in their order. */
  readonly beforeMs: number;
}

export interface DeleteLeft extends Pick<Copied, "accountId" | "owners" | "catalogue"> {
  readonly table: string;
}

/** Each is about one account in one shard, within a transaction there. */
export interface MoveSteps<Tx> {
  /* In the directory. */
  findPlace(tx: Tx, accountId: string): Promise<FoundPlace>;
  /** False: something else has happened to it meanwhile. */
  changePlace(tx: Tx, accountId: string, change: ChangePlace): Promise<boolean>;

  /* In any shard. */
  hasAccount(tx: Tx, accountId: string): Promise<boolean>;
  isDeparted(tx: Tx, accountId: string): Promise<boolean>;
  loadCatalogue(tx: Tx): Promise<Catalogue>;
  /** The ids that lead to its rows, where it lives. */
  loadOwners(tx: Tx, accountId: string): Promise<Owners>;
  /** Lets no new writer of the account begin for a moment, so that `lockAccount` waits for those under way alone. */
  closeAccount?(tx: Tx, accountId: string): Promise<unknown>;
  /** Keeps the account from moving until the commit. Writers go on. False: this shard does not have it. */
  holdAccount(tx: Tx, accountId: string): Promise<boolean>;
  /** Waits for the account's writers, and keeps all others out until the commit. False: this shard does not have it. */
  lockAccount(tx: Tx, accountId: string): Promise<boolean>;
  /** The same of what is about the whole shard. */
  lockShard(tx: Tx): Promise<void>;

  /* In the shard that it leaves. */
  /** Gives rows to what nodes have in memory, and adds counts up that wait. */
  settleMemory(tx: Tx, accountId: string): Promise<void>;
  /** Deletes the account's live rows, and the lease marks that would say a node has its events in memory. */
  letGo(tx: Tx, accountId: string, owners: Owners): Promise<void>;
  noteDeparted(tx: Tx, accountId: string, owners: Owners): Promise<unknown>;
  /** Held until the commit; `null`: it has not departed, or all of it is gone. */
  holdDeparted(tx: Tx, accountId: string): Promise<Departed | null>;
  /** The tables of its history, in the order in which they are deleted. */
  readonly left: readonly string[];
  /** A batch of such a table. */
  deleteLeft(tx: Tx, left: DeleteLeft): Promise<{ readonly rows: number; readonly hasMore: boolean }>;
  deleteDeparted(tx: Tx, accountId: string): Promise<unknown>;

  /* In the shard that it goes to. */
  /** Held until the commit; `null`: no move of it to here has begun. */
  holdArriving(tx: Tx, accountId: string): Promise<Arriving | null>;
  /** The same without a lock. */
  findArriving(tx: Tx, accountId: string): Promise<Arriving | null>;
  /** Returns its new `run`; `null`: what stands there is not `before` any more. */
  setArriving(tx: Tx, accountId: string, arriving: SetArriving): Promise<string | null>;
  deleteArriving(tx: Tx, accountId: string): Promise<unknown>;
  /** One round, while traffic goes on. False: much had changed since the last one. */
  copyAhead(ends: Ends<MoveShard<Tx>>, copied: CopyAhead<Tx>): Promise<boolean>;
  /** Nothing changes meanwhile, and everybody waits. Returns the rows that will make it live. */
  copyRest(ends: Ends<Tx>, copied: Copied & { readonly left: Owners }): Promise<string>;
  /** Puts the rows that wait into their tables. */
  goLive(tx: Tx, accountId: string): Promise<void>;
}

/** Another process has brought the move of this account to its end, or has taken it back. Run again it is seen. */
export class MoveOvertaken extends StoreUnavailable {
  override name = "MoveOvertaken";

  constructor(accountId: string) {
    super(`the move of account ${accountId} was ended or taken back by another process meanwhile`);
  }
}
