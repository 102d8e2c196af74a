/** A bridge needs of a RabbitMQ: a connection, a queue, and another queue for the dead letters; it makes neither. */
import type { ChannelModel, ConfirmChannel, ConsumeMessage } from "amqplib";
import type { BridgeConfig } from "../../config/bridge-options.ts";
import { secondsMs } from "../../lib/duration.ts";
import { BrokerUnusable, type SourceContext } from "../port.ts";

/** One connection and its channel; a new one has other delivery tags. */
export interface RabbitSession {
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
  readonly consumerTag: string;
  /** No call of this session's channel is answered any more. */
  isLost: boolean;
}

export interface SessionEvents {
  readonly arrived: (message: ConsumeMessage, session: RabbitSession) => void;
  readonly lost: () => void;
}

const CONNECT_MS = secondsMs(5);
/** A connection that is silent for twice as long is lost. */
const HEARTBEAT_SECONDS = 10;
const NOT_FOUND = 404;

/** Consumes from now on. The address is one of the settings', by turns. */
export async function openSession(context: SourceContext, turn: number, events: SessionEvents): Promise<RabbitSession> {
  const { settings, inHandMax, report } = context;
  const { connect } = await import("amqplib");
  const urls = settings.bridgeBroker.map((address) => toUrl(address, settings));
  const url = urls[turn % urls.length] ?? "";
  const connection = await connect(url, { timeout: CONNECT_MS, noDelay: true, ...toTls(settings) });
  const draft = { connection, isLost: false };
  const lose = (error: unknown): void => {
    if (draft.isLost) return;
    draft.isLost = true;
    report("connection", error ?? new Error("the connection to RabbitMQ is lost"));
    events.lost();
  };
  connection.on("error", lose);
  connection.on("close", lose);
  try {
    await checkQueue(connection, settings.bridgeSource, "BELLWIRE_BRIDGE_SOURCE");
    await checkQueue(connection, settings.bridgeDeadLetters, "BELLWIRE_BRIDGE_DEAD_LETTERS");
    const channel = await connection.createConfirmChannel();
    channel.on("error", lose);
    channel.on("close", () => lose(new Error("RabbitMQ closed the channel")));
    await channel.prefetch(inHandMax);
    const session: RabbitSession = Object.assign(draft, { channel, consumerTag: `bellwire-${turn}` });
    await channel.consume(settings.bridgeSource, (message) => takeOrLose(message, session), {
      consumerTag: session.consumerTag,
    });
    return session;
  } catch (error) {
    draft.isLost = true;
    await connection.close().catch(() => {});
    throw error;
  }

  /** A queue that is deleted sends its consumers nothing. */
  function takeOrLose(message: ConsumeMessage | null, session: RabbitSession): void {
    if (message !== null) events.arrived(message, session);
    else lose(new Error(`RabbitMQ ended the consumer of ${settings.bridgeSource}: was the queue deleted?`));
  }
}

/** RabbitMQ closes the channel of a question about a queue that is not there, so each question has its own. */
async function checkQueue(connection: ChannelModel, queue: string, variable: string): Promise<void> {
  const channel = await connection.createChannel();
  // The rejection says the same.
  channel.on("error", () => {});
  try {
    await channel.checkQueue(queue);
    await channel.close();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === NOT_FOUND)) throw error;
    throw new BrokerUnusable(`RabbitMQ has no queue ${queue} (${variable}). Declare it before the bridge starts.`);
  }
}

/** The text may hold a password, so no message repeats it. */
function toUrl(address: string, settings: BridgeConfig): string {
  const url = URL.parse(address.includes("://") ? address : `amqp://${address}`);
  if (url === null || !/^amqps?:$/.test(url.protocol) || url.hostname === "") {
    throw new BrokerUnusable(
      "BELLWIRE_BRIDGE_BROKER must be like amqp://rabbit.internal:5672/vhost, or amqps://… for TLS.",
    );
  }
  if (settings.bridgeTlsCa !== "" || settings.bridgeTlsCertificate !== "") url.protocol = "amqps:";
  if (settings.bridgeUser !== "") url.username = encodeURIComponent(settings.bridgeUser);
  if (settings.bridgePassword !== "") url.password = encodeURIComponent(settings.bridgePassword);
  if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", String(HEARTBEAT_SECONDS));
  return url.href;
}

function toTls({ bridgeTlsCa: ca, bridgeTlsCertificate: cert, bridgeTlsKey: key }: BridgeConfig) {
  return { ...(ca === "" ? {} : { ca }), ...(cert === "" ? {} : { cert, key }) };
}
