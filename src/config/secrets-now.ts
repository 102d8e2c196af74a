/**
 * Secrets as their files have them now. Vaults, Kubernetes and operators replace a secret's file while the process
 * lives. A part that reads such a setting when it uses it, and not once when it is made, gets what is there by then.
 *
 * Invariant: while a file is missing, empty or invalid, for example during its replacement, the last valid value stays
 * in use.
 */
import { type Result, refuse } from "../domain/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { FIELDS, parseText } from "./config.ts";
import { type Env } from "./env.ts";
import { type Keys, intakeKeyNow } from "./keys.ts";
import type { Parsed } from "./option-text.ts";
import { type Config, OPTIONS } from "./options.ts";
import { fileVariable, readSecretFile } from "./secret-files.ts";

/** `name` is the variable that names the file, or the path of a key file. No value is told. */
export interface SecretNews {
  changed(name: string): void;
  /** The last valid value stays in use. */
  refused(name: string, reason: string): void;
}

export interface FollowSecrets<KeysGiven extends Pick<Keys, "apiKeys"> = Keys> {
  readonly env: Env;
  readonly config: Config;
  readonly keys: KeysGiven;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly news: SecretNews;
}

/** A reading takes some 20 µs, and a file that was replaced is noticed in this time. */
const READ_AGAIN_MS = secondsMs(1);

/** The same settings and keys. Those that stand in files are read from them again. */
export function followSecrets<KeysGiven extends Pick<Keys, "apiKeys">>(
  options: FollowSecrets<KeysGiven>,
): Pick<FollowSecrets<KeysGiven>, "config" | "keys"> {
  const { env, keys } = options;
  const config = { ...options.config };
  for (const field of FIELDS) {
    const { variable, isSecret = false, isLong = false } = OPTIONS[field];
    const name = fileVariable(variable);
    const path = isSecret ? (env[name]?.trim() ?? "") : "";
    // Stored secrets can be opened by the key of the start alone.
    if (path === "" || field === "encryptionKey") continue;
    const readText = (): Result<string, string> => readSecretFile(path, isLong);
    const file: SecretFile<unknown> = { name, readText, parse: (text) => parseText(field, text) };
    Object.defineProperty(config, field, { get: follow(options, file, config[field]), enumerable: true });
  }
  const isSet = options.config.apiKeys.length > 0;
  const apiKeys = isSet ? () => config.apiKeys : follow(options, intakeKeyNow(config.dataDir), keys.apiKeys);
  return { config, keys: Object.defineProperty({ ...keys }, "apiKeys", { get: apiKeys, enumerable: true }) };
}

export interface SecretFile<Value> {
  readonly name: string;
  readonly readText: () => Result<string, string>;
  readonly parse: (text: string) => Parsed<Value>;
}

function follow<Value>(
  { clock, news }: Pick<FollowSecrets, "clock" | "news">,
  { name, readText, parse }: SecretFile<Value>,
  atStart: Value,
): () => Value {
  let value = atStart;
  let known = readText();
  let readAtMs = clock.monotonicMs();
  let toldReason = "";

  function readAgain(): void {
    const text = readText();
    if (text.ok && known.ok && text.value === known.value) return;
    const parsed = text.ok ? parse(text.value) : refuse([text.error]);
    if (parsed.ok) {
      value = parsed.value;
      known = text;
      toldReason = "";
      return news.changed(name);
    }
    const reason = parsed.error.join("; ");
    if (reason !== toldReason) news.refused(name, reason);
    toldReason = reason;
  }

  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= readAtMs + READ_AGAIN_MS) {
      readAtMs = nowMs;
      readAgain();
    }
    return value;
  };
}
