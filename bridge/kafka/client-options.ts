/** The settings as Kafka's client takes them: brokers, TLS, and how the bridge signs in. */
import type { BaseOptions, SASLOptions } from "@platformatic/kafka";
import type { BridgeConfig } from "../options.ts";
import { BrokerUnusable } from "../port.ts";
import { readTls } from "../tls.ts";

export type KafkaSettings = Pick<
  BridgeConfig,
  "bridgeBroker" | "bridgeUser" | "bridgePassword" | "bridgeSasl" | "bridgeTlsCa" | "bridgeTlsCertificate"
>;

/** `host:port`, with the scheme `kafka` (the default) or `kafkas`, which demands TLS. */
const ADDRESS = /^(?:(?<scheme>kafkas?):\/\/)?(?<host>\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::(?<port>\d{1,5}))?\/?$/i;
const PORT = 9092;
const PORT_MAX = 65_535;

/**
 * The client tries nothing again by itself: each loop of ours does, because only it knows what may have changed
 * meanwhile, such as the partition's owner.
 */
const RETRIES = 0;
/** Beyond the longest time that a broker may think about joining a group. */
const REQUEST_MS = 40_000;
const CONNECT_MS = 5_000;

export function toClientOptions(settings: KafkaSettings): BaseOptions {
  const addresses = settings.bridgeBroker.map(readAddress);
  if (addresses.length === 0) throw new BrokerUnusable("BELLWIRE_BRIDGE_BROKER names no broker, such as kafka:9092");
  const tls = readTls(settings);
  const hasTls = Object.keys(tls).length > 0 || addresses.some(({ isTls }) => isTls);
  const sasl = toSasl(settings);
  return {
    clientId: "bellwire-bridge",
    bootstrapBrokers: addresses.map(({ host, port }) => ({ host, port })),
    retries: RETRIES,
    requestTimeout: REQUEST_MS,
    connectTimeout: CONNECT_MS,
    // Node checks a certificate against the name in its SNI; without one it would check against "localhost".
    ...(hasTls ? { tls, tlsServerName: true } : {}),
    ...(sasl === null ? {} : { sasl }),
  };
}

function readAddress(address: string): { readonly host: string; readonly port: number; readonly isTls: boolean } {
  const { scheme, host, port } = ADDRESS.exec(address)?.groups ?? {};
  const number = Number(port ?? PORT);
  if (host === undefined || number === 0 || number > PORT_MAX) {
    throw new BrokerUnusable(
      "BELLWIRE_BRIDGE_BROKER must name brokers as host:port, kafka://host:port or, with TLS, kafkas://host:port",
    );
  }
  return { host: host.replaceAll(/[[\]]/g, ""), port: number, isTls: scheme?.toLowerCase() === "kafkas" };
}

function toSasl({ bridgeUser, bridgePassword, bridgeSasl }: KafkaSettings): SASLOptions | null {
  if (bridgeUser === "" && bridgePassword === "") return null;
  if (bridgeUser === "" || bridgePassword === "") {
    throw new BrokerUnusable("BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD are set together, or not at all");
  }
  return { mechanism: bridgeSasl, username: bridgeUser, password: bridgePassword };
}
