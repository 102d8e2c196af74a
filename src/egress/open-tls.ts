/**
 * Starts TLS on the way to a checked address, and resumes the session that the same account had with the same receiver,
 * under the same client certificate.
 * The certificate of a full handshake is checked as ever; a resumed session is one whose certificate was checked.
 */
import { createHash, createPrivateKey } from "node:crypto";
import { type Socket, isIP } from "node:net";
import {
  DEFAULT_CIPHERS,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
} from "node:tls";
import type { ClientCertificate } from "../domain/authentication.ts";
import type { FailureCode } from "../domain/failure-codes.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Clock } from "../lib/clock.ts";
import { errorWords } from "../lib/fault-words.ts";
import type { CallTarget } from "./webhook-url.ts";
import type { TlsTrust } from "./connect-outcome.ts";
import { refuseSlowKey } from "./client-certificate.ts";
import { connectTcp, tcpOptions } from "./one-buffer.ts";
import {
  type FindFault,
  type TlsCosts,
  createTlsCosts,
  meter,
  openMeteredSocket,
  type UntimedTls,
  createUntimedTls,
} from "./tls-costs.ts";
import { type TlsSessions, computeCheckedUntil, createTlsSessions } from "./tls-sessions.ts";

/** The TLS state that all sockets of a sender share. A sender with other authorities has a client of its own. */
export interface TlsClient {
  readonly clock: Clock;
  /**
   * Made for the first socket that needs it, because reading the authorities takes a while; making one for each costs
   * (measured). The reason in words when TLS does not take the certificate.
   */
  readonly context: (certificate: ClientCertificate | null) => Result<OpenContext, string>;
  readonly sessions: TlsSessions;
  readonly costs: TlsCosts;
  readonly untimed: UntimedTls;
}

/**
 * The key exchanges whose size is fixed. With DHE the receiver chooses the group, up to 10,000 bits: 640 ms a handshake
 * (measured). No receiver of today needs it. The curves are Node's own, in its order and with its two key shares.
 */
export const KEY_EXCHANGE = {
  ciphers: `${DEFAULT_CIPHERS}:!DHE:!aDSS`,
  ecdhCurve: "*X25519MLKEM768:*X25519:P-256:P-384:P-521",
};

export interface OpenContext {
  readonly secure: SecureContext;
  /** Names the certificate; empty for none. */
  readonly identity: string;
}

/**
 * With TLS 1.2 a receiver may ask for another handshake whenever it likes, also while the socket waits for its next
 * request, and each costs 0.1 ms of CPU (measured). Some ask for one, to see a client's certificate.
 */
const HANDSHAKES_MAX = 4;

/** 20 to 45 KB each, and 0.4 ms to make one again (measured). */
const CONTEXTS_MAX = 256;

export function createTlsClient({ clock, trust = {} }: { clock: Clock; trust?: TlsTrust | undefined }): TlsClient {
  const { ca } = trust;
  const common = { ...KEY_EXCHANGE, ...(ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] }) };
  const costs = createTlsCosts(clock);
  let plain: Result<OpenContext, string> | null = null;
  /** By identity, in the order of their last use. */
  const byIdentity = new Map<string, Result<OpenContext, string>>();
  const present = (certificate: ClientCertificate): Result<OpenContext, string> => {
    const identity = computeIdentity(certificate);
    const { chain: cert, key } = certificate;
    const context = byIdentity.get(identity) ?? openContext({ ...common, cert, key }, identity);
    byIdentity.delete(identity);
    byIdentity.set(identity, context);
    const [oldest] = byIdentity.keys();
    if (byIdentity.size > CONTEXTS_MAX && oldest !== undefined) byIdentity.delete(oldest);
    return context;
  };
  return {
    clock,
    context: (certificate) => (certificate === null ? (plain ??= openContext(common, "")) : present(certificate)),
    sessions: createTlsSessions({ clock }),
    costs,
    untimed: createUntimedTls(clock, costs),
  };
}

function openContext(options: SecureContextOptions & { key?: string }, identity: string): Result<OpenContext, string> {
  try {
    const slow = options.key === undefined ? null : refuseSlowKey(createPrivateKey(options.key));
    if (slow !== null) return refuse(`its key ${slow}`);
    return ok({ secure: createSecureContext(options), identity });
  } catch (error) {
    return refuse(errorWords(error));
  }
}

