/**
 * A bridge needs of a NATS server: a connection, a stream, a durable consumer on it, and a stream that keeps the dead
 * letters. Only the consumer is made where it is missing.
 */
import type { ConsumerInfo, JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { BridgeConfig } from "../options.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { BrokerUnusable } from "../port.ts";
import { toOptions } from "./connect-options.ts";
import { toUnusable } from "./failures.ts";

export interface NatsSetUp {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly consumer: ConsumerInfo;
}

/** Guess: three times the longest answer of intake would be too long to wait after a crash. The bridge renews it. */
const ACK_WAIT_MS = secondsMs(30);
const NANOS_PER_MS = 1e6;
/** For all bridges of the consumer together; each has its own maximum. */
const ACK_PENDING_MAX = 100_000;

export async function setUpNats(settings: BridgeConfig): Promise<NatsSetUp> {
  try {
    return await setUp(settings);
  } catch (error) {
    throw toUnusable(error) ?? error;
  }
}

async function setUp(settings: BridgeConfig): Promise<NatsSetUp> {
  const { connect } = await import("@nats-io/transport-node");
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const connection = await connect(await toOptions(settings));
  try {
    const manager = await jetstreamManager(connection);
    await checkStreams(manager, settings);
    const consumer = await findConsumer(manager, settings);
    return { connection, client: jetstream(connection), manager, consumer };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function checkStreams(manager: JetStreamManager, settings: BridgeConfig): Promise<void> {
  const { bridgeSource: stream, bridgeDeadLetters: subject } = settings;
  const { JetStreamApiCodes } = await import("@nats-io/jetstream");
  await manager.streams.info(stream).catch((error: unknown) => {
    if (!hasCode(error, JetStreamApiCodes.StreamNotFound)) throw error;
    throw new BrokerUnusable(
      `NATS has no stream ${stream} (BELLWIRE_BRIDGE_SOURCE). Make it before the bridge starts.`,
    );
  });
  const [letters] = await manager.streams.names(subject).next();
  if (letters === undefined) {
    throw new BrokerUnusable(
      `No stream of NATS keeps the subject ${subject} (BELLWIRE_BRIDGE_DEAD_LETTERS). Make one for it first.`,
    );
  }
  // The bridge would consume its own dead letters, without end.
  if (letters === stream) {
    throw new BrokerUnusable(`The dead letters' subject ${subject} belongs to ${stream} itself; use another stream's.`);
  }
}

async function findConsumer(manager: JetStreamManager, settings: BridgeConfig): Promise<ConsumerInfo> {
  const { bridgeSource: stream, bridgeGroup: name } = settings;
  const { AckPolicy, JetStreamApiCodes } = await import("@nats-io/jetstream");
  const known = await manager.consumers.info(stream, name).catch((error: unknown) => {
    if (hasCode(error, JetStreamApiCodes.ConsumerNotFound)) return null;
    throw error;
  });
  const consumer =
    known ??
    (await manager.consumers.add(stream, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
      max_ack_pending: ACK_PENDING_MAX,
    }));
  const { ack_policy: policy, deliver_subject: pushTo } = consumer.config;
  if (policy !== AckPolicy.Explicit || pushTo !== undefined) {
    throw new BrokerUnusable(`The consumer ${name} of ${stream} must be a pull consumer with ack policy "explicit".`);
  }
  return consumer;
}

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** The time after which the server brings an unacknowledged message again. */
export const ackWaitMs = ({ config: { ack_wait: nanos = ACK_WAIT_MS * NANOS_PER_MS } }: ConsumerInfo): number =>
  nanos / NANOS_PER_MS;
