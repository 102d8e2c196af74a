/**
 * A real RabbitMQ for tests, from Debian's package where it is installed. Its files, its port and the name server of
 * Erlang's nodes (epmd) are its own, so that it touches no RabbitMQ of the machine.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import { startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { type Authority, makeAuthority } from "../servers/certificates.ts";
import { eventually, pause } from "../wait.ts";
import type { TestBroker, TestLetter, TestMessage, TestSource } from "./broker.ts";
import { RABBIT_USER, writeRabbitFiles } from "./rabbitmq-config.ts";
import { createSettingsFiles } from "./settings-files.ts";

/** Not the one in the path, which changes the user. */
const PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const CONTROL = "/usr/lib/rabbitmq/bin/rabbitmqctl";
const EPMD = "/usr/bin/epmd";
const START_MS_MAX = 90_000;

export interface RabbitOptions {
  /** Bridges come over TLS with a name and its password, with secrets and authority in files. */
  readonly isSecured?: boolean;
  /** It answers rabbitmqadmin. */
  readonly isManaged?: boolean;
}

export interface RabbitBroker extends TestBroker {
  /** TLS for callers that sign in; the server also takes the certificates of its authority. */
  readonly securedPort: number;
  readonly authority: Authority;
  readonly url: string;
  readonly managementPort: number | null;
}

export function openRabbitBroker(
  options: RabbitOptions = {},
): { readonly start: () => Promise<RabbitBroker> } | { readonly missing: string } {
  const isThere = existsSync(PROGRAM) && existsSync(EPMD);
  if (!isThere) return { missing: "RabbitMQ was not tested: Debian's package rabbitmq-server is not installed" };
  return { start: () => startRabbit(options) };
}

async function startRabbit({ isSecured = false, isManaged = false }: RabbitOptions): Promise<RabbitBroker> {
  const files = createSettingsFiles();
  const { folder } = files;
  const [port, securedPort, epmdPort, distPort] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const pidFile = join(folder, "pid");
  const authority = makeAuthority("RabbitMQ's CA");
  const managementPort = isManaged ? await freePort() : null;
  writeRabbitFiles(folder, { port, securedPort, managementPort, authority });
  const env = {
    HOME: folder,
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: `bellwire${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: join(folder, "data"),
    RABBITMQ_LOGS: "-",
    RABBITMQ_PID_FILE: pidFile,
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
    RABBITMQ_CONF_ENV_FILE: join(folder, "none"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
  };
  const epmd = startChild({ node: EPMD, args: ["-port", String(epmdPort)], env });
  const url = `amqp://127.0.0.1:${port}`;
  const secrets = { BELLWIRE_BRIDGE_PASSWORD: RABBIT_USER.password, BELLWIRE_BRIDGE_TLS_CA: authority.certificate };
  const way = isSecured
    ? {
        BELLWIRE_BRIDGE_BROKER: `amqps://localhost:${securedPort}`,
        BELLWIRE_BRIDGE_USER: RABBIT_USER.name,
        ...files.toFiles(secrets),
      }
    : { BELLWIRE_BRIDGE_BROKER: url };
  const start = async () => {
    const script = startChild({ node: PROGRAM, args: [], env });
    await eventually("RabbitMQ to take connections", () => answers(url), START_MS_MAX);
    return { script, pid: Number(readFileSync(pidFile, "utf8")) };
  };
  let server = await start();
  // The script waits for the server, which would outlive it.
  const kill = (): void => void tryKill(server.pid);
  process.once("exit", kill);
  const end = async (): Promise<void> => {
    kill();
    await server.script.exited;
  };
  const name = await readVersion(url);
  let sources = 0;
  return {
    name,
    messageBytesMax: 1_000_000,
    securedPort,
    authority,
    url,
    managementPort,
    async createSource() {
      sources += 1;
      return await createRabbitSource({ url, way, control: (args) => control(env, args) }, `s${sources}`);
    },
    async restart(whileAway) {
      await end();
      await whileAway();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await end();
      process.removeListener("exit", kill);
      await epmd[Symbol.asyncDispose]();
      files[Symbol.dispose]();
    },
  };
}

function tryKill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
    return false;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const session = await openSession(url);
    await session[Symbol.asyncDispose]();
    return true;
  } catch {
    // It is still starting.
    return false;
  }
}

async function readVersion(url: string): Promise<string> {
  await using session = await openSession(url);
  return `RabbitMQ ${session.connection.connection.serverProperties.version}`;
}

interface Session extends AsyncDisposable {
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
}

