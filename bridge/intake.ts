/**
 * Where a bridge finds intake, and its key: from the settings, or from the service's own port and data folder on this
 * machine. A key that stands in a file is followed, so that keys can change while the bridge runs.
 */
import { join } from "node:path";
import { localUrl } from "../src/lib/local-url.ts";
import { type Result, ok, refuse } from "../src/lib/result.ts";
import { type FollowContext, type SecretFile, followSecret } from "../src/lib/settings/follow-secret.ts";
import type { Env } from "../src/lib/settings/option.ts";
import { parseApiKeys } from "../src/lib/settings/option-text.ts";
import { fileVariable, readSecretFile } from "../src/lib/settings/secret-files.ts";
import { BRIDGE_OPTIONS, type BridgeConfig } from "./options.ts";

export interface Intake {
  /** Without a slash at the end. */
  readonly url: string;
  /** As the settings or the file have it now. */
  readonly key: () => string;
}

type Settings = Pick<BridgeConfig, "bridgeServiceUrl" | "host" | "port" | "dataDir" | "apiKeys">;

/** The sentence of a refusal says where the key belongs. */
export function findIntake(settings: Settings, env: Env, context: FollowContext): Result<Intake, string> {
  const url = settings.bridgeServiceUrl ?? localUrl(settings);
  const [given] = settings.apiKeys;
  const file = findKeyFile(settings, env);
  if (given !== undefined && file.name !== KEY_FILE) return ok({ url, key: () => given });
  const text = file.readText();
  const keys = text.ok ? file.parse(text.value) : null;
  const key = keys?.ok === true ? keys.value[0] : undefined;
  if (key === undefined) return refuse(NO_KEY);
  const keysNow = followSecret(context, file, [key]);
  return ok({ url, key: () => keysNow()[0] ?? key });
}

const KEY_FILE = fileVariable(BRIDGE_OPTIONS.apiKeys.variable);
const NO_KEY =
  `BELLWIRE_API_KEY or ${KEY_FILE} must be set to the service's intake key, or BELLWIRE_DATA_DIR to the service's ` +
  "data folder, where its first start puts that key";

/** The file that a setting names, else the one of the service's data folder. */
function findKeyFile({ dataDir }: Settings, env: Env): SecretFile<readonly string[]> {
  const named = env[KEY_FILE]?.trim() ?? "";
  const path = named === "" ? join(dataDir, "intake-key") : named;
  return { name: named === "" ? path : KEY_FILE, readText: () => readSecretFile(path), parse: parseApiKeys };
}
