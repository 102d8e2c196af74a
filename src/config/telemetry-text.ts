/**
 * Parses OpenTelemetry's own variables, as its specification writes them. A collector's headers hold a secret, so no
 * message repeats their text.
 */
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { no, parseAddress, type Parsed } from "../lib/settings/option-text.ts";

/**
 * How to decide whether a trace that begins here is kept. The `parentbased_` kinds follow a caller that has decided.
 */
export const TRACES_SAMPLERS = [
  "parentbased_always_on",
  "parentbased_traceidratio",
  "parentbased_always_off",
  "always_on",
  "traceidratio",
  "always_off",
] as const;

/** The address at which a collector takes OTLP over HTTP. A slash at its end stays as it was given. */
export function parseOtlpEndpoint(text: string): Parsed<string | null> {
  const address = parseAddress(text, {
    demand: "must be the address of a collector that takes OTLP over HTTP, such as http://localhost:4318",
    signIn: "; write OTEL_EXPORTER_OTLP_HEADERS for them",
  });
  if (!address.ok || address.value === null) return address as Parsed<null>;
  return address.value.hash === "" ? ok(address.value.href) : no("must not have a fragment");
}

/** A legal name of a header (RFC 9110). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that say how the body is written or where it goes, which only the sender knows. */
const OUR_HEADERS = /^(?:content-.*|transfer-encoding|connection|host|expect|upgrade|te|trailer|keep-alive)$/i;

/** `name=value,name=value`, with odd characters as `%2C` or the like. */
export function parseOtlpHeaders(text: string): Parsed<Readonly<Record<string, string>>> {
  const pairs = parsePairs(text);
  if (!pairs.ok) return no("must be name=value, several separated by commas, with odd characters as %2C or the like");
  for (const [place, [name, value]] of pairs.value.entries()) {
    if (!TOKEN.test(name)) return no(`entry ${place + 1} has a name that is no name of a header`);
    if (OUR_HEADERS.test(name)) return no(`entry ${place + 1} names a header that Bellwire writes itself`);
    if (!/^[\x20-\x7e]*$/.test(value)) return no(`entry ${place + 1} has characters that a header cannot have`);
  }
  return ok(Object.fromEntries(pairs.value.map(([name, value]) => [name.toLowerCase(), value])));
}

export function parseResourceAttributes(text: string): Parsed<Readonly<Record<string, string>>> {
  const pairs = parsePairs(text);
  if (pairs.ok) return ok(Object.fromEntries(pairs.value));
  return no("must be key=value, several separated by commas, such as deployment.environment.name=production");
}

function parsePairs(text: string): Result<readonly (readonly [string, string])[], null> {
  const pairs: (readonly [string, string])[] = [];
  for (const entry of text.split(",").map((each) => each.trim())) {
    if (entry === "") continue;
    const equals = entry.indexOf("=");
    const key = decoded(entry.slice(0, Math.max(equals, 0)).trim());
    const value = decoded(entry.slice(equals + 1).trim());
    if (equals < 1 || key === null || value === null) return refuse(null);
    pairs.push([key, value]);
  }
  return ok(pairs);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // A % without two hex digits.
    return null;
  }
}

/** The share of traces to keep, for the samplers by ratio. */
export function parseRatio(text: string): Parsed<number> {
  const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return value >= 0 && value <= 1 ? ok(value) : no("must be a number from 0 to 1, such as 0.1");
}
