/** Looks at a database without changing it: what the doctor tells an operator before a node uses it. */
import type { Clock } from "../../lib/clock.ts";
import { newSession, type ConnectionOptions, describeUrl, HOME_SCHEMA } from "./connection/connections.ts";
import { loadVersion } from "./schema/migrate.ts";
import { assertServerIsUsable, loadServer, openingError, type Pooler, type Server } from "./connection/server.ts";
import { listDeclarations } from "../sql/settings.ts";
import type { KeptDeclaration } from "../contract/installation.ts";
import { migratingSession, openMigratingSession } from "./schema/migrating-session.ts";
import { daysReady, loadCalendar } from "./schema/partitions.ts";

export interface Inspection {
  /** Such as `the database bellwire of app at db:5432`. */
  readonly place: string;
  readonly server: Server;
  /** 0: nothing of ours is there yet. */
  readonly schemaVersion: number;
  /** For how many days from today on there are tables; `null` where there are no tables at all. */
  readonly daysReady: number | null;
  /** From a question to its answer. */
  readonly answerMs: number;
  /** How far the database's clock is ahead of ours. */
  readonly clockAheadMs: number;
}

export interface InspectPostgres {
  readonly url: string;
  /** Of the shard; `bellwire` unless given. */
  readonly schema?: string;
  readonly pooler: Pooler;
  readonly clock: Clock;
}

/** Rejects with `StoreUnusable` or `StoreUnavailable`, as opening the store would. A standby is told, not refused. */
export async function inspectPostgres({
  url,
  schema = HOME_SCHEMA,
  pooler,
  clock,
}: InspectPostgres): Promise<Inspection> {
  const place = describeUrl(url);
  const connections: ConnectionOptions = { url, schema, pooler, forcesSync: false };
  const client = newSession(connections, { pipeline: true });
  client.on("error", () => {});
  try {
    await client.connect();
    const server = await loadServer(client, schema);
    assertServerIsUsable(server, place, pooler);
    const askedMs = clock.monotonicMs();
    const { rows } = await client.query<{ nowMs: number }>(ASK_TIME);
    const answerMs = clock.monotonicMs() - askedMs;
    const clockAheadMs = (rows[0]?.nowMs ?? Number.NaN) - (clock.nowMs() - answerMs / 2);
    const { schemaVersion, ready } = await migratingSession(client, connections).transaction(async (db) => {
      const version = await loadVersion(db, place);
      return { schemaVersion: version, ready: version === 0 ? null : daysReady(await loadCalendar(db)) };
    });
    return { place, server, schemaVersion, daysReady: ready, answerMs, clockAheadMs };
  } catch (error) {
    throw openingError(place, error);
  } finally {
    await client.end();
  }
}

/** What its event types were declared as at the last start; empty where no tables are. Rejects in the same way. */
export async function readDeclarations(
  options: Pick<InspectPostgres, "url" | "pooler">,
  params: { typesMax: number },
): Promise<readonly KeptDeclaration[]> {
  const place = describeUrl(options.url);
  try {
    await using session = await openMigratingSession({ ...options, schema: HOME_SCHEMA, forcesSync: false });
    return await session.transaction(async (db) =>
      (await loadVersion(db, place)) === 0 ? [] : await listDeclarations({ db }, params),
    );
  } catch (error) {
    throw openingError(place, error);
  }
}

/** In milliseconds. */
export const ASK_TIME = `-- name: ask for the database's time
  select (extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs"`;
