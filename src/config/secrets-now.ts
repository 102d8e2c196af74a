/**
 * The settings and keys of a running service, with secrets as their files have them now.
 */
import type { Result } from "../lib/result.ts";
import { type FollowContext, type SecretFile, followSecret } from "../lib/settings/follow-secret.ts";
import type { Env } from "../lib/settings/option.ts";
import { parseText } from "../lib/settings/read-settings.ts";
import { fileVariable, readSecretFile } from "../lib/settings/secret-files.ts";
import { FIELDS } from "./config.ts";
import { type Keys, intakeKeyNow } from "./keys.ts";
import { type Config, OPTIONS } from "./options.ts";

export interface FollowSecrets extends FollowContext {
  readonly env: Env;
  readonly config: Config;
  readonly keys: Keys;
}

/** The same settings and keys. Those that stand in files are read from them again. */
export function followSecrets(options: FollowSecrets): Pick<FollowSecrets, "config" | "keys"> {
  const { env, keys } = options;
  const config = { ...options.config };
  for (const field of FIELDS) {
    const { variable, isSecret = false, isLong = false } = OPTIONS[field];
    const name = fileVariable(variable);
    const path = isSecret ? (env[name]?.trim() ?? "") : "";
    // Stored secrets can be opened by the key of the start alone.
    if (path === "" || field === "encryptionKey") continue;
    const readText = (): Result<string, string> => readSecretFile(path, isLong);
    const file: SecretFile<unknown> = { name, readText, parse: (text) => parseText<unknown>(OPTIONS[field], text) };
    Object.defineProperty(config, field, { get: followSecret(options, file, config[field]), enumerable: true });
  }
  const isSet = options.config.apiKeys.length > 0;
  const apiKeys = isSet ? () => config.apiKeys : followSecret(options, intakeKeyNow(config.dataDir), keys.apiKeys);
  return { config, keys: Object.defineProperty({ ...keys }, "apiKeys", { get: apiKeys, enumerable: true }) };
}
