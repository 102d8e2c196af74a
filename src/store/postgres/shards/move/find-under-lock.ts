/**
 * What stands at the shard that an account goes to, seen while its row is held in the shard that it leaves. So nobody
 * is between `arrived` and `departed` at that moment; and whoever comes there later changes the `run`.
 */
import type { Arriving, MovesOver, MoveShard } from "./over.ts";

export interface FindUnderLock<Tx> {
  readonly accountId: string;
  readonly to: MoveShard<Tx>;
  /** `holdAccount` keeps other movers out, and `lockAccount` everybody. */
  readonly lock: "holdAccount" | "lockAccount";
}

export async function findUnderLock<Tx>(
  { steps }: MovesOver<Tx>,
  tx: Tx,
  { accountId, to, lock }: FindUnderLock<Tx>,
): Promise<Arriving | null | "elsewhere"> {
  if (!(await steps[lock](tx, accountId))) return "elsewhere";
  const found = await to.read((there) => steps.findArriving(there, accountId));
  // Fails where the session was lost meanwhile, and the lock with it: a process may have stood still in between.
  return (await steps.hasAccount(tx, accountId)) ? found : "elsewhere";
}
