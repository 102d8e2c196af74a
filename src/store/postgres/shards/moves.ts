/** The databases that moves of accounts work on, with connections of their own (`move/over.ts`). */
import { StoreUnusable } from "../../contract/store.ts";
import { HOME_SCHEMA } from "../connection/connections.ts";
import type { Pooler } from "../connection/server.ts";
import { type Database, readOnce } from "../transaction.ts";
import { HOME_SHARD, listShards, type ShardRow } from "./directory.ts";
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
  async function shard(name: string): Promise<Database> {
    if (name === HOME_SHARD) return open(name, home);
    const rows = await readOnce(directory, ({ db }) => listShards(db));
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw noSuchShard(name);
    return open(name, toAddress(options, row));
  }
  return {
    ...overDatabases({ directory, shard }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened.values()].map(({ pool }) => pool.end()));
    },
  };
}
