/**
 * Settings: from the environment's strings to `Config`, or to everything that is wrong with them at once, by variable.
 * Pure: the strings come in, so a test needs no process. A variable of ours that nobody knows is an error too, because
 * a mistyped setting that is silently ignored is found out in production.
 */
import { type FieldError, type Result, ok, refuse } from "../domain/problem.ts";
import { nearestName } from "../events/nearest-name.ts";
import { ENV_PREFIX, type Env } from "./env.ts";
import { type Config, OPTIONS } from "./options.ts";
import { TELEMETRY_OPTIONS, isTelemetryAsked } from "./telemetry-options.ts";

export type ConfigField = keyof Config;

/** The table's rows, in its order. */
export const FIELDS = Object.keys(OPTIONS) as ConfigField[];

const VARIABLES = FIELDS.map((field) => OPTIONS[field].variable);

/** Errors carry the variable's name as their path. An empty variable counts as not set. */
export function readConfig(env: Env): Result<Config, readonly FieldError[]> {
  const read = FIELDS.map((field) => [field, readField(field, env)] as const);
  const errors = [
    ...read.flatMap(([field, parsed]) => (parsed.ok ? [] : parsed.error.map((message) => errorAt(field, message)))),
    ...unknownVariables(env),
    ...missingTogether(env),
  ];
  if (errors.length > 0) return refuse(errors);
  const values = Object.fromEntries(read.map(([field, parsed]) => [field, parsed.ok ? parsed.value : undefined]));
  // Each field came from its own row, whose type is tied to `Config` where the table is declared.
  return ok(values as unknown as Config);
}

/** The address people reach this service under; `port` is the one it listens on. */
export function publicUrlAt(config: Pick<Config, "publicUrl">, port: number): string {
  return config.publicUrl ?? `http://localhost:${port}`;
}

/** Each variable with its value as it may be printed: no secret is in it. */
export function describeConfig(config: Config): readonly { readonly variable: string; readonly shown: string }[] {
  return FIELDS.map((field) => {
    // The row and the value are of one field, which the compiler cannot see through a union of all fields.
    const show = OPTIONS[field].show as (value: Config[ConfigField]) => string;
    return { variable: OPTIONS[field].variable, shown: show(config[field]) };
  });
}

/**
 * `OTEL_*` are often set for every program of a cluster, with values that Bellwire does not know. Until they ask it to
 * send something, those are passed over: they must not keep it from starting.
 */
function readField(field: ConfigField, env: Env) {
  const given = OPTIONS[field].parse(textOf(field, env));
  const isOfNoEffect = field in TELEMETRY_OPTIONS && !isTelemetryAsked((each) => textOf(each, env));
  return !given.ok && isOfNoEffect ? OPTIONS[field].parse(OPTIONS[field].default) : given;
}

/** Together with the shutdown's deadline within the 30 s after which Kubernetes kills. */
const NODE_DRAIN_SECONDS = "5";

function textOf(field: ConfigField, env: Env): string {
  const given = givenText(field, env);
  if (given !== "") return given;
  // A moved data folder takes the database with it.
  if (field === "database") return `sqlite:${textOf("dataDir", env)}/bellwire.db`;
  // Only of several nodes there is another one that can answer meanwhile.
  if (field === "drainMs" && /^postgres/i.test(textOf("database", env))) return NODE_DRAIN_SECONDS;
  return OPTIONS[field].default;
}

const givenText = (field: ConfigField, env: Env): string => env[OPTIONS[field].variable]?.trim() ?? "";

const errorAt = (field: ConfigField, message: string): FieldError => ({ path: OPTIONS[field].variable, message });

/** An unsigned notice would teach its receiver to trust anybody; a secret alone is a URL that was mistyped. */
function missingTogether(env: Env): FieldError[] {
  const [hasUrl, hasSecret] = (["operatorWebhookUrl", "operatorWebhookSecret"] as const).map(
    (field) => givenText(field, env) !== "",
  );
  if (hasUrl === hasSecret) return [];
  const [missing, given] = hasUrl === true ? ["SECRET", "URL"] : ["URL", "SECRET"];
  const message = `must be set when BELLWIRE_OPERATOR_WEBHOOK_${given} is`;
  return [{ path: `BELLWIRE_OPERATOR_WEBHOOK_${missing}`, message }];
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
