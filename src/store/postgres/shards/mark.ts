/** A row of a shard's settings that says whose shard it is, so that nobody takes it for something else. */
import { StoreUnusable } from "../../contract/store.ts";
import type { Connection } from "../connection/connection.ts";
import { HOME_MARK } from "./home-mark.ts";

export interface ShardMark {
  readonly installation: string;
  readonly name: string;
}

/** `null`: it is the home shard, or nothing yet. */
export async function loadMark(db: Connection): Promise<ShardMark | null> {
  const row = await db.get<{ value: string }>(FIND_MARK);
  return row === undefined ? null : (JSON.parse(row.value) as ShardMark);
}

/** One that is there stays. */
export const writeMark = (db: Connection, mark: ShardMark): Promise<number> =>
  db.run(INSERT_MARK, JSON.stringify(mark));

/** With whose it was. */
export const deleteMark = (db: Connection): Promise<number> => db.run(DELETE_MARK, HOME_MARK);

/** Throws `StoreUnusable` for any shard but the home shard, which alone has the installation's own rows. */
export async function assertIsHome(db: Connection, place: string): Promise<void> {
  const mark = await loadMark(db);
  if (mark === null) return;
  throw new StoreUnusable(
    `${place} has shard ${mark.name} of an installation; BELLWIRE_DATABASE must name its home database`,
  );
}

const FIND_MARK = `-- name: find mark of shard
  select value
  from settings
  where name = 'shard'`;

const INSERT_MARK = `-- name: mark shard
  insert into settings (name, value)
  values ('shard', $1)
  on conflict do nothing`;

const DELETE_MARK = `-- name: unmark shard
  delete from settings
  where name in ('shard', $1)`;
