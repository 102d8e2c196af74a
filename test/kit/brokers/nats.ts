/** A real NATS server with JetStream for tests. */
import { AckPolicy, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { type NatsConnection, connect, headers } from "@nats-io/transport-node";
import { newFolder } from "../folder.ts";
import { type Child, startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { pause } from "../wait.ts";
import type { OpenBroker, TestBroker, TestLetter, TestMessage, TestSource } from "./broker.ts";
import { findNats } from "./nats-program.ts";

/** Short, so that a test need not wait for what a killed bridge had in hand. */
const ACK_WAIT_MS = 2_000;
const NANOS_PER_MS = 1e6;
const GROUP = "bellwire";

export interface NatsOptions {
  /** Further arguments of the server, such as a name and password. */
  readonly args?: readonly string[];
}

export function openNatsBroker(options: NatsOptions = {}): OpenBroker {
  const found = findNats();
  return "missing" in found ? found : { start: () => startNats(found.path, options) };
}

export async function startNats(program: string, { args = [] }: NatsOptions = {}): Promise<TestBroker> {
  const folder = newFolder();
  const port = await freePort();
  const flags = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder.path, ...args];
  const start = async (): Promise<Child> => {
    const child = startChild({ node: program, args: flags });
    await child.err.match(/Server is ready/);
    return child;
  };
  let server = await start();
  let sources = 0;
  const [, version = ""] = await server.err.match(/Version:\s+(\S+)/);
  return {
    name: `NATS ${version}`,
    async createSource() {
      sources += 1;
      return await createNatsSource({ url: `nats://127.0.0.1:${port}`, name: `s${sources}` });
    },
    async restart(whileAway) {
      server.kill("SIGKILL");
      await server.exited;
      await whileAway();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

interface Place {
  readonly url: string;
  readonly name: string;
}

async function createNatsSource(place: Place): Promise<TestSource> {
  const { url, name } = place;
  await using session = await openSession(url);
  const { manager } = session;
  await manager.streams.add({ name, subjects: [`${name}.>`] });
  await manager.streams.add({ name: `${name}-dead`, subjects: [`dead-${name}`] });
  const ack = { ack_policy: AckPolicy.Explicit, ack_wait: ACK_WAIT_MS * NANOS_PER_MS, max_ack_pending: 100_000 };
  await manager.consumers.add(name, { durable_name: GROUP, ...ack });
  return {
    env: {
      BELLWIRE_BRIDGE_BROKER: url,
      BELLWIRE_BRIDGE_SOURCE: name,
      BELLWIRE_BRIDGE_DEAD_LETTERS: `dead-${name}`,
      BELLWIRE_BRIDGE_SUBJECT: `${name}.{account}.{event}`,
    },
    publish: (messages) => publish(place, messages),
    deadLetters: () => readLetters(place),
    async unacknowledged() {
      await using asking = await openSession(url);
      const { num_pending: waiting, num_ack_pending: inHand } = await asking.manager.consumers.info(name, GROUP);
      return waiting + inHand;
    },
  };
}

interface Session extends AsyncDisposable {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
}

async function openSession(url: string): Promise<Session> {
  const connection = await connect({ servers: url, reconnect: false });
  const manager = await jetstreamManager(connection);
  return { connection, manager, [Symbol.asyncDispose]: () => connection.close() };
}

async function publish({ url, name }: Place, messages: readonly TestMessage[]): Promise<void> {
  for (let sent = 0; sent < messages.length;) {
    try {
      await using session = await openSession(url);
      const client = jetstream(session.connection);
      for (; sent < messages.length; sent += 1) {
        const message = messages[sent];
        if (message !== undefined) await client.publish(subjectOf(name, message), message.body, sentWith(message));
      }
    } catch (error) {
      if (!isAway(error)) throw error;
      await pause(100);
    }
  }
}

const subjectOf = (name: string, { account, event, isNameless = false }: TestMessage): string =>
  isNameless ? `${name}.nameless` : `${name}.${account}.${event}`;

function sentWith({ headers: given = {} }: TestMessage) {
  const sent = headers();
  for (const [header, value] of Object.entries(given)) sent.set(header, value);
  return { headers: sent, timeout: 5_000 };
}

const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  /connect|closed|refused|reset|pipe|timeout|disconnect|responders/i.test(`${error.name} ${error.message}`);

async function readLetters({ url, name }: Place): Promise<TestLetter[]> {
  await using session = await openSession(url);
  const { state } = await session.manager.streams.info(`${name}-dead`);
  const letters: TestLetter[] = [];
  for (let seq = 1; seq <= state.last_seq; seq += 1) {
    const stored = await session.manager.streams.getMessage(`${name}-dead`, { seq });
    if (stored === null) continue;
    const pairs = [...(stored.header ?? [])].map(([header, values]) => [header, values[0] ?? ""] as const);
    letters.push({ headers: Object.fromEntries(pairs), body: Buffer.from(stored.data).toString() });
  }
  return letters;
}
