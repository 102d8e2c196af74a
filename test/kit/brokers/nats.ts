/** A real NATS server with JetStream for tests: open to everybody, or with TLS and callers who sign in. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AckPolicy, DiscardPolicy, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import {
  type NatsConnection,
  type NodeConnectionOptions,
  connect,
  credsAuthenticator,
  headers,
} from "@nats-io/transport-node";
import { type Child, startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { makeAuthority } from "../servers/certificates.ts";
import { pause } from "../wait.ts";
import type { OpenBroker, TestBroker, TestLetter, TestMessage, TestSource } from "./broker.ts";
import { NATS_TOKEN, NATS_USER, type NatsServer, createNatsKeys, toConfig } from "./nats-config.ts";
import { findNats } from "./nats-program.ts";
import { type SettingsFiles, createSettingsFiles } from "./settings-files.ts";

/** Short, so that a test need not wait for what a killed bridge had in hand. */
const ACK_WAIT_MS = 2_000;
const NANOS_PER_MS = 1e6;
const GROUP = "bellwire";

export interface NatsOptions {
  /** TLS, and a name with its password; a token instead; or accounts whose users have JWTs. */
  readonly signsBy?: NatsServer["signsBy"];
}

export function openNatsBroker(options: NatsOptions = {}): OpenBroker {
  const found = findNats();
  return "missing" in found ? found : { start: () => startNats(found.path, options) };
}

export interface NatsBroker extends TestBroker {
  /** A user's nkey alone, which a server that signs in by password knows too. */
  readonly seed: string;
  /** Starts it again with another password of its user, or with the one that bridges have. */
  changePassword(password: string | null): Promise<void>;
}

export async function startNats(program: string, { signsBy = "nothing" }: NatsOptions = {}): Promise<NatsBroker> {
  const files = createSettingsFiles();
  const { folder } = files;
  const port = await freePort();
  const server: NatsServer = { port, folder, authority: makeAuthority("NATS's CA"), signsBy, keys: createNatsKeys() };
  const config = join(folder, "server.conf");
  writeFileSync(config, toConfig(server));
  const start = async (): Promise<Child> => {
    const child = startChild({ node: program, args: ["-c", config] });
    await child.err.match(/Server is ready/);
    return child;
  };
  let running = await start();
  let sources = 0;
  const [, version = ""] = await running.err.match(/Version:\s+(\S+)/);
  return {
    name: `NATS ${version}`,
    messageBytesMax: 1_000_000,
    seed: server.keys.seed,
    async createSource() {
      sources += 1;
      const name = `s${sources}`;
      return await createNatsSource({ options: toClientOptions(server), name }, toSettings(server, files));
    },
    async changePassword(password) {
      running.kill("SIGKILL");
      await running.exited;
      writeFileSync(config, toConfig(server, password ?? NATS_USER.password));
      running = await start();
    },
    async restart(whileAway) {
      running.kill("SIGKILL");
      await running.exited;
      await whileAway();
      running = await start();
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      files[Symbol.dispose]();
    },
  };
}

type Settings = Readonly<Record<string, string>>;

/** A bridge's way to the server. */
function toSettings({ port, authority, signsBy, keys }: NatsServer, files: SettingsFiles): Settings {
  if (signsBy === "nothing") return { BELLWIRE_BRIDGE_BROKER: `nats://127.0.0.1:${port}` };
  const ca = { BELLWIRE_BRIDGE_TLS_CA: authority.certificate };
  const place = { BELLWIRE_BRIDGE_BROKER: `tls://localhost:${port}` };
  if (signsBy === "creds") return { ...place, ...files.toFiles({ BELLWIRE_BRIDGE_CREDENTIALS: keys.creds, ...ca }) };
  if (signsBy === "token") return { ...place, BELLWIRE_BRIDGE_USER: NATS_TOKEN, ...files.toFiles(ca) };
  const password = { BELLWIRE_BRIDGE_PASSWORD: NATS_USER.password };
  return { ...place, BELLWIRE_BRIDGE_USER: NATS_USER.name, ...files.toFiles({ ...password, ...ca }) };
}

function toClientOptions({ port, authority, signsBy, keys }: NatsServer): NodeConnectionOptions {
  if (signsBy === "nothing") return { servers: `127.0.0.1:${port}` };
  const secured = { servers: `localhost:${port}`, tls: { ca: authority.certificate } };
  if (signsBy === "token") return { ...secured, token: NATS_TOKEN };
  if (signsBy === "creds") return { ...secured, authenticator: credsAuthenticator(Buffer.from(keys.creds)) };
  return { ...secured, user: NATS_USER.name, pass: NATS_USER.password };
}

interface Place {
  readonly options: NodeConnectionOptions;
  readonly name: string;
}

async function createNatsSource(place: Place, way: Settings): Promise<TestSource> {
  const { options, name } = place;
  await using session = await openSession(options);
  const { manager } = session;
  await manager.streams.add({ name, subjects: [`${name}.>`] });
  const dead = { name: `${name}-dead`, subjects: [`dead-${name}`] };
  await manager.streams.add(dead);
  const ack = { ack_policy: AckPolicy.Explicit, ack_wait: ACK_WAIT_MS * NANOS_PER_MS, max_ack_pending: 100_000 };
  await manager.consumers.add(name, { durable_name: GROUP, ...ack });
  return {
    env: {
      ...way,
      BELLWIRE_BRIDGE_SOURCE: name,
      BELLWIRE_BRIDGE_DEAD_LETTERS: `dead-${name}`,
      BELLWIRE_BRIDGE_SUBJECT: `${name}.{account}.{event}`,
    },
    publish: (messages) => publish(place, messages),
    deadLetters: () => readLetters(place),
    async removeDeadLetters() {
      await using removing = await openSession(options);
      await removing.manager.streams.delete(dead.name);
      return {
        async [Symbol.asyncDispose]() {
          await using making = await openSession(options);
          await making.manager.streams.add(dead);
        },
      };
    },
    async fillDeadLetters() {
      const update = async (limits: {
        readonly max_bytes: number;
        readonly discard?: DiscardPolicy;
      }): Promise<void> => {
        await using changing = await openSession(options);
        await changing.manager.streams.update(dead.name, limits);
      };
      await update({ max_bytes: 1, discard: DiscardPolicy.New });
      return { [Symbol.asyncDispose]: () => update({ max_bytes: -1 }) };
    },
    async unacknowledged() {
      await using asking = await openSession(options);
      const { num_pending: waiting, num_ack_pending: inHand } = await asking.manager.consumers.info(name, GROUP);
      return waiting + inHand;
    },
  };
}

interface Session extends AsyncDisposable {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
}

async function openSession(options: NodeConnectionOptions): Promise<Session> {
  const connection = await connect({ ...options, reconnect: false });
  const manager = await jetstreamManager(connection);
  return { connection, manager, [Symbol.asyncDispose]: () => connection.close() };
}

async function publish({ options, name }: Place, messages: readonly TestMessage[]): Promise<void> {
  for (let sent = 0; sent < messages.length;) {
    try {
      await using session = await openSession(options);
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

async function readLetters({ options, name }: Place): Promise<TestLetter[]> {
  await using session = await openSession(options);
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
