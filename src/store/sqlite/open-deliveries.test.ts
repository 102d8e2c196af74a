import { describe } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { describeInHand } from "../conformance/in-hand.ts";
import type { Connection } from "./connection.ts";
import { recover } from "./database-file.ts";
import { type InlineStore, openInlineStore } from "./open.ts";

const WALKS = 60;
/** So few that a walk merges several generations. */
const GENERATION_KEYS = 5;

/** Ends the process and starts it again: what only it knew is gone. */
export function restart(db: Connection, nowMs: number): void {
  db.open.clear();
  db.keys.clear();
  db.countsLater.clear();
  db.countedFromMs = null;
  recover(db, nowMs);
}

describe("SQLite, with a process that dies between any two calls", () => {
  let inline: InlineStore;
  describeInHand(
    () => {
      inline = openInlineStore({ clock: systemClock, generationKeys: GENERATION_KEYS });
      return Promise.resolve(inline.store);
    },
    WALKS,
    async ({ model, nowMs }) => {
      await inline.between((db) => restart(db, nowMs));
      model.restart(nowMs);
    },
  );
});
