/**
 * A bridge needs of a NATS server: a connection, a stream, a durable consumer on it, and a stream that keeps the dead
 * letters. Only the consumer is made where it is missing.
 */
import type { ConsumerInfo, JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import type { BridgeConfig } from "../../config/bridge-options.ts";
import { secondsMs } from "../../lib/duration.ts";
import { BrokerUnusable } from "../port.ts";

export interface NatsSetUp {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly consumer: ConsumerInfo;
}

const CONNECT_MS = secondsMs(5);
const RECONNECT_MS = secondsMs(1);
/** Guess: three times the longest answer of intake would be too long to wait after a crash. The bridge renews it. */
const ACK_WAIT_MS = secondsMs(30);
const NANOS_PER_MS = 1e6;
/** For all bridges of the consumer together; each has its own maximum. */
const ACK_PENDING_MAX = 100_000;

export async function setUpNats(settings: BridgeConfig): Promise<NatsSetUp> {
  const { connect, credsAuthenticator } = await import("@nats-io/transport-node");
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const { bridgeCredentials: credentials } = settings;
  const signIn = credentials === "" ? {} : { authenticator: credsAuthenticator(Buffer.from(credentials)) };
  const connection = await connect({ ...toOptions(settings), ...signIn });
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

function toOptions(settings: BridgeConfig): NodeConnectionOptions {
  const urls = settings.bridgeBroker.map(parseAddress);
  const [first] = urls;
  const user = settings.bridgeUser || decodeURIComponent(first?.username ?? "");
  const password = settings.bridgePassword || decodeURIComponent(first?.password ?? "");
  const { bridgeTlsCa: ca, bridgeTlsCertificate: cert, bridgeTlsKey: key } = settings;
  const hasTls = ca !== "" || cert !== "" || urls.some(({ protocol }) => protocol === "tls:");
  const tls = { ...(ca === "" ? {} : { ca }), ...(cert === "" ? {} : { cert, key }) };
  return {
    name: "bellwire bridge",
    servers: urls.map(({ host }) => host),
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    // A password may be changed on the server while the bridge runs, and then back.
    ignoreAuthErrorAbort: true,
    ...(user === "" ? {} : password === "" ? { token: user } : { user, pass: password }),
    ...(hasTls ? { tls } : {}),
  };
}

/** The text may hold a password, so no message repeats it. */
function parseAddress(address: string): URL {
  const url = URL.parse(address.includes("://") ? address : `nats://${address}`);
  if (url !== null && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== "") return url;
  throw new BrokerUnusable("BELLWIRE_BRIDGE_BROKER must be like nats://nats.internal:4222, or tls://… for TLS.");
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
