/** `bellwire adopt` on PostgreSQL: the installation goes on from here, and with it its shards. */
import { HELD_SETTING } from "../../contract/installation.ts";
import { StoreUnusable } from "../../contract/store.ts";
import { HOME_SCHEMA } from "../connection/connections.ts";
import { assertIsShard, findInstallation, inSession } from "./admin.ts";
import { listShards } from "./directory.ts";
import { beginMarks, giveMark, keepHome, whyMayNotTake } from "./home-mark.ts";
import { assertIsCurrent, type OpenMoves, toAddress } from "./moves.ts";

export interface Adopted {
  readonly wasHeld: boolean;
  /** The shards that were taken. */
  readonly taken: readonly string[];
  /** Those that could not be asked, or are others, each with the reason. They are refused until it is run again. */
  readonly away: readonly string[];
}

/**
 * Every home that had the shards is refused from then on. Throws `StoreUnusable` where a home that is alive
 * (`ALIVE_MS`) was in one of them: what was held stays so. Run again after it was killed, it goes on.
 */
export async function adoptInstallation(options: OpenMoves): Promise<Adopted> {
  const { url } = options;
  return await inSession(options, { url, schema: HOME_SCHEMA }, async (home) => {
    const { rows, installation, ours } = await home.transaction(async (db) => {
      await assertIsCurrent(db, "the home database");
      // No node has started on the copy yet: it is held until the shards are its own.
      const kept = await keepHome(db);
      return { rows: await listShards(db), installation: await findInstallation(db), ours: kept };
    });
    const away: string[] = [];
    const there = [];
    for (const row of rows) {
      const { name } = row;
      const refusal = await orAway(away, name, () =>
        inSession(options, toAddress(options, row), (shard) =>
          shard.transaction(async (db) => {
            await assertIsShard(db, { ...row, installation });
            return await whyMayNotTake(db, { ours, name });
          }),
        ),
      );
      if (typeof refusal === "string") throw new StoreUnusable(`${refusal}; no shard was taken`);
      if (refusal === null) there.push(row);
    }
    const mark = await home.transaction(beginMarks);
    const taken: string[] = [];
    for (const { name, ...row } of there) {
      await orAway(away, name, async () => {
        await inSession(options, toAddress(options, row), (shard) => shard.transaction((db) => giveMark(db, mark)));
        taken.push(name);
      });
    }
    const wasHeld = (await home.transaction((db) => db.run(END_HOLD, HELD_SETTING))) === 1;
    return { wasHeld, taken, away };
  });
}

/** `undefined`: the shard cannot be asked, or answers as another database does. */
async function orAway<Value>(away: string[], name: string, work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    away.push(`shard ${name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

const END_HOLD = `-- name: end hold of installation
  delete from settings
  where name = $1`;
