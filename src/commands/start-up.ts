/** The first step of every command that needs the settings: read them, and print every mistake at once. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describePassedOver, describeUnreadTelemetry, readConfig } from "../config/config.ts";
import type { Env } from "../lib/settings/option.ts";
import { type Keys, loadKeys } from "../config/keys.ts";
import type { Config } from "../config/options.ts";
import { followSecrets } from "../config/secrets-now.ts";
import type { SecretNews } from "../lib/settings/follow-secret.ts";
import type { FieldError } from "../domain/problem.ts";
import type { Declaration } from "../events/declared/declaration.ts";
import { readEventTypes } from "../events/declared/read-event-types.ts";
import { BUILT_IN_TYPES, createEventTypes, type EventTypes } from "../events/event-types.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import type { Logger } from "../observe/log.ts";
import type { CommandIo } from "./command.ts";
import { IF_ELSEWHERE, asItsOwner, isClosedToUs } from "./installation.ts";

/** The settings, and a line about what is none; `null` after their mistakes were printed. */
export function readSettings(io: CommandIo): Config | null {
  const config = readConfig(io.env);
  for (const line of [...describePassedOver(io.env), describeUnreadTelemetry(io.env)]) {
    if (line !== null) io.err(line);
  }
  if (config.ok) return config.value;
  return complain(io, "Bellwire cannot start with these settings:", config.error);
}

/** The keys, made on the first start; `null` after the reason for their absence was printed. */
export function readKeys(io: Pick<CommandIo, "err">, config: Config): Keys | null {
  const keys = loadKeys(config, systemRandom);
  if (keys.ok) return keys.value;
  return complain(io, "Bellwire cannot use its keys:", keys.error);
}

/**
 * The encryption key of an installation that is there: none is made, as a new one could open nothing of it. `null`
 * after the reason for its absence was printed.
 */
export function readEncryptionKey(io: Pick<CommandIo, "err">, config: Config): Uint8Array | null {
  const path = resolve(config.dataDir, "encryption-key");
  if (config.encryptionKey === null && isClosedToUs(path)) {
    io.err(`The encryption key ${path} is closed to this user. ${asItsOwner(path)}`);
    return null;
  }
  if (config.encryptionKey === null && !existsSync(path)) {
    const otherwise = `or set BELLWIRE_ENCRYPTION_KEY to it. ${IF_ELSEWHERE}`;
    io.err(`The encryption key of this installation is missing: put ${path} back, ${otherwise}`);
    return null;
  }
  // Intake's key is not needed, and must not be made.
  return readKeys(io, { ...config, apiKeys: ["not read"] })?.encryptionKey ?? null;
}

/** The event types, built in and declared; `null` after everything that is wrong in the files was printed. */
export function readTypes(io: CommandIo, { events: folder }: Pick<Config, "events">): EventTypes | null {
  if (folder === null) return BUILT_IN_TYPES;
  const declarations = readDeclarations(io, folder);
  return declarations === null ? null : createEventTypes(declarations);
}

/** What the files of a folder declare; `null` after everything that is wrong in them was printed. */
export function readDeclarations(io: Pick<CommandIo, "err">, folder: string): readonly Declaration[] | null {
  const read = readEventTypes(folder, { taken: BUILT_IN_TYPES.all.map(({ type }) => type) });
  if (read.ok) return read.value;
  const errors = read.error.map(({ file, pointer, message }) => {
    const place = [file === "" ? "the folder" : file, pointer].filter((part) => part !== "");
    return { path: place.join(" "), message };
  });
  return complain(io, `The event types in ${folder} cannot be used:`, errors);
}

/** Watches the files of secrets for as long as the process runs; the log says when a secret has changed. */
export function followFiles(
  { env, log }: { readonly env: Env; readonly log: Logger },
  config: Config,
  keys: Keys,
): { readonly config: Config; readonly keys: Keys } {
  const news: SecretNews = {
    changed: (name) => log.info({ name }, "secret.changed"),
    refused: (name, reason) => log.warn({ name, reason }, "secret.refused"),
  };
  return followSecrets({ env, config, keys, clock: systemClock, news });
}

function complain(io: Pick<CommandIo, "err">, heading: string, errors: readonly FieldError[]): null {
  io.err(heading);
  for (const { path, message } of errors) io.err(`  ${path} ${message}`);
  return null;
}
