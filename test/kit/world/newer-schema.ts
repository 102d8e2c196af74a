/** The start of a newer Bellwire on PostgreSQL: it has steps of the schema that today's nodes do not know. */
import { type Migration, MIGRATIONS } from "../../../src/store/postgres/schema/migrations.ts";
import { migrate } from "../../../src/store/postgres/schema/migrate.ts";
import { openMigratingSession } from "../../../src/store/postgres/schema/migrating-session.ts";
import { START_MS } from "./virtual-clock.ts";

/** Steps that say that today's nodes, and older ones, may go on. */
const READ_BY_ALL = { readBy: 1 };
export const COLUMN = { sql: "alter table deliveries add column colour text", ...READ_BY_ALL };
export const INDEX = {
  sql: "create index concurrently deliveries_coloured on bellwire.deliveries_pending (claim_token)",
  online: "deliveries_coloured",
  ...READ_BY_ALL,
};

export async function migrateAhead(url: string, steps: readonly Partial<Migration>[]): Promise<void> {
  const openSession = () => openMigratingSession({ url, pooler: "none", forcesSync: false });
  await using session = await openSession();
  const added = steps.map((step, place): Migration => {
    const version = MIGRATIONS.length + 1 + place;
    return { version, name: `step ${version}`, sql: "", readBy: version, online: null, isOfHome: false, ...step };
  });
  const migrations = [...MIGRATIONS, ...added];
  await migrate({ session, openKeeper: openSession }, { place: "the database", nowMs: START_MS, migrations });
}
