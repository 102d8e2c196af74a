/** A service on this machine, as its own commands and bridges reach it. */
import { isIP } from "node:net";

/** The address of a service that listens there, seen from this machine; without a slash at the end. */
export function localUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  // The addresses that mean "every network" cannot be connected to.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}
