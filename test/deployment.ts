/**
 * The program's settings and secrets, against which the image, the Compose file and the Kubernetes files are tested.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BRIDGE_VARIABLES } from "../bridge/settings.ts";
import { VARIABLES } from "../src/config/config.ts";
import { OPTIONS } from "../src/config/options.ts";
import type { ReadSecretFile } from "../src/lib/settings/secret-files.ts";
import { ok, refuse } from "../src/lib/result.ts";

export const ROOT = join(import.meta.dirname, "..");
export const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Of the service and of bridges. */
export const SETTINGS: ReadonlySet<string> = new Set([...VARIABLES, ...BRIDGE_VARIABLES]);

/** Secrets that the guide puts into files, by the files' names. */
export const SECRETS: Readonly<Record<string, string>> = {
  database: "postgres://bellwire:p4ss@postgres/bellwire",
  "api-key": "intake-key-of-every-node",
  "encryption-key": Buffer.alloc(32, "k").toString("base64"),
  "operator-webhook-url": "https://alerts.example.com/in",
  "operator-webhook-secret": `whsec_${Buffer.alloc(32, "o").toString("base64")}`,
};

/** In place of the files of a container: those below this folder. */
export const secretsBelow =
  (folder: string): ReadSecretFile =>
  (path) => {
    const text = path.startsWith(`${folder}/`) ? SECRETS[path.slice(folder.length + 1)] : undefined;
    return text === undefined ? refuse(`${path} is not there`) : ok(text);
  };

/** A node answers for 5 seconds after it was asked to stop, then comes its deadline. */
export const SECONDS_TO_STOP = 5 + Number(OPTIONS.shutdownDeadlineMs.default);
