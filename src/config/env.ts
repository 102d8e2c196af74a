/**
 * The only place that reads the environment. It passes on the variables of this program and those of OpenTelemetry, and
 * others by name alone, so that no other part can come to depend on what a machine happens to set.
 */
import type { Env } from "../lib/settings/option.ts";

export const ENV_PREFIX = "BELLWIRE_";
/** Every program that sends traces and metrics reads these, so an unknown one is not a mistake. */
const STANDARD_PREFIX = "OTEL_";

export const readEnv = (): Env => pickOurs(process.env);

export const pickOurs = (env: Env): Env =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => name.startsWith(ENV_PREFIX) || name.startsWith(STANDARD_PREFIX)),
  );

/** A variable that a person's file names, whatever it is called. */
export const readVariable = (name: string): string | undefined => process.env[name];
