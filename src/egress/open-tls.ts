/**
 * Starts TLS on the way to a checked address, and resumes the session that the same account had with the same receiver.
 * The certificate of a full handshake is checked as ever; a resumed session is one whose certificate was checked.
 */
import { type Socket, isIP } from "node:net";
import { type SecureContext, checkServerIdentity, connect as connectTls, createSecureContext } from "node:tls";
import type { Clock } from "../lib/clock.ts";
import type { CallTarget } from "./call-target.ts";
import type { TlsTrust } from "./connect-outcome.ts";
import { type TlsSessions, computeCheckedUntil, createTlsSessions } from "./tls-sessions.ts";

/** The part of TLS that all sockets of a sender share. Another trust is another client, without any session. */
export interface TlsClient {
  readonly clock: Clock;
  /** Made for the first socket, because reading the authorities takes a while; making one for each costs (measured). */
  readonly context: () => SecureContext;
  readonly sessions: TlsSessions;
}

export function createTlsClient({ clock, trust = {} }: { clock: Clock; trust?: TlsTrust | undefined }): TlsClient {
  const { ca } = trust;
  let context: SecureContext | null = null;
  const open = () => createSecureContext(ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] });
  return { clock, context: () => (context ??= open()), sessions: createTlsSessions({ clock }) };
}

export interface OpenTlsParams {
  readonly client: TlsClient;
  readonly target: CallTarget;
  /** The account that may resume what this connection leaves. */
  readonly owner: string;
  /** How Node reaches the address. */
  readonly tcp: { readonly host: string; readonly port?: number; readonly socket?: Socket };
}

/** A socket that emits `secureConnect` once certificate and name are checked. */
export function openTls({ client, target, owner, tcp }: OpenTlsParams): Socket {
  const { clock, sessions } = client;
  const key = `${owner} ${target.host}:${target.port}`;
  const offered = sessions.find(key);
  let checkedUntilMs = offered?.checkedUntilMs ?? 0;
  const socket = connectTls({
    ...tcp,
    secureContext: client.context(),
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
  return socket;
}
