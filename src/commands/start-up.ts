/** The first step of every command that needs the settings: read them, and print every mistake at once. */
import { describeUnreadTelemetry, readConfig } from "../config/config.ts";
import type { Env } from "../config/env.ts";
import { type Keys, loadKeys } from "../config/keys.ts";
import type { Config } from "../config/options.ts";
import { describePlatformVariables } from "../config/platform-variables.ts";
import { type SecretNews, followSecrets } from "../config/secrets-now.ts";
import type { FieldError } from "../domain/problem.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import type { Logger } from "../observe/log.ts";
import type { CommandIo } from "./command.ts";

/** The settings, and a line about what is none; `null` after their mistakes were printed. */
export function readSettings(io: CommandIo): Config | null {
  const config = readConfig(io.env);
  for (const line of [describePlatformVariables(io.env), describeUnreadTelemetry(io.env)]) {
    if (line !== null) io.err(line);
  }
  if (config.ok) return config.value;
  return complain(io, "Bellwire cannot start with these settings:", config.error);
}

/** The keys, made on the first start; `null` after the reason for their absence was printed. */
export function readKeys(io: CommandIo, config: Config): Keys | null {
  const keys = loadKeys(config, systemRandom);
  if (keys.ok) return keys.value;
  return complain(io, "Bellwire cannot use its keys:", keys.error);
}

/** For a service that lives: its log tells when a secret has changed in its file. */
export function followFiles<KeysGiven extends Pick<Keys, "apiKeys">>(
  { env, log }: { readonly env: Env; readonly log: Logger },
  config: Config,
  keys: KeysGiven,
): { readonly config: Config; readonly keys: KeysGiven } {
  const news: SecretNews = {
    changed: (name) => log.info({ name }, "secret.changed"),
    refused: (name, reason) => log.warn({ name, reason }, "secret.refused"),
  };
  return followSecrets({ env, config, keys, clock: systemClock, news });
}

function complain(io: CommandIo, heading: string, errors: readonly FieldError[]): null {
  io.err(heading);
  for (const { path, message } of errors) io.err(`  ${path} ${message}`);
  return null;
}
