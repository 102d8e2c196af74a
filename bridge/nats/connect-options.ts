/** The settings as NATS's client takes them: servers, TLS, and how the bridge signs in. */
import type { Authenticator, NodeConnectionOptions } from "@nats-io/transport-node";
import type { BridgeConfig } from "../options.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { BrokerUnusable } from "../port.ts";
import { type TlsSettings, readTls } from "../tls.ts";

export type NatsSettings = Pick<BridgeConfig, "bridgeBroker" | "bridgeUser" | "bridgePassword" | "bridgeCredentials"> &
  TlsSettings;

const CONNECT_MS = secondsMs(5);
const RECONNECT_MS = secondsMs(1);

export async function toOptions(settings: NatsSettings): Promise<NodeConnectionOptions> {
  const urls = settings.bridgeBroker.map(parseAddress);
  const tls = readTls(settings);
  const hasTls = Object.keys(tls).length > 0 || urls.some(({ protocol }) => protocol === "tls:");
  return {
    name: "bellwire bridge",
    servers: urls.map(({ host }) => host),
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    // A password may be changed on the server while the bridge runs, and then back.
    ignoreAuthErrorAbort: true,
    ...(await toCredentials(settings, urls[0])),
    ...(hasTls ? { tls } : {}),
  };
}

/** The text may hold a password, so no message repeats it. */
function parseAddress(address: string): URL {
  const url = URL.parse(address.includes("://") ? address : `nats://${address}`);
  if (url !== null && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== "") return url;
  throw new BrokerUnusable("BELLWIRE_BRIDGE_BROKER must be like nats://nats.internal:4222, or tls://… for TLS.");
}

async function toCredentials(settings: NatsSettings, first: URL | undefined): Promise<NodeConnectionOptions> {
  const { bridgeUser, bridgePassword, bridgeCredentials: text } = settings;
  if (text !== "") return { authenticator: await readCredentials(text.trim()) };
  const user = bridgeUser || decode(first?.username);
  const password = bridgePassword || decode(first?.password);
  if (user === "") return {};
  return password === "" ? { token: user } : { user, pass: password };
}

function decode(part = ""): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new BrokerUnusable("BELLWIRE_BRIDGE_BROKER has a % in its name or password that is not followed by a code.");
  }
}

const SEED = /^SU[A-Z2-7]{56}$/;
const CREDS = /-----BEGIN NATS USER JWT-----[\s\S]+-----BEGIN USER NKEY SEED-----\s*SU[A-Z2-7]{56}\s/;

/** A user's nkey alone, for a server that lists it, or a file with a JWT and its key. */
async function readCredentials(text: string): Promise<Authenticator> {
  const { credsAuthenticator, nkeyAuthenticator } = await import("@nats-io/transport-node");
  if (SEED.test(text)) return nkeyAuthenticator(Buffer.from(text));
  // The client finds the key only before a line break, which settings lose at their end.
  if (CREDS.test(text)) return credsAuthenticator(Buffer.from(`${text}\n`));
  throw new BrokerUnusable(
    "BELLWIRE_BRIDGE_CREDENTIALS must be the content of a .creds file, or the seed of a user's nkey (SU and 56 more)",
  );
}
