import { describe } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { describeInHand } from "../conformance/in-hand.ts";
import { restart } from "./writer/database-file.ts";
import { type InlineStore, openInlineStore } from "./open.ts";

const WALKS = 60;
/** So few that a walk merges several generations. */
const GENERATION_KEYS = 5;

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
