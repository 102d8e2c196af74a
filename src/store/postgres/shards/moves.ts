/** The databases that moves of accounts work on, with connections of their own (`move/over.ts`). */
import { StoreUnusable } from "../../contract/store.ts";
import type { Connection } from "../connection/connection.ts";
import { describeUrl, HOME_SCHEMA } from "../connection/connections.ts";
import type { Pooler } from "../connection/server.ts";
import { loadVersion } from "../schema/migrate.ts";
import { NEWEST_VERSION } from "../schema/migrations.ts";
import { commit, type Database, readOnce } from "../transaction.ts";
import { HOME_SHARD, listShards, type ShardRow } from "./directory.ts";
import { assertIsOurs, loadHomeMark } from "./home-mark.ts";
import { openMoveDatabase } from "./move/databases.ts";
import type { MovesOver } from "./move/over.ts";
import { overDatabases } from "./move/steps.ts";

export interface OpenMoves {
  /** The home database's. */
  readonly url: string;
  readonly pooler: Pooler;
  readonly openAddress: (sealed: string) => string;
}

/** Where a shard is, for a session of one's own. */
export interface ShardAddress {
  readonly url: string;
  readonly schema: string;
}

export const toAddress = (
  { url, openAddress }: Pick<OpenMoves, "url" | "openAddress">,
  { sealedAddress, schema }: Pick<ShardRow, "sealedAddress" | "schema">,
): ShardAddress => ({ url: sealedAddress === null ? url : openAddress(sealedAddress), schema });

/** Throws `StoreUnusable` where its tables are not this version's. */
export async function assertIsCurrent(db: Connection, place: string): Promise<void> {
  const version = await loadVersion(db, place);
  if (version === NEWEST_VERSION) return;
  const what =
    version === 0 ? "no tables of Bellwire yet" : `schema version ${version}, this Bellwire ${NEWEST_VERSION}`;
  throw new StoreUnusable(`${place} has ${what}: start a node of this version on it once, then run this again`);
}

export const noSuchShard = (name: string): StoreUnusable =>
  new StoreUnusable(`there is no shard ${name}; bellwire shards lists those that are`);

/** Nothing is opened before it is asked for. */
export function openMoves(options: OpenMoves): MovesOver & AsyncDisposable {
  const { url, pooler } = options;
  const opened = new Map<string, ReturnType<typeof openMoveDatabase>>();
  const open = (key: string, address: ShardAddress) => {
    const known = opened.get(key) ?? openMoveDatabase({ ...address, pooler, forcesSync: true });
    opened.set(key, known);
    return known;
  };
  const home: ShardAddress = { url, schema: HOME_SCHEMA };
  const directory = open("directory", home);
  /** Asked once for each: a move copies between tables of this version. */
  async function openCurrent(name: string, address: ShardAddress): Promise<Database> {
    const isNew = !opened.has(name);
    const database = open(name, address);
    if (!isNew) return database;
    const ours = await readOnce(directory, ({ db }) => loadHomeMark(db));
    await commit(database, "nothing", async ({ db }) => {
      await assertIsCurrent(db, describeUrl(address.url));
      if (name !== HOME_SHARD) await assertIsOurs(db, { ours, name });
    });
    return database;
  }
  async function shard(name: string): Promise<Database> {
    if (name === HOME_SHARD) return await openCurrent(name, home);
    const rows = await readOnce(directory, ({ db }) => listShards(db));
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw noSuchShard(name);
    return await openCurrent(name, toAddress(options, row));
  }
  return {
    ...overDatabases({ directory, shard }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened.values()].map(({ pool }) => pool.end()));
    },
  };
}
