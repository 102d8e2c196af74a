/** Whose request it is: behind proxies that the operator trusts, the address that the last of them was called from. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import proxyAddr from "@fastify/proxy-addr";
import type { FastifyRequest } from "fastify";

/** Whether a hop's word about the one before it counts. */
export type TrustProxy = (address: string, hop: number) => boolean;

export type ClientAddress = (request: IncomingMessage) => string;

/** `proxies`: networks such as `10.0.0.0/8`. Without any, `x-forwarded-for` is what anybody may write. */
export function trustProxies(proxies: readonly string[]): TrustProxy {
  const trusts = proxyAddr.compile([...proxies]);
  return (address, hop) => trusts(bare(address), hop);
}

export const createClientAddress =
  (trust: TrustProxy): ClientAddress =>
  (request) =>
    lastAddress(proxyAddr.all(request, trust));

/** The same of a call that the router has. */
export const callerAddress = ({ ips, ip }: Pick<FastifyRequest, "ips" | "ip">): string => lastAddress(ips ?? [ip]);

/**
 * A proxy may pass on what a client has made up, or write a port behind the address: each would be another client. What
 * is no address is the one's who said it.
 */
const lastAddress = (hops: readonly string[]): string =>
  hops.map(bare).findLast((hop) => isIP(hop) !== 0) ?? hops[0] ?? "";

/** Without quotes, port and zone, and one address in one spelling: also IPv4 that IPv6 carries. */
function bare(hop: string): string {
  const address = hop
    .replaceAll('"', "")
    .replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2")
    .replace(/%.*$/s, "");
  if (isIP(address) !== 6) return address;
  // In lower case, and the longest run of zeros left out.
  const ipv6 = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high = "", low = ""] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(ipv6) ?? [];
  if (low === "") return ipv6;
  return [high, low]
    .map((part) => parseInt(part, 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join(".");
}
