/** A bridge needs of a RabbitMQ: a connection, a queue, and another queue for the dead letters; it makes neither. */
import type { ChannelModel, ConfirmChannel, ConsumeMessage } from "amqplib";
import type { BridgeConfig } from "../options.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { BrokerUnusable, type SourceContext } from "../port.ts";
import { readTls } from "../tls.ts";
import { toUnusable } from "./failures.ts";
import { toPlace } from "./place.ts";

/** One connection and its channel; a new one has other delivery tags. */
export interface RabbitSession {
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
  consumerTag: string;
  /** The most messages that RabbitMQ sends before one is acknowledged. It counts them, whatever their size. */
  prefetch: number;
  /** RabbitMQ still sends, from before it knew of the narrower prefetch; these go back. */
  isNarrowing: boolean;
  readonly take: (message: ConsumeMessage | null) => void;
  /** No call of this session's channel is answered any more. */
  isLost: boolean;
}

export interface SessionEvents {
  readonly arrived: (message: ConsumeMessage, session: RabbitSession) => void;
  readonly lost: () => void;
}

const CONNECT_MS = secondsMs(5);
const NOT_FOUND = 404;

async function connectTo(settings: BridgeConfig, turn: number): Promise<ChannelModel> {
  const { connect, credentials } = await import("amqplib");
  const places = settings.bridgeBroker.map((address) => toPlace(address, settings));
  const { url = "", signsByCertificate = false } = places[turn % places.length] ?? {};
  const signIn = signsByCertificate ? { credentials: credentials.external() } : {};
  try {
    return await connect(url, { timeout: CONNECT_MS, noDelay: true, ...readTls(settings), ...signIn });
  } catch (error) {
    throw toUnusable(error) ?? error;
  }
}

/** Consumes from now on. The address is one of the settings', by turns. */
export async function openSession(context: SourceContext, turn: number, events: SessionEvents): Promise<RabbitSession> {
  const { settings, inHandMax, report } = context;
  const connection = await connectTo(settings, turn);
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
    const start = { consumerTag: `bellwire-${turn}`, prefetch: inHandMax, isNarrowing: false };
    const take = (message: ConsumeMessage | null): void => {
      if (message !== null) events.arrived(message, session);
      // A queue that is deleted sends its consumers nothing.
      else lose(new Error(`RabbitMQ ended the consumer of ${settings.bridgeSource}: was the queue deleted?`));
    };
    const session: RabbitSession = Object.assign(draft, { channel, take, ...start });
    await consume(session, settings.bridgeSource);
    return session;
  } catch (error) {
    draft.isLost = true;
    await connection.close().catch(() => {});
    throw toUnusable(error) ?? error;
  }
}

/** A channel's prefetch is that of the consumers that begin after it. */
async function consume({ channel, consumerTag, prefetch, take }: RabbitSession, queue: string): Promise<void> {
  await channel.prefetch(prefetch);
  await channel.consume(queue, take, { consumerTag });
}

/** Another consumer takes the first one's place. The caller returns all that the first one still brings meanwhile. */
export async function narrow(session: RabbitSession, queue: string, prefetch: number): Promise<void> {
  if (session.isNarrowing || prefetch >= session.prefetch) return;
  session.isNarrowing = true;
  try {
    await session.channel.cancel(session.consumerTag);
    session.prefetch = prefetch;
    session.consumerTag = `${session.consumerTag}-${prefetch}`;
    session.isNarrowing = false;
    await consume(session, queue);
  } catch {
    // A lost channel says so by itself, and the next pull opens another one.
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
