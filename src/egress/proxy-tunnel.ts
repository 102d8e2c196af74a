/**
 * A connection to a checked address through the operator's forward proxy, by `CONNECT` for http: and https: alike:
 *
 *     TCP to the proxy ──► CONNECT 203.0.113.9:443 ──► 2xx ──► the socket is what a direct one would be
 *
 * Invariants: the proxy gets a checked address, never a name that it could resolve otherwise. A fault of the proxy is a
 * `proxy_error`, which never counts against the destination. The operator sets the proxy's own address, which is not
 * checked: proxies stand in private networks.
 */
import { type Socket, connect as connectTcp, isIP, isIPv6 } from "node:net";
import { FAILURE_CODES, type FailureCode } from "../domain/failure-codes.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Clock } from "../lib/clock.ts";
import { errorWords } from "../lib/fault-words.ts";
import type { ConnectOutcome } from "./connect-outcome.ts";
import type { Resolver } from "./resolver.ts";
import { unencodedFault } from "../lib/unencoded.ts";

export interface ProxyRoute {
  readonly proxy: EgressProxy;
  readonly resolver: Resolver;
}

export interface OpenTunnelParams {
  readonly clock: Clock;
  /** An IP address that was checked. */
  readonly address: string;
  readonly port: number;
  /** The monotonic instant by which the tunnel must stand. */
  readonly untilMs: number;
}

type Tunnel = Result<Socket, ConnectOutcome>;

/** The most bytes that a proxy may send before it lets the connection through. Usual are 40 bytes. */
const ANSWER_BYTES_MAX = 16 * 1024;
const HEAD_END = "\r\n\r\n";

/** A socket with `address` at its other end. A socket that did not get there is destroyed. */
export async function openTunnel({ proxy, resolver }: ProxyRoute, job: OpenTunnelParams): Promise<Tunnel> {
  const resolved = isIP(proxy.host) === 0 ? await resolver.resolve(proxy.host, "egress proxy") : ok([proxy.host]);
  if (!resolved.ok) return refuse(unreachable(`its name could not be resolved: ${resolved.error.message}`));
  let failed: Tunnel = refuse(unreachable("its name has no address"));
  for (const [index, proxyAddress] of resolved.value.entries()) {
    const left = resolved.value.length - index;
    const tcpMs = Math.max(0, job.untilMs - job.clock.monotonicMs()) / left;
    const reached = await reachProxy({ proxy, proxyAddress, clock: job.clock, tcpMs });
    if (reached.ok) return await askForTunnel(reached.value, proxy, job);
    failed = reached;
  }
  return failed;
}

interface ReachProxyParams {
  readonly proxy: EgressProxy;
  readonly proxyAddress: string;
  readonly clock: Clock;
  readonly tcpMs: number;
}

function reachProxy({ proxy, proxyAddress, clock, tcpMs }: ReachProxyParams): Promise<Tunnel> {
  const { promise, resolve } = Promise.withResolvers<Tunnel>();
  const socket = connectTcp({ host: proxyAddress, port: proxy.port, noDelay: true });
  const fail = (why: string) => {
    cancelTimer();
    socket.destroy();
    resolve(refuse(unreachable(why)));
  };
  const cancelTimer = clock.after(tcpMs, () => fail("it does not accept connections in time"));
  // Stays on the socket: an error without a listener would end the process.
  socket.on("error", (error) => fail(errorWords(error)));
  socket.once("connect", () => {
    cancelTimer();
    resolve(ok(socket));
  });
  return promise;
}

/**
 * From here on a silence may come from the destination as well as from the proxy, so it counts as a connect timeout.
 */
function askForTunnel(socket: Socket, { authorization }: EgressProxy, job: OpenTunnelParams): Promise<Tunnel> {
  const { promise, resolve } = Promise.withResolvers<Tunnel>();
  let answer: Buffer = Buffer.alloc(0);
  const end = (tunnel: Tunnel) => {
    cancelTimer();
    for (const [event, listener] of listeners) socket.off(event, listener);
    if (!tunnel.ok) socket.destroy();
    resolve(tunnel);
  };
  const onData = (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk]);
    const headEnd = answer.indexOf(HEAD_END);
    const headBytes = headEnd === -1 ? answer.length : headEnd + HEAD_END.length;
    if (headBytes > ANSWER_BYTES_MAX) return end(refuse(NOT_A_PROXY));
    if (headEnd === -1) return;
    socket.pause();
    const refusal = findRefusal(answer.subarray(0, headEnd).toString("latin1"), job);
    const early = answer.subarray(headBytes);
    if (refusal === null && early.length > 0) socket.unshift(early);
    return end(refusal === null ? ok(socket) : refuse(refusal));
  };
  const onClose = () => end(refuse(CLOSED));
  const listeners = [
    ["data", onData],
    ["close", onClose],
    ["end", onClose],
  ] as const;
  const leftMs = Math.max(0, job.untilMs - job.clock.monotonicMs());
  const cancelTimer = job.clock.after(leftMs, () => end(refuse({ kind: "timeout", phase: "connect" })));
  for (const [event, listener] of listeners) socket.on(event, listener);
  const authority = `${isIPv6(job.address) ? `[${job.address}]` : job.address}:${job.port}`;
  const credentials = authorization === null ? "" : `proxy-authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credentials}\r\n`);
  return promise;
}

/** `null` when the tunnel stands. */
function findRefusal(head: string, { address, port }: OpenTunnelParams): ConnectOutcome | null {
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1] ?? 0);
  if (status >= 200 && status <= 299) return null;
  if (status < 400) return NOT_A_PROXY;
  if (status === 407) {
    return proxyError("PROXY_CREDENTIALS");
  }
  // The operator's own rule about this address, like those of the guard: it will be the same in half a minute.
  if (status < 500) {
    return { kind: "blocked", message: `The egress proxy refuses to call ${address}, port ${port} (${status}).` };
  }
  const message = `The egress proxy could not connect to ${address}, port ${port} (${status}).`;
  return { kind: "proxy_error", code: `PROXY_STATUS_${status}`, message };
}

const proxyError = (code: FailureCode, message: string = FAILURE_CODES[code]): ConnectOutcome => ({
  kind: "proxy_error",
  code,
  message,
});

const unreachable = (why: string): ConnectOutcome =>
  proxyError("PROXY_UNREACHABLE", `The egress proxy cannot be reached: ${why}.`);

const NOT_A_PROXY = proxyError("PROXY_PROTOCOL");
const CLOSED = proxyError("PROXY_CLOSED");

/** The value of `BELLWIRE_EGRESS_PROXY`: `http://proxy.example:3128`, or with `name:password@` before the host. */
export interface EgressProxy {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The value of `proxy-authorization`; `null` when the proxy needs none. A secret. */
  readonly authorization: string | null;
}

const EXAMPLE = "http://proxy.example:3128";

/** `null` for an empty text: no proxy. The text may hold a password, so no message repeats it. */
export function parseEgressProxy(text: string): Result<EgressProxy | null, readonly string[]> {
  if (text === "") return ok(null);
  const unencoded = text.includes("@") ? unencodedFault(text, "http://name:password@proxy.example:3128") : null;
  if (unencoded !== null) return refuse([unencoded]);
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
