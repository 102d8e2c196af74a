/**
 * The fence of production (`store/postgres/path/fence.ts`) around each call on a shard of the simulator: which accounts
 * a call holds is what production finds from the verb's row in the contract, and it holds them until it has run.
 */
import { AccountElsewhere } from "../../src/store/postgres/failures.ts";
import { findFence, type PostgresCall } from "../../src/store/postgres/commit-calls.ts";
import { LOCK_MS_MAX } from "../../src/store/postgres/connection/transaction-settings.ts";
import type { Fence } from "../../src/store/postgres/path/fence.ts";
import type { SimCall } from "../calls.ts";
import { isHere } from "./account-rows.ts";
import { ask, type Server } from "./server.ts";

export interface Held extends Disposable {
  /** A move had what it wanted. */
  readonly hasWaited: boolean;
}

/** A call of the simulator is one of production's, whose attempts are not packed yet. Calls wait while a move holds. */
export const fenceOf = (call: SimCall): Fence => findFence([call as PostgresCall]);

/** Rejects with `AccountElsewhere`, and as PostgreSQL does when a move takes too long. */
export async function holdFence(server: Server, fence: Fence): Promise<Held> {
  const holder = {};
  const held = { hasWaited: false, [Symbol.dispose]: () => server.locks.release(holder) };
  try {
    for (const row of await findRows(server, fence)) {
      if (await server.locks.acquire(holder, { row, kind: "shared", limitMs: LOCK_MS_MAX })) held.hasWaited = true;
    }
    await assertAreHere(server, fence);
    return held;
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

/** A row that is not there is held by nobody. */
async function findRows(server: Server, fence: Fence): Promise<readonly string[]> {
  if (fence === "nothing") return [];
  if (fence === "shard") return ["shard"];
  if (fence.reads === true) return [];
  const ids = [...new Set(fence.accountIds)].toSorted();
  const here = await ask(server, (db) => ids.filter((id) => isHere(db, id)));
  return here.map((id) => `account ${id}`);
}

/** Rejects with `AccountElsewhere`. */
export async function assertAreHere(server: Pick<Server, "between">, fence: Fence): Promise<void> {
  if (typeof fence === "string" || fence.mayBeMissing) return;
  if ((await listElsewhere(server, fence)).length > 0) throw new AccountElsewhere(fence.accountIds);
}

export async function listElsewhere(server: Pick<Server, "between">, fence: Fence): Promise<readonly string[]> {
  if (typeof fence === "string") return [];
  return await ask(server, (db) => [...new Set(fence.accountIds)].filter((id) => !isHere(db, id)));
}
