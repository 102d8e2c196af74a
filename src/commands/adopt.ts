/** `bellwire adopt`: an installation that is held goes on as the service. Nodes that run notice within two seconds. */
import { existsSync } from "node:fs";
import { adoptInstallation } from "../store/postgres/shards/adopt.ts";
import { endHold } from "../store/sqlite/backup.ts";
import { JSON_FLAG, JSON_HELP, readArguments, show } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { IF_ELSEWHERE, databaseFile } from "./installation.ts";
import { withAdministration } from "./shards.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire adopt [--json]

Lets a copy that is held go on as the service: within two seconds its nodes accept and send, without a restart. Run it
only where the installation that was copied is gone: what waited in the copy is sent again, with the same webhook-id.
On several shards it takes those that have lost their home, and refuses while another one works in them.

${JSON_HELP}`;

export const adopt: Command = async (io) => {
  const given = readArguments(io, HELP, JSON_FLAG);
  if (given.kind === "done") return given.exitCode;
  const { json } = given.values;
  const config = readSettings(io);
  if (config === null) return 1;
  if (config.database.kind === "postgres") {
    return await withAdministration(io, async (options) => {
      const { wasHeld, taken, away } = await adoptInstallation(options);
      for (const why of away) io.err(`It was not taken, so run this again when it is there: ${why}.`);
      tell(io, json, { wasHeld, taken, away });
      return away.length === 0 ? 0 : 1;
    });
  }
  const path = databaseFile(io, config);
  if (path === null) return 1;
  if (!existsSync(path)) {
    io.err(`There is no database ${path}. ${IF_ELSEWHERE}`);
    return 1;
  }
  const ended = endHold(path);
  if (ended.ok) tell(io, json, { wasHeld: ended.value, taken: [], away: [] });
  else io.err(`Nothing was changed: ${ended.error}.`);
  return ended.ok ? 0 : 1;
};

interface Adopted {
  readonly wasHeld: boolean;
  /** Shards by name, and why others were not taken. */
  readonly taken: readonly string[];
  readonly away: readonly string[];
}

const tell = (io: CommandIo, json: boolean, { wasHeld, taken, away }: Adopted): void =>
  show(io, json, {
    value: { was_held: wasHeld, shards_taken: taken, shards_away: away },
    lines: () => [
      ...taken.map((name) => `Shard ${name} belongs to this home now.`),
      wasHeld ? "It goes on as the service: nodes accept and send within two seconds." : "It was not held.",
    ],
  });
