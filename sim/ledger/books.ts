/**
 * The books that the ledger keeps, for the notes of each verb: they read and write here, and each lies in a file of its
 * own.
 */
import type { Store } from "../../src/store/contract/store.ts";
import type { History } from "../history.ts";
import type { DeliveryRecord, EventRecord, Life, ReplayRecord, SendRecord } from "../records.ts";
import { type Configs, type ConfigsParams, createConfigs } from "./configs.ts";
import { type Holds, createHolds } from "./holds.ts";

export type Verb = Exclude<keyof Store, typeof Symbol.asyncDispose>;

/** A verb that the store has run for a node's life. */
export interface Run<Name extends Verb> {
  readonly life: Life;
  /** The shard that has run it. */
  readonly shard: string;
  /** Accounts that it was about and that are not there: it says nothing about them. */
  readonly elsewhere: readonly string[];
  readonly params: Parameters<Store[Name]>[0];
  readonly answer: Awaited<ReturnType<Store[Name]>>;
}

export interface Books {
  readonly events: Map<string, EventRecord>;
  readonly deliveries: Map<string, DeliveryRecord>;
  readonly sends: SendRecord[];
  readonly replays: Map<string, ReplayRecord>;
  readonly configs: Configs;
  readonly holds: Holds;
  readonly store: Pick<Store, "loadDelivery" | "listReplays">;
  readonly history: () => History;
  readonly nowMs: () => number;
}

export interface LedgerParams extends ConfigsParams {
  readonly store: Pick<Store, "loadAccount" | "loadDelivery" | "listReplays">;
}

export function createBooks(options: LedgerParams): Books {
  return {
    events: new Map(),
    deliveries: new Map(),
    sends: [],
    replays: new Map(),
    configs: createConfigs(options),
    holds: createHolds(options.nowMs),
    store: options.store,
    history: options.history,
    nowMs: options.nowMs,
  };
}
