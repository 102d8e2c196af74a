/**
 * The death of the store's process: what only its memory knew is gone, and the next process takes up what is on disk.
 * Unlike SQLite's own start it leaves claims as they were, because the nodes of a run share the store and live on.
 */
import { type Store, VERB_NAMES } from "../src/store/contract/store.ts";
import { commitAtOnce } from "../src/store/sqlite/commit.ts";
import type { Connection } from "../src/store/sqlite/connection/connection.ts";
import { recoverInMemory } from "../src/store/sqlite/path/pending-rows.ts";
import { forgetMemory } from "../src/store/sqlite/writer/database-file.ts";
import type { InlineStore } from "../src/store/sqlite/open.ts";
import type { Chance } from "./chance.ts";
import type { Swarm } from "./faults.ts";

export interface MemoryLoss {
  readonly swarm: Swarm;
  readonly chance: Chance;
  readonly areFaultsOn: () => boolean;
  readonly nowMs: () => number;
  /** `inMemory`: deliveries that had no row. */
  readonly onLoss: (inMemory: number) => void;
}

/** The store with deaths between its verbs. */
export function withMemoryLoss({ store, between }: InlineStore, loss: MemoryLoss): Store {
  const { swarm, chance, areFaultsOn, nowMs, onLoss } = loss;
  const happens = (): boolean => areFaultsOn() && chance.happens(swarm.rate("memory_lost"));
  const verbs = VERB_NAMES.map((verb) => {
    const run = store[verb] as (params: unknown) => Promise<unknown>;
    const dieAndRun = async (params: unknown): Promise<unknown> => {
      if (happens()) await between((db) => onLoss(loseMemory(db, nowMs())));
      return await run(params);
    };
    return [verb, dieAndRun];
  });
  return { ...store, ...(Object.fromEntries(verbs) as Partial<Store>) };
}

/** Returns how many deliveries were in memory. */
function loseMemory(db: Connection, nowMs: number): number {
  const lost = [...db.inMemory.all()];
  forgetMemory(db);
  commitAtOnce(db, (tx) => {
    recoverInMemory(tx, nowMs);
    for (const { id, claim } of lost) tx.db.run(RESTORE_CLAIM, claim.token, claim.untilMs, id);
  });
  return lost.length;
}

const RESTORE_CLAIM = `-- name: restore claim
  update deliveries
  set claim_token = ?, due_at = ?
  where id = ? and state = 'pending' and claim_token is null`;
