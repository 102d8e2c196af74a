/**
 * A server that speaks SQS's protocol for the bridge's tests: moto. It keeps its queues in memory, so it is not killed:
 * a proxy before it cuts every connection instead, which is what a bridge sees of an outage.
 */
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { startTcpProxy } from "../servers/tcp-proxy.ts";
import { pause } from "../wait.ts";
import type { OpenBroker, TestBroker, TestLetter, TestMessage, TestSource } from "./broker.ts";
import { MOTO_VERSION, findMoto } from "./moto-program.ts";

/** Any name and password do. */
export const SQS_USER = { name: "bridge", password: "bridge secret" };
const REGION = "us-east-1";
/** Short, so that a test need not wait for what a killed bridge had in hand. */
const VISIBILITY_S = "5";
const ENTRIES_MAX = 10;

export interface SqsOptions {
  /** Queues that keep the order of a group; the group is a message's account. */
  readonly isFifo?: boolean;
}

export async function openSqsBroker(options: SqsOptions = {}): Promise<OpenBroker> {
  const found = await findMoto();
  return "missing" in found ? found : { start: () => startSqs(found.command, options) };
}

async function startSqs(
  [program, ...args]: readonly [string, ...string[]],
  { isFifo = false }: SqsOptions,
): Promise<TestBroker> {
  const port = await freePort();
  const server = startChild({ node: program, args: [...args, "-H", "127.0.0.1", "-p", String(port)] });
  await server.err.match(/Running on/);
  const proxy = await startTcpProxy(port);
  const client = connect(`http://127.0.0.1:${port}`);
  let sources = 0;
  return {
    name: `moto ${MOTO_VERSION}${isFifo ? ", FIFO queues" : ""}`,
    // moto's threads may give one message to two polls at once.
    mayRepeat: !isFifo,
    async createSource() {
      sources += 1;
      return await createSqsSource({ client, address: proxy.url, isFifo }, `s${sources}`);
    },
    async restart(whileAway) {
      proxy.weather = { kind: "reset" };
      await whileAway();
      proxy.weather = { kind: "clear" };
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const connect = (endpoint: string): SQSClient =>
  new SQSClient({
    endpoint,
    region: REGION,
    credentials: { accessKeyId: SQS_USER.name, secretAccessKey: SQS_USER.password },
  });

interface Place {
  readonly client: SQSClient;
  /** The bridge's way to the server. */
  readonly address: string;
  readonly isFifo: boolean;
}

async function createSqsSource({ client, address, isFifo }: Place, name: string): Promise<TestSource> {
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
      BELLWIRE_BRIDGE_USER: SQS_USER.name,
      BELLWIRE_BRIDGE_PASSWORD: SQS_USER.password,
    },
    publish: (messages) => publish({ client, queue: source, isFifo }, messages),
    async deadLetters() {
      letters.push(...(await takeLetters(client, dead)));
      return letters;
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
  for (let sent = 0; sent < messages.length; sent += ENTRIES_MAX) {
    const entries = messages.slice(sent, sent + ENTRIES_MAX).map((message) => {
      published += 1;
      const order = { MessageGroupId: message.account, MessageDeduplicationId: String(published) };
      return { Id: String(published), ...toBody(message), ...(isFifo ? order : {}) };
    });
    await client.send(new SendMessageBatchCommand({ QueueUrl: queue, Entries: entries }));
    // Leaves the bridges their turn at a server that has one thread for Python.
    await pause(1);
  }
}

function toBody({ account, event, body, headers = {}, isNameless = false }: TestMessage) {
  const names = isNameless ? {} : { "Bellwire-Account": account, "Bellwire-Event": event };
  const attributes = Object.entries({ ...names, ...headers });
  return {
    // SQS takes no empty body.
    MessageBody: body === "" ? " " : body,
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
