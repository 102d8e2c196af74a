/**
 * The marks that a move leaves in the two databases, and what a start makes of them. A service never starts on a part
 * of an installation, nor on one that has moved away: it would send again what the other one has sent.
 *
 *     SQLite      moved_away    from the move's beginning; names the target, and its end once it has ended
 *     PostgreSQL  moving_here   until everything has arrived and was compared; how far each table is
 *                 moved_here    afterwards; says where it came from
 */
import { type Store, StoreUnusable } from "../contract/store.ts";
import type { Place } from "./source.ts";
import { MARKS } from "./tables.ts";

export interface Away {
  /** The move's own id. A run continues only what has arrived under the same id. */
  readonly move: string;
  readonly to: string;
  readonly startedAt: string;
  /** `null` while it is under way. */
  readonly endedAt: string | null;
}

export interface Arriving {
  readonly move: string;
  readonly from: string;
  readonly startedAt: string;
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly place: Place }>>;
}

export interface Arrived extends Omit<Arriving, "tables"> {
  readonly endedAt: string;
}

/** Throws `StoreUnusable` when a service must not start on this database. */
export async function assertNotMoving(store: Pick<Store, "loadSetting">): Promise<void> {
  const arriving = parseMark<Arriving>(await store.loadSetting({ name: MARKS.arriving }));
  if (arriving !== null) {
    throw new StoreUnusable(
      `the database holds only a part of an installation: the move from ${arriving.from}, begun at ` +
        `${arriving.startedAt}, has not ended. Run \`bellwire migrate-to\` there again, which goes on, or empty the ` +
        "database: drop schema bellwire cascade",
    );
  }
  const away = parseMark<Away>(await store.loadSetting({ name: MARKS.away }));
  if (away === null) return;
  const { to, startedAt, endedAt } = away;
  if (endedAt === null) {
    throw new StoreUnusable(
      `the installation is being moved to ${to} since ${startedAt}. Run \`bellwire migrate-to\` again, which goes ` +
        "on, or `bellwire migrate-to --go-back`, which gives the move up",
    );
  }
  throw new StoreUnusable(
    `the installation has moved to ${to} at ${endedAt}: set BELLWIRE_DATABASE to that address. To use this database ` +
      "again all the same, read docs/postgres.md and run `bellwire migrate-to --go-back`",
  );
}

/** Nothing but a move writes marks. */
export const parseMark = <Mark>(text: string | null): Mark | null =>
  text === null ? null : (JSON.parse(text) as Mark);
