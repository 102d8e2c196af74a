/**
 * The service's settings: from the environment's strings to `Config`, or to every mistake at once, by variable.
 */
import type { FieldError } from "../domain/problem.ts";
import { type Result, refuse } from "../lib/result.ts";
import type { Env } from "../lib/settings/option.ts";
import type { Parsed } from "../lib/settings/option-text.ts";
import { describePlatformVariables } from "../lib/settings/platform-variables.ts";
import {
  type Given,
  type GivenTexts,
  fieldsOf,
  givenTexts,
  listVariables,
  parseText,
  toValues,
  unknownVariables,
  withoutPlatform,
} from "../lib/settings/read-settings.ts";
import { type ReadSecretFile, readSecretFile } from "../lib/settings/secret-files.ts";
import { ENV_PREFIX } from "./env.ts";
import { type Config, OPTIONS } from "./options.ts";
import { isThisMachine } from "./product-options.ts";
import { TELEMETRY_OPTIONS } from "./telemetry-options.ts";

export type ConfigField = keyof Config;

/** The table's rows, in its order. */
export const FIELDS: readonly ConfigField[] = fieldsOf(OPTIONS);

/** Every variable that may be set, including those that name files. */
export const VARIABLES: readonly string[] = listVariables(OPTIONS);

type GivenConfig = GivenTexts<ConfigField>;

/** Errors carry the variable's name as their path. An empty variable counts as not set. */
export function readConfig(all: Env, readFile: ReadSecretFile = readSecretFile): Result<Config, readonly FieldError[]> {
  const env = withoutPlatform(all);
  const given = givenTexts(OPTIONS, env, readFile);
  const read = FIELDS.map((field) => [field, readField(field, given)] as const);
  return toValues<Config>(given, read, [
    ...unknownVariables(env, VARIABLES, { isOurs, page: "docs/config.md" }),
    ...missingTogether(given),
    ...unframable(read),
  ]);
}

const isOurs = (name: string): boolean => name.startsWith(ENV_PREFIX) && !isOfBridge(name);

/** A bridge is a process of its own, with settings of its own. */
const isOfBridge = (name: string): boolean => name.startsWith(`${ENV_PREFIX}BRIDGE_`);

/** For people, a line each: what stands in the environment and is not read. */
export function describePassedOver(env: Env): readonly string[] {
  const ofBridge = Object.keys(withoutPlatform(env)).filter(isOfBridge).toSorted();
  const lines = [
    describePlatformVariables(env, [OPTIONS.port.variable]),
    ofBridge.length === 0
      ? null
      : `Passed over, because they are settings of a bridge, which reads them where it is started: ` +
        `${ofBridge.join(", ")}. bridge/README.md has them.`,
  ];
  return lines.filter((line) => line !== null);
}

/** The address under which people reach this service; `port` is the one that it listens on. */
export function publicUrlAt(config: Pick<Config, "publicUrl">, port: number): string {
  return config.publicUrl ?? `http://localhost:${port}`;
}

/** Each variable with its value as it may be printed: no value contains a secret. */
export function describeConfig(config: Config): readonly { readonly variable: string; readonly shown: string }[] {
  return FIELDS.map((field) => {
    // The row and the value are of one field, which the compiler cannot see through a union of all fields.
    const show = OPTIONS[field].show as (value: Config[ConfigField]) => string;
    return { variable: OPTIONS[field].variable, shown: show(config[field]) };
  });
}

/**
 * For people, in one line; `null` when there are none. Other variables of OpenTelemetry are no mistake, because every
 * program of a cluster may get them, but the operator who set one expects it to work.
 */
export function describeUnreadTelemetry(env: Env): string | null {
  const unread = Object.keys(env).filter(
    (name) => name.startsWith("OTEL_") && (env[name] ?? "").trim() !== "" && !VARIABLES.includes(name),
  );
  const isAsked = Object.keys(env).some((name) => name.startsWith("OTEL_EXPORTER_OTLP_") && name.includes("ENDPOINT"));
  if (unread.length === 0 || !isAsked) return null;
  return `Bellwire does not read ${unread.toSorted().join(", ")}; docs/config.md has the variables that it reads.`;
}

/** An unreadable file counts as set, so that the operator is told of it. */
const isGiven = ({ text }: Given): boolean => !text.ok || text.value !== "";

/**
 * `OTEL_*` are often set for every program of a cluster, with values that Bellwire does not know. Unless they ask it to
 * send something, such values are ignored: they must not keep Bellwire from starting.
 */
function readField(field: ConfigField, given: GivenConfig) {
  const { text } = given[field];
  const parsed = text.ok
    ? parseText<unknown>(OPTIONS[field], text.value, findText(field, given))
    : refuse([text.error]);
  const isOfNoEffect = field in TELEMETRY_OPTIONS && !isGiven(given.otlpEndpoint);
  return !parsed.ok && isOfNoEffect ? OPTIONS[field].parse(OPTIONS[field].default) : parsed;
}

function findText(field: ConfigField, given: GivenConfig): string {
  const { text } = given[field];
  if (text.ok && text.value !== "") return text.value;
  // A moved data folder takes the database with it.
  if (field === "database") return `sqlite:${findText("dataDir", given)}/bellwire.db`;
  const brandName = field === "mailFrom" ? OPTIONS.brandName.parse(findText("brandName", given)) : null;
  if (brandName?.ok === true) return `${brandName.value} <bellwire@localhost>`;
  return OPTIONS[field].default;
}

/** An unsigned notice would teach its receiver to trust any sender. A secret without a URL is a mistyped URL. */
function missingTogether({ operatorWebhookUrl: url, operatorWebhookSecret: secret }: GivenConfig): FieldError[] {
  if (isGiven(url) === isGiven(secret)) return [];
  const [missing, present] = isGiven(url) ? [secret, url] : [url, secret];
  return [{ path: missing.variable, message: `must be set when ${present.variable} is` }];
}

/** Browsers keep the cookie of a page in a frame only over https, unless the page around it is on the same machine. */
function unframable(read: readonly (readonly [ConfigField, Parsed<unknown>])[]): FieldError[] {
  const values = Object.fromEntries(read.map(([field, parsed]) => [field, parsed.ok ? parsed.value : null]));
  const { embedOrigins, publicUrl } = values as Partial<Pick<Config, "embedOrigins" | "publicUrl">>;
  const isFar = (embedOrigins ?? []).some((origin) => !isThisMachine(new URL(origin).hostname));
  if (!isFar || publicUrl?.startsWith("https:") === true) return [];
  const message = `must begin with https:// when ${OPTIONS.embedOrigins.variable} is set`;
  return [{ path: OPTIONS.publicUrl.variable, message }];
}
