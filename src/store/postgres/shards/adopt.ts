/** `bellwire adopt` on PostgreSQL: the installation goes on from here, and with it its shards. */
import { HELD_SETTING } from "../../contract/installation.ts";
import { StoreUnusable } from "../../contract/store.ts";
import { HOME_SCHEMA } from "../connection/connections.ts";
import { inSession } from "./admin.ts";
import { listShards } from "./directory.ts";
import { assertMayTake, beginMarks, giveMark, loadHomeMark } from "./home-mark.ts";
import { assertIsCurrent, type OpenMoves, toAddress } from "./moves.ts";

export interface Adopted {
  readonly wasHeld: boolean;
  /** The shards that were taken. */
  readonly taken: readonly string[];
  /** Those that could not be reached, each with the reason. They are refused until it is run again. */
  readonly away: readonly string[];
}

/**
 * Every home that had the shards is refused from then on. Throws `StoreUnusable` before anything is changed where a
 * home that is alive (`ALIVE_MS`) was in one of them. Run again after it was killed, it goes on.
 */
export async function adoptInstallation(options: OpenMoves): Promise<Adopted> {
  const { url } = options;
  return await inSession(options, { url, schema: HOME_SCHEMA }, async (home) => {
    const { rows, before } = await home.transaction(async (db) => {
      await assertIsCurrent(db, "the home database");
      return { rows: await listShards(db), before: await loadHomeMark(db) };
    });
    const away: string[] = [];
    const there = [];
    for (const row of rows) {
      const look = { ours: before, name: row.name };
      try {
        const address = toAddress(options, row);
        await inSession(options, address, (shard) => shard.transaction((db) => assertMayTake(db, look)));
        there.push({ ...address, name: row.name });
      } catch (error) {
        if (error instanceof StoreUnusable) throw error;
        away.push(`shard ${row.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    const mark = await home.transaction(beginMarks);
    for (const address of there) {
      await inSession(options, address, (shard) => shard.transaction((db) => giveMark(db, mark)));
    }
    const wasHeld = (await home.transaction((db) => db.run(END_HOLD, HELD_SETTING))) === 1;
    return { wasHeld, taken: there.map(({ name }) => name), away };
  });
}

const END_HOLD = `-- name: end hold of installation
  delete from settings
  where name = $1`;
