/** Queues for the bridge's tests, on the server that speaks SQS's protocol and can run here. */
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { startTlsFront } from "../servers/tls-front.ts";
import { pause } from "../wait.ts";
import type { OpenBroker, TestBroker, TestLetter, TestMessage, TestSource } from "./broker.ts";
import { findElasticMq, startElasticMq } from "./elasticmq.ts";
import { startMoto } from "./moto.ts";
import { findMoto } from "./moto-program.ts";
import { type SettingsFiles, createSettingsFiles } from "./settings-files.ts";
import type { SqsServer } from "./sqs-server.ts";

/** Any name and password do. */
export const SQS_USER = { name: "bridge", password: "bridge secret" };
const REGION = "us-east-1";
/** Short, so that a test need not wait for what a killed bridge had in hand. */
const VISIBILITY_S = "5";
const ENTRIES_MAX = 10;

export interface SqsOptions {
  /** Queues that keep the order of a group; the group is a message's account. */
  readonly isFifo?: boolean;
  /** Over https, with secrets and authority in files. */
  readonly isSecured?: boolean;
}

export async function openSqsBroker(options: SqsOptions = {}): Promise<OpenBroker> {
  const found = await findSqsServer();
  if ("missing" in found) return found;
  return { start: async () => await startSqs(await found.start(), options) };
}

/** ElasticMQ, which stores messages, or else moto, which does not. */
export async function findSqsServer(): Promise<
  { readonly start: () => Promise<SqsServer> } | { readonly missing: string }
> {
  const elastic = findElasticMq();
  if ("jars" in elastic) return { start: () => startElasticMq(elastic.jars) };
  const moto = await findMoto();
  if ("command" in moto) return { start: () => startMoto(moto.command) };
  return { missing: `SQS was not tested: ${elastic.missing}; ${moto.missing}` };
}

