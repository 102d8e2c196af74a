/** Where accounts are when a run has come to rest, read from every shard rather than from what was said of them. */
import { HOME_SHARD } from "../../src/store/postgres/shards/directory.ts";
import type { FoundPlace } from "../invariants/invariant.ts";
import { countRows, isHere, loadOwners } from "./account-rows.ts";
import { ask, type Server } from "./server.ts";

type Servers = ReadonlyMap<string, Server>;

export async function findPlaces(servers: Servers, accountIds: readonly string[]): Promise<readonly FoundPlace[]> {
  const found: FoundPlace[] = [];
  for (const accountId of accountIds) {
    const directory = servers.get(HOME_SHARD)?.marks.place.get(accountId)?.shard ?? HOME_SHARD;
    const livesIn = await listWhere(servers, (server) => ask(server, (db) => isHere(db, accountId)));
    const home = servers.get(livesIn[0] ?? directory);
    if (home === undefined) continue;
    const of = { accountId, owners: await ask(home, (db) => loadOwners(db, accountId)) };
    const rowsIn = await listWhere(servers, (server) => ask(server, (db) => countRows(db, of) > 0));
    found.push({ accountId, directory, livesIn, rowsIn });
  }
  return found;
}

async function listWhere(servers: Servers, isSo: (server: Server) => Promise<boolean>): Promise<string[]> {
  const names: string[] = [];
  for (const [name, server] of servers) if (await isSo(server)) names.push(name);
  return names;
}

/** Such as `departed account-1 in 2`. */
export const listLeft = (servers: Servers): readonly string[] =>
  [...servers].flatMap(([name, { marks, locks }]) => [
    ...[...marks.arriving.keys()].map((id) => `arriving ${id} in ${name}`),
    ...[...marks.departed.keys()].map((id) => `departed ${id} in ${name}`),
    ...locks.held().map((row) => `lock of ${row} in ${name}`),
  ]);
