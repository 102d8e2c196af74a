/** The settings as RabbitMQ's client takes them: an address, with TLS or without, and how the bridge signs in there. */
import type { BridgeConfig } from "../options.ts";
import { BrokerUnusable } from "../port.ts";
import { type TlsSettings, readTls } from "../tls.ts";

export type RabbitSettings = Pick<BridgeConfig, "bridgeUser" | "bridgePassword"> & TlsSettings;

export interface RabbitPlace {
  readonly url: string;
  /** There is a certificate and no name: RabbitMQ's plug-in for that (mechanism EXTERNAL) finds the user. */
  readonly signsByCertificate: boolean;
}

/** A connection that is silent for twice as long is lost. */
const HEARTBEAT_SECONDS = 10;

/** The text may hold a password, so no message repeats it. */
export function toPlace(address: string, settings: RabbitSettings): RabbitPlace {
  const url = URL.parse(address.includes("://") ? address : `amqp://${address}`);
  if (url === null || !/^amqps?:$/.test(url.protocol) || url.hostname === "") {
    throw new BrokerUnusable(
      "BELLWIRE_BRIDGE_BROKER must be like amqp://rabbit.internal:5672/vhost, or amqps://… for TLS.",
    );
  }
  const tls = readTls(settings);
  if (Object.keys(tls).length > 0) url.protocol = "amqps:";
  if (settings.bridgeUser !== "") url.username = encodeURIComponent(settings.bridgeUser);
  if (settings.bridgePassword !== "") url.password = encodeURIComponent(settings.bridgePassword);
  if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", String(HEARTBEAT_SECONDS));
  return { url: url.href, signsByCertificate: tls.cert !== undefined && url.username === "" };
}