export async function startSqs(
  server: SqsServer,
  { isFifo = false, isSecured = false }: SqsOptions,
): Promise<TestBroker> {
  await using starting = new AsyncDisposableStack();
  starting.use(server);
  const client = connect(server.url);
  starting.defer(() => client.destroy());
  const files = starting.use(createSettingsFiles());
  const front = isSecured ? starting.use(await startTlsFront(server.port)) : null;
  const reached =
    front === null
      ? { address: server.url, env: {} }
      : { address: `https://localhost:${front.port}`, env: { BELLWIRE_BRIDGE_TLS_CA: front.authority } };
  let sources = 0;
  const started = starting.move();
  return {
    name: `${server.name}${isFifo ? ", FIFO queues" : ""}`,
    mayRepeat: server.mayRepeat && !isFifo,
    isText: true,
    // ElasticMQ keeps to what SQS took until 2025.
    messageBytesMax: 200_000,
    async createSource() {
      sources += 1;
      return await createSqsSource({ client, isFifo, files, ...reached }, `s${sources}`);
    },
    restart: (whileAway) => server.restart(whileAway),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

const connect = (endpoint: string): SQSClient =>
  new SQSClient({
    endpoint,
    region: REGION,
    credentials: { accessKeyId: SQS_USER.name, secretAccessKey: SQS_USER.password },
    // A call that is repeated stores its messages twice, which SQS itself does too.
    maxAttempts: 8,
  });

interface Place {
  readonly client: SQSClient;
  /** The bridge's way to the server. */
  readonly address: string;
  readonly isFifo: boolean;
  readonly files: SettingsFiles;
  readonly env: Readonly<Record<string, string>>;
}

async function createSqsSource({ client, address, isFifo, files, env }: Place, name: string): Promise<TestSource> {
  const ending = isFifo ? ".fifo" : "";
  const create = async (queue: string): Promise<string> => {
    const attributes = { VisibilityTimeout: VISIBILITY_S, ...(isFifo ? { FifoQueue: "true" } : {}) };
    const { QueueUrl: url = "" } = await client.send(
      new CreateQueueCommand({ QueueName: queue, Attributes: attributes }),
    );
    return url;
  };
  const source = await create(`${name}${ending}`);
  const dead = await create(`${name}-dead${ending}`);
  const letters: TestLetter[] = [];
  return {
    env: {
      BELLWIRE_BRIDGE_BROKER: `${REGION},${address}`,
      BELLWIRE_BRIDGE_SOURCE: `${name}${ending}`,
      BELLWIRE_BRIDGE_DEAD_LETTERS: `${name}-dead${ending}`,
      ...files.toFiles({ BELLWIRE_BRIDGE_PASSWORD: SQS_USER.password, ...env }),
      BELLWIRE_BRIDGE_USER: SQS_USER.name,
    },
    publish: (messages) => publish({ client, queue: source, isFifo }, messages),
    async deadLetters() {
      letters.push(...(await takeLetters(client, dead)));
      return letters;
    },
    async removeDeadLetters() {
      await client.send(new DeleteQueueCommand({ QueueUrl: dead }));
      return { [Symbol.asyncDispose]: async () => void (await create(`${name}-dead${ending}`)) };
    },
    async unacknowledged() {
      const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
      const asked = new GetQueueAttributesCommand({ QueueUrl: source, AttributeNames: [...names] });
      const { Attributes: counts = {} } = await client.send(asked);
      return names.reduce((sum, each) => sum + Number(counts[each]), 0);
    },
  };
}

interface Queue {
  readonly client: SQSClient;
  readonly queue: string;
  readonly isFifo: boolean;
}

let published = 0;

async function publish({ client, queue, isFifo }: Queue, messages: readonly TestMessage[]): Promise<void> {
  // Ten large ones are more than a call may have.
  const atOnce = messages.some(({ body }) => body.length > 20_000) ? 1 : ENTRIES_MAX;
  for (let sent = 0; sent < messages.length; sent += atOnce) {
    const entries = messages.slice(sent, sent + atOnce).map((message) => {
      published += 1;
      const order = { MessageGroupId: message.account, MessageDeduplicationId: String(published) };
      return { Id: String(published), ...toBody(message), ...(isFifo ? order : {}) };
    });
    await sendAll(client, new SendMessageBatchCommand({ QueueUrl: queue, Entries: entries }));
    // Leaves the bridges their turn at a server that has one thread for Python.
    await pause(1);
  }
}

/** Tries again while the server is away. */
async function sendAll(client: SQSClient, command: SendMessageBatchCommand): Promise<void> {
  for (;;) {
    try {
      const { Failed: failed = [] } = await client.send(command);
      if (failed.length === 0) return;
    } catch (error) {
      if (!(error instanceof Error) || !/ECONN|socket|aborted|timeout|hang up/i.test(`${error.name} ${error}`))
        throw error;
    }
    await pause(100);
  }
}

function toBody({ account, event, body, headers = {}, isNameless = false }: TestMessage) {
  const names = isNameless ? {} : { "Bellwire-Account": account, "Bellwire-Event": event };
  const attributes = Object.entries({ ...names, ...headers });
  return {
    // SQS takes no empty body.
    MessageBody: body.length === 0 ? " " : String(body),
    MessageAttributes: Object.fromEntries(
      attributes.map(([name, text]) => [name, { DataType: "String", StringValue: text }]),
    ),
  };
}

/** Letters leave their queue when they are read. */
async function takeLetters(client: SQSClient, queue: string): Promise<TestLetter[]> {
  const letters: TestLetter[] = [];
  for (;;) {
    const asked = { QueueUrl: queue, MaxNumberOfMessages: ENTRIES_MAX, MessageAttributeNames: ["All"] };
    const { Messages: found = [] } = await client.send(new ReceiveMessageCommand(asked));
    if (found.length === 0) return letters;
    letters.push(...found.map(toLetter));
    const entries = found.map(({ ReceiptHandle }, place) => ({
      Id: String(place),
      ReceiptHandle: ReceiptHandle ?? "",
    }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue, Entries: entries }));
  }
}

function toLetter({ Body: body = "", MessageAttributes: attributes = {} }: Message): TestLetter {
  const headers = Object.entries(attributes).map(([name, { StringValue: text = "" }]) => [name, text]);
  return { headers: Object.fromEntries(headers) as Record<string, string>, body };
}