/** Asked for each socket; the certificate is the same object for as long as its account does not change. */
const identities = new WeakMap<ClientCertificate, string>();

function computeIdentity(certificate: ClientCertificate): string {
  const known = identities.get(certificate);
  if (known !== undefined) return known;
  const identity = createHash("sha256").update(`${certificate.chain}\n${certificate.key}`).digest("base64url");
  identities.set(certificate, identity);
  return identity;
}

class TooManyHandshakes extends Error {
  override name = "TooManyHandshakes";
  readonly code = "ERR_TLS_RENEGOTIATION" satisfies FailureCode;

  constructor() {
    super(`The receiver asked for more than ${HANDSHAKES_MAX} TLS handshakes on one connection.`);
  }
}

export interface OpenTlsParams {
  readonly client: TlsClient;
  readonly context: OpenContext;
  readonly target: CallTarget;
  /** The account that may resume what this connection leaves. */
  readonly owner: string;
  /** Is compared with an address's certificate. */
  readonly address: string;
  /** Leads to the address already; `null` connects directly. */
  readonly tunnel: Socket | null;
}

export interface OpenedTls {
  /** Emits `secureConnect` once certificate and name are checked. */
  readonly socket: Socket;
  /** Emits `connect`, and knows the address; the same socket where Node has no other. */
  readonly tcp: Socket;
  /** Goes before `secureConnect` and before the socket's own error. */
  readonly findFault: FindFault;
}

export function openTls({ client, context, target, owner, address, tunnel }: OpenTlsParams): OpenedTls {
  const { clock, sessions, costs, untimed } = client;
  // A resumed session has the client that began it: one certificate never resumes another's.
  const key = `${owner} ${target.host}:${target.port} ${context.identity}`;
  const offered = sessions.find(key);
  let checkedUntilMs = offered?.checkedUntilMs ?? 0;
  const isTimed = offered === null || !untimed.takes(owner);
  const tcp = isTimed && tunnel === null ? connectTcp(address, target.port) : tunnel;
  const way = isTimed && tcp !== null ? openMeteredSocket(tcp) : null;
  const stream = way ?? tcp;
  const socket: TLSSocket = connectTls({
    host: address,
    ...(stream === null ? tcpOptions(address, target.port, () => socket) : { socket: stream }),
    secureContext: context.secure,
    ...(offered === null ? {} : { session: offered.bytes }),
    // RFC 6066 §3: SNI carries names only, and without the dot that may end a name in a URL.
    ...(isIP(target.host) === 0 ? { servername: target.host.replace(/\.$/, "") } : {}),
    ALPNProtocols: ["http/1.1"],
    // The default, stated: NODE_TLS_REJECT_UNAUTHORIZED in the environment must not switch it off.
    rejectUnauthorized: true,
    // Node calls this for each certificate that it gets, so not where the receiver resumed the session.
    checkServerIdentity: (name, certificate) => {
      checkedUntilMs = computeCheckedUntil(clock, certificate.valid_to);
      return checkServerIdentity(name, certificate);
    },
  });
  let isChecked = false;
  socket.once("secureConnect", () => {
    isChecked = true;
  });
  let handshakes = 0;
  socket.on("secure", () => {
    handshakes += 1;
    if (handshakes > HANDSHAKES_MAX) socket.destroy(new TooManyHandshakes());
  });
  // The listener has to be there from the start. Node waits with the event until the certificate is checked; that is
  // not left to Node alone.
  socket.on("session", (bytes) => {
    if (isChecked) sessions.keep(key, { bytes, checkedUntilMs });
  });
  const forgetUnlessChecked = () => {
    if (!isChecked) sessions.forget(key);
  };
  // A receiver that stumbles over its session gets a full handshake next: after an error at once, after our deadline.
  socket.once("error", forgetUnlessChecked);
  socket.once("close", forgetUnlessChecked);
  const findFault = way === null ? untimed.watch(owner, socket) : meter({ way, socket, owner, costs });
  return { socket, tcp: tcp ?? socket, findFault };
}
