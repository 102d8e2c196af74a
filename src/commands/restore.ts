/** `bellwire restore`: puts a backup in the place of the SQLite database. The old one is kept beside it. */
import { systemClock } from "../lib/clock.ts";
import { examineBackup, restore as putBack } from "../store/sqlite/backup.ts";
import { StoreUnusable } from "../store/contract/store.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArguments, show } from "./arguments.ts";
import { contentOf, contentWords } from "./backup.ts";
import type { Command, CommandIo } from "./command.ts";
import { IF_ELSEWHERE, databaseFile } from "./installation.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire restore --from file [--json]

Reads a backup to its end, puts a copy of it in the place of the SQLite database, and keeps the old one beside it. The
service must not run. A service on it starts held. After bellwire adopt, what was pending when the backup was made is
sent again, with the same webhook-id.

  --from file       what bellwire backup has written
${JSON_HELP}`;

export const restore: Command = async (io) => {
  const given = readArguments(io, HELP, { from: { type: "string" }, ...JSON_FLAG });
  if (given.kind === "done") return given.exitCode;
  const { from, json } = given.values;
  if (from === undefined) return misuse(io, HELP, "--from must name a file");
  const config = readSettings(io);
  const path = config === null ? null : databaseFile(io, config);
  return path === null ? 1 : restoreInto(io, path, { from, json });
};

function restoreInto(io: CommandIo, path: string, { from, json }: { from: string; json: boolean }): number {
  const backup = examineBackup(from);
  if (!backup.ok) return failed(io, backup.error);
  const restored = tryPutBack(from, path);
  if (typeof restored === "string") return failed(io, restored);
  const { kept } = restored;
  const lines = () => [
    `${path} is the backup now: ${contentWords(backup.value)}.`,
    kept === null ? `Nothing was there before. ${IF_ELSEWHERE}` : `What was there before is ${kept}.`,
    "A service on it starts held: run bellwire adopt where it is to take the place of the one that was copied.",
    "bellwire doctor says whether the encryption key is the one of the backup; then start the service.",
  ];
  show(io, json, { value: { file: path, ...contentOf(backup.value), kept }, lines });
  return 0;
}

function tryPutBack(from: string, path: string): { readonly kept: string | null } | string {
  try {
    const restored = putBack(from, path, systemClock.nowMs());
    return restored.ok ? restored.value : restored.error;
  } catch (error) {
    if (error instanceof StoreUnusable) return error.message;
    throw error;
  }
}

function failed(io: CommandIo, why: string): 1 {
  io.err(`Nothing was changed: ${why}.`);
  return 1;
}
