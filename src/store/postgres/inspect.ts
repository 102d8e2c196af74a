/** Looks at a database without changing it: what the doctor tells an operator before a node uses it. */
import type { Clock } from "../../lib/clock.ts";
import { type CitusInspection, inspectCitus } from "./citus/inspect.ts";
import { overClient } from "./connection/connection.ts";
import { newSession, type ConnectionOptions, describeUrl } from "./connection/connections.ts";
import { loadVersion } from "./schema/migrate.ts";
import { assertServerIsUsable, loadServer, openingError, type Pooler, type Server } from "./connection/server.ts";
import { daysReady, loadCalendar } from "./schema/partitions.ts";

export interface Inspection {
  /** Such as `the database bellwire of app at db:5432`. */
  readonly place: string;
  readonly server: Server;
  /** 0: nothing of ours is there yet. */
  readonly schemaVersion: number;
  /** For how many days from today on there are tables; `null` where there are no tables at all. */
  readonly daysReady: number | null;
  /** `null` where the database has none, or no tables of ours yet. */
  readonly citus: CitusInspection | null;
  /** From a question to its answer. */
  readonly answerMs: number;
  /** How far the database's clock is ahead of ours. */
  readonly clockAheadMs: number;
}

export interface InspectPostgres {
  readonly url: string;
  readonly pooler: Pooler;
  readonly clock: Clock;
}

/** Rejects with `StoreUnusable` or `StoreUnavailable`, as opening the store would. A standby is told, not refused. */
export async function inspectPostgres({ url, pooler, clock }: InspectPostgres): Promise<Inspection> {
  const place = describeUrl(url);
  const connections: ConnectionOptions = { url, pooler, forcesSync: false };
  const client = newSession(connections, { pipeline: true });
  client.on("error", () => {});
  try {
    await client.connect();
    const server = await loadServer(client);
    assertServerIsUsable(server, place, pooler);
    const askedMs = clock.monotonicMs();
    const { rows } = await client.query<{ nowMs: number }>(ASK_TIME);
    const answerMs = clock.monotonicMs() - askedMs;
    const clockAheadMs = (rows[0]?.nowMs ?? Number.NaN) - (clock.nowMs() - answerMs / 2);
    const db = overClient(client, LOOK_ONLY);
    const schemaVersion = await loadVersion(db, place);
    const ready = schemaVersion === 0 ? null : daysReady(await loadCalendar(db));
    const citus = schemaVersion === 0 ? null : await inspectCitus(db);
    return { place, server, schemaVersion, daysReady: ready, citus, answerMs, clockAheadMs };
  } catch (error) {
    throw openingError(place, error);
  } finally {
    await client.end();
  }
}

/** Its statements name the schema, and each statement is asked once. */
const LOOK_ONLY = { sql: "begin read only", keepsStatements: false };

/** In milliseconds. */
export const ASK_TIME = `-- name: ask for the database's time
  select (extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs"`;
