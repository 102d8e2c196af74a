/**
 * Reads `BELLWIRE_EGRESS_PROXY`: `http://proxy.example:3128`, or `http://name:password@proxy.example:3128`. The text
 * may hold a password, so no message repeats it.
 */
import { type Result, ok, refuse } from "../domain/problem.ts";

export interface EgressProxy {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The value of `proxy-authorization`; `null` when the proxy needs none. A secret. */
  readonly authorization: string | null;
}

const EXAMPLE = "http://proxy.example:3128";

/** `null` for an empty text: no proxy. */
export function parseEgressProxy(text: string): Result<EgressProxy | null, readonly string[]> {
  if (text === "") return ok(null);
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/]/i.test(text)) return refuse([`must be an address such as ${EXAMPLE}`]);
  if (url.protocol !== "http:") return refuse([`must start with http:, which is how the proxy itself is spoken to`]);
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return refuse([`must end after the port, as in ${EXAMPLE}`]);
  }
  const credentials = decode(`${url.username}:${url.password}`);
  if (credentials === null) return refuse(["has a name or password with a lone %; write %25 for it"]);
  const authorization = credentials === ":" ? null : `Basic ${Buffer.from(credentials).toString("base64")}`;
  const port = url.port === "" ? 80 : Number(url.port);
  if (port === 0) return refuse([`must have a port from 1 to 65535, as in ${EXAMPLE}`]);
  return ok({ host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port, authorization });
}

/** The printable form. */
export function showEgressProxy(proxy: EgressProxy | null): string {
  if (proxy === null) return "none";
  const host = proxy.host.includes(":") ? `[${proxy.host}]` : proxy.host;
  return `http://${proxy.authorization === null ? "" : "(not shown)@"}${host}:${proxy.port}`;
}

/** The border to a function that throws for expected input. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
