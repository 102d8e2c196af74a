/**
 * Settings: from the environment's strings to `Config`, or to every mistake at once, by variable. The strings are
 * passed in, so a test needs no process; only secret files are read from here. An unknown variable of ours is a mistake
 * too, because a mistyped setting that is ignored would be found out in production.
 */
import { type FieldError, type Result, ok, refuse } from "../domain/problem.ts";
import { nearestName } from "../events/nearest-name.ts";
import { ENV_PREFIX, type Env } from "./env.ts";
import { pasteFault } from "../lib/pasted.ts";
import { type Config, OPTIONS } from "./options.ts";
import type { Parsed } from "./option-text.ts";
import { isThisMachine } from "./product-options.ts";
import { listPlatformVariables } from "./platform-variables.ts";
import { type ReadSecretFile, fileVariable, readSecretFile } from "./secret-files.ts";
import { TELEMETRY_OPTIONS } from "./telemetry-options.ts";

export type ConfigField = keyof Config;

/** The table's rows, in its order. */
export const FIELDS = Object.keys(OPTIONS) as ConfigField[];

/** Every variable that may be set, including those that name files. */
export const VARIABLES: readonly string[] = FIELDS.flatMap((field) => {
  const { variable, isSecret = false } = OPTIONS[field];
  return isSecret ? [variable, fileVariable(variable)] : [variable];
});

/** Errors carry the variable's name as their path. An empty variable counts as not set. */
export function readConfig(all: Env, readFile: ReadSecretFile = readSecretFile): Result<Config, readonly FieldError[]> {
  const platform = new Set(listPlatformVariables(all));
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => !platform.has(name)));
  const given = givenTexts(env, readFile);
  const read = FIELDS.map((field) => [field, readField(field, given)] as const);
  const errors = [
    ...read.flatMap(([field, parsed]) =>
      parsed.ok ? [] : parsed.error.map((message) => ({ path: given[field].variable, message })),
    ),
    ...unknownVariables(env),
    ...missingTogether(given),
    ...unframable(read),
  ];
  if (errors.length > 0) return refuse(errors);
  const values = Object.fromEntries(read.map(([field, parsed]) => [field, parsed.ok ? parsed.value : undefined]));
  // Each field came from its own row; the table's declaration ties the row's type to `Config`.
  return ok(values as unknown as Config);
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

interface Given {
  /** The variable that was set, for messages. */
  readonly variable: string;
  /** The value's text, empty when it is not set; or the reason why it cannot be read. */
  readonly text: Result<string, string>;
}

type GivenTexts = Readonly<Record<ConfigField, Given>>;

/** Each file is read once. */
function givenTexts(env: Env, readFile: ReadSecretFile): GivenTexts {
  const entries = FIELDS.map((field) => [field, givenText(field, env, readFile)] as const);
  // Made from all fields, which the compiler cannot see in a list of pairs.
  return Object.fromEntries(entries) as unknown as GivenTexts;
}

function givenText(field: ConfigField, env: Env, readFile: ReadSecretFile): Given {
  const { variable, isSecret = false, isLong = false } = OPTIONS[field];
  const text = env[variable]?.trim() ?? "";
  const path = isSecret ? (env[fileVariable(variable)]?.trim() ?? "") : "";
  if (path === "") return { variable, text: ok(text) };
  const named = { variable: fileVariable(variable) };
  if (text !== "")
    return { ...named, text: refuse(`must not be set together with ${variable}; leave one of them out`) };
  return { ...named, text: readFile(path, isLong) };
}

/** An unreadable file counts as set, so that the operator is told of it. */
const isGiven = ({ text }: Given): boolean => !text.ok || text.value !== "";

/**
 * `OTEL_*` are often set for every program of a cluster, with values that Bellwire does not know. Unless they ask it to
 * send something, such values are ignored: they must not keep Bellwire from starting.
 */
function readField(field: ConfigField, given: GivenTexts) {
  const { text } = given[field];
  const parsed = text.ok ? parseText(field, text.value, findText(field, given)) : refuse([text.error]);
  const isOfNoEffect = field in TELEMETRY_OPTIONS && !isGiven(given.otlpEndpoint);
  return !parsed.ok && isOfNoEffect ? OPTIONS[field].parse(OPTIONS[field].default) : parsed;
}

/** `given` is what the operator wrote; `text` is that, or what stands for a setting that is not set. */
export function parseText(field: ConfigField, given: string, text = given) {
  const { parse, variable, isLong = false } = OPTIONS[field];
  const pasted = isLong ? null : pasteFault(given, { kind: "words", name: variable, isSecret: true });
  return pasted === null ? parse(text) : refuse([pasted]);
}

function findText(field: ConfigField, given: GivenTexts): string {
  const { text } = given[field];
  if (text.ok && text.value !== "") return text.value;
  // A moved data folder takes the database with it.
  if (field === "database") return `sqlite:${findText("dataDir", given)}/bellwire.db`;
  const brandName = field === "mailFrom" ? OPTIONS.brandName.parse(findText("brandName", given)) : null;
  if (brandName?.ok === true) return `${brandName.value} <bellwire@localhost>`;
  return OPTIONS[field].default;
}

/** An unsigned notice would teach its receiver to trust any sender. A secret without a URL is a mistyped URL. */
function missingTogether({ operatorWebhookUrl: url, operatorWebhookSecret: secret }: GivenTexts): FieldError[] {
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

function unknownVariables(env: Env): FieldError[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(ENV_PREFIX) && !VARIABLES.includes(name))
    .map((path) => ({ path, message: `is not a setting${suggestion(path)}` }));
}

function suggestion(name: string): string {
  const nearest = nearestName(name, VARIABLES);
  return nearest === undefined ? "; see docs/config.md for those there are" : `; did you mean ${nearest}?`;
}
