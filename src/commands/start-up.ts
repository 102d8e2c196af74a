/** What every command that needs the settings does first: read them, and say all that is wrong with them at once. */
import { readConfig } from "../config/config.ts";
import { type Keys, loadKeys } from "../config/keys.ts";
import type { Config } from "../config/options.ts";
import type { FieldError } from "../domain/problem.ts";
import { systemRandom } from "../lib/random.ts";
import type { CommandIo } from "./command.ts";

/** The settings, or `null` after having said what is wrong with them. */
export function readSettings(io: CommandIo): Config | null {
  const config = readConfig(io.env);
  if (config.ok) return config.value;
  return complain(io, "Bellwire cannot start with these settings:", config.error);
}

/** The keys, made on the first start, or `null` after having said why there are none. */
export function readKeys(io: CommandIo, config: Config): Keys | null {
  const keys = loadKeys(config, systemRandom);
  if (keys.ok) return keys.value;
  return complain(io, "Bellwire cannot use its keys:", keys.error);
}

function complain(io: CommandIo, heading: string, errors: readonly FieldError[]): null {
  io.err(heading);
  for (const { path, message } of errors) io.err(`  ${path} ${message}`);
  return null;
}
