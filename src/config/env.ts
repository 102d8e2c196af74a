/**
 * The only place that reads the environment. It hands on the variables of this program and those of OpenTelemetry, and
 * nothing else, so that no other part can come to depend on what a machine happens to set.
 */
export const ENV_PREFIX = "BELLWIRE_";
/** Every program that sends traces and metrics reads these, so one that we do not know is nobody's mistake. */
const STANDARD_PREFIX = "OTEL_";

export type Env = Readonly<Record<string, string | undefined>>;

export function readEnv(): Env {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith(ENV_PREFIX) || name.startsWith(STANDARD_PREFIX)),
  );
}
