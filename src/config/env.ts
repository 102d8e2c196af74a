/**
 * The only place that reads the environment. It passes on the variables of this program and those of OpenTelemetry, so
 * that no other part can come to depend on what a machine happens to set.
 */
import type { Env } from "../lib/settings/option.ts";

export const ENV_PREFIX = "BELLWIRE_";
/** Every program that sends traces and metrics reads these, so an unknown one is not a mistake. */
const STANDARD_PREFIX = "OTEL_";

export function readEnv(): Env {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith(ENV_PREFIX) || name.startsWith(STANDARD_PREFIX)),
  );
}