async function openSession(url: string): Promise<Session> {
  const connection = await connect(url);
  // A call that is under way is rejected with the same.
  connection.on("error", () => {});
  const channel = await connection.createConfirmChannel();
  channel.on("error", () => {});
  return { connection, channel, [Symbol.asyncDispose]: () => connection.close().catch(() => {}) };
}

async function control(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<string> {
  const node = ["--quiet", "--node", env["RABBITMQ_NODENAME"] ?? ""];
  await using asked = startChild({ node: CONTROL, args: [...node, ...args], env });
  await asked.exited;
  return asked.out.text;
}

/** AMQP counts only what is in no consumer's hand. */
async function countMessages(ask: Place["control"], queue: string): Promise<number> {
  const text = await ask(["list_queues", "name", "messages", "--formatter", "json"]);
  const queues = JSON.parse(text) as { readonly name: string; readonly messages: number }[];
  return queues.find(({ name }) => name === queue)?.messages ?? Number.NaN;
}

interface Place {
  /** The test's own connections use it. */
  readonly url: string;
  /** A bridge's settings. */
  readonly way: Readonly<Record<string, string>>;
  /** Says what rabbitmqctl prints. */
  readonly control: (args: readonly string[]) => Promise<string>;
}

async function createRabbitSource({ url, way, control: ask }: Place, name: string): Promise<TestSource> {
  const dead = `${name}-dead`;
  {
    await using session = await openSession(url);
    const { channel } = session;
    await channel.assertExchange(name, "topic", { durable: true });
    await channel.assertQueue(name, { durable: true });
    await channel.bindQueue(name, name, "#");
    await channel.assertQueue(dead, { durable: true });
  }
  return {
    env: {
      ...way,
      BELLWIRE_BRIDGE_SOURCE: name,
      BELLWIRE_BRIDGE_DEAD_LETTERS: dead,
      BELLWIRE_BRIDGE_SUBJECT: "{account}.{event}",
    },
    publish: (messages) => publish(url, name, messages),
    deadLetters: () => readLetters(url, dead),
    async removeDeadLetters() {
      await using removing = await openSession(url);
      await removing.channel.deleteQueue(dead);
      return {
        async [Symbol.asyncDispose]() {
          await using making = await openSession(url);
          await making.channel.assertQueue(dead, { durable: true });
        },
      };
    },
    async fillDeadLetters() {
      const full = JSON.stringify({ "max-length": 0, overflow: "reject-publish" });
      await ask(["set_policy", "--apply-to", "queues", dead, `^${dead}$`, full]);
      return { [Symbol.asyncDispose]: async () => void (await ask(["clear_policy", dead])) };
    },
    unacknowledged: () => countMessages(ask, name),
  };
}

/** Resolves when the exchange's queue has them: each is confirmed. */
async function publish(url: string, exchange: string, messages: readonly TestMessage[]): Promise<void> {
  for (let sent = 0; sent < messages.length;) {
    try {
      await using session = await openSession(url);
      for (; sent < messages.length; sent += 1) {
        const message = messages[sent];
        if (message !== undefined) await publishOne(session.channel, exchange, message);
      }
    } catch (error) {
      if (!isAway(error)) throw error;
      await pause(100);
    }
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof Error && /connect|closed|refused|timeout|reset|ended/i.test(`${error.name} ${error.message}`);

function publishOne(channel: ConfirmChannel, exchange: string, message: TestMessage): Promise<void> {
  const { account, event, body, headers: given = {}, isNameless = false } = message;
  const { "content-type": contentType, ...headers } = given;
  const options = { headers, persistent: true, ...(contentType === undefined ? {} : { contentType }) };
  const key = isNameless ? "nameless" : `${account}.${event}`;
  return new Promise((resolve, reject) => {
    channel.once("close", () => reject(new Error("the channel was closed")));
    channel.publish(exchange, key, Buffer.from(body), options, (error: unknown) => {
      channel.removeAllListeners("close");
      if (error === null || error === undefined) resolve();
      else reject(new Error("RabbitMQ did not take a message"));
    });
  });
}

/** The messages stay: what a channel has got and not acknowledged comes back when it ends. */
async function readLetters(url: string, queue: string): Promise<TestLetter[]> {
  await using session = await openSession(url);
  const letters: TestLetter[] = [];
  for (;;) {
    const got = await session.channel.get(queue);
    if (got === false) return letters;
    const headers = Object.entries(got.properties.headers ?? {}).map(([name, value]) => [name, String(value)] as const);
    letters.push({ headers: Object.fromEntries(headers), body: got.content.toString() });
  }
}
