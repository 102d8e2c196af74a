/** Whose request it is: behind proxies that the operator trusts, the address that the last of them was called from. */
import type { IncomingMessage } from "node:http";
import proxyAddr from "@fastify/proxy-addr";

/** Whether a hop's word about the one before it counts. */
export type TrustProxy = (address: string, hop: number) => boolean;

export type ClientAddress = (request: IncomingMessage) => string;

/** `proxies`: networks such as `10.0.0.0/8`. Without any, `x-forwarded-for` is what anybody may write. */
export const trustProxies = (proxies: readonly string[]): TrustProxy => proxyAddr.compile([...proxies]);

export const createClientAddress =
  (trust: TrustProxy): ClientAddress =>
  (request) =>
    proxyAddr(request, trust);
