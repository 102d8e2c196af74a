/** A bridge's settings: read from its own environment, or every mistake in it at once; and their page. */
import type { Result } from "../src/lib/result.ts";
import type { Env } from "../src/lib/settings/option.ts";
import { describePlatformVariables } from "../src/lib/settings/platform-variables.ts";
import {
  type Mistake,
  OPTIONS_HEAD,
  documentOption,
  fieldsOf,
  givenTexts,
  listVariables,
  parseText,
  toValues,
  unknownVariables,
  withoutPlatform,
} from "../src/lib/settings/read-settings.ts";
import { type ReadSecretFile, readSecretFile } from "../src/lib/settings/secret-files.ts";
import { BRIDGE_OPTIONS, type BridgeConfig } from "./options.ts";

const FIELDS = fieldsOf(BRIDGE_OPTIONS);

/** Every variable that may be set, including those that name files. */
export const BRIDGE_VARIABLES: readonly string[] = listVariables(BRIDGE_OPTIONS);

/** Without them a bridge does not start. */
const NEEDED = ["bridgeBroker", "bridgeSource", "bridgeDeadLetters"] as const;

export function readBridgeSettings(
  all: Env,
  readFile: ReadSecretFile = readSecretFile,
): Result<BridgeConfig, readonly Mistake[]> {
  const env = withoutPlatform(all);
  const given = givenTexts(BRIDGE_OPTIONS, env, readFile);
  const read = FIELDS.map((field) => {
    const { text } = given[field];
    const option = BRIDGE_OPTIONS[field];
    return [
      field,
      text.ok ? parseText<unknown>(option, text.value, text.value || option.default) : noText(text),
    ] as const;
  });
  const missing = NEEDED.filter((field) => {
    const { text } = given[field];
    return text.ok && text.value === "";
  });
  return toValues<BridgeConfig>(given, read, [
    ...unknownVariables(env, BRIDGE_VARIABLES, { isOurs, page: "bridge/settings.md" }),
    ...missing.map((field) => ({ path: given[field].variable, message: "must be set; bridge/README.md says to what" })),
  ]);
}

const noText = ({ error }: { readonly error: string }) => ({ ok: false, error: [error] }) as const;

/** A bridge may share an environment with the service, whose other settings it does not know. */
const isOurs = (name: string): boolean => name.startsWith("BELLWIRE_BRIDGE_");

/** For people, a line each: what stands in the environment and is not read. */
export function describePassedOver(env: Env): readonly string[] {
  const foreign = Object.keys(withoutPlatform(env))
    .filter((name) => name.startsWith("BELLWIRE_") && !isOurs(name) && !BRIDGE_VARIABLES.includes(name))
    .toSorted();
  const lines = [
    describePlatformVariables(env, ["BELLWIRE_PORT", "BELLWIRE_BRIDGE_PORT"]),
    foreign.length === 0 ? null : `Passed over, because a bridge has no such settings: ${foreign.join(", ")}.`,
  ];
  return lines.filter((line) => line !== null);
}

/** The whole page `settings.md` as Markdown. */
export function documentBridgeSettings(): string {
  return `${INTRODUCTION}\n${FIELDS.map((field) => documentOption(BRIDGE_OPTIONS[field])).join("\n")}\n`;
}

const INTRODUCTION = `# Settings of a bridge

<!-- Written by \`npm run docs\` from bridge/options.ts: change it there. -->

Settings are environment variables of the bridge's own process; the service has [others](../docs/config.md). All
mistakes in them are reported together when a bridge starts, and so is a \`BELLWIRE_BRIDGE_\` variable that does not
exist. An empty variable counts as not set. A secret may stand in a file: set the variable with \`_FILE\` behind its
name to the file's path.

${OPTIONS_HEAD}`;
