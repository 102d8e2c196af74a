/** A real Kafka for the bridge's tests. Each source is a topic of several partitions, with a topic for dead letters. */
import { Admin, ConfigResourceTypes, Consumer, Producer, type MessageToProduce } from "@platformatic/kafka";
import { eventually, pause } from "../wait.ts";
import type { OpenBroker, TestBroker, TestLetter, TestMessage, TestSource } from "./broker.ts";
import { findKafka } from "./kafka-program.ts";
import { KAFKA_USER, type KafkaServer, startKafkaServer } from "./kafka-server.ts";
import { createSettingsFiles } from "./settings-files.ts";

const GROUP = "bellwire";
const PARTITIONS = 4;
const LATEST = -1n;
const ALL_REPLICAS = -1;

export interface KafkaOptions {
  /** Bridges come over TLS with a name and its password, with secrets and authority in files. */
  readonly isSecured?: boolean;
}

export function openKafkaBroker(options: KafkaOptions = {}): OpenBroker {
  const found = findKafka();
  return "missing" in found ? found : { start: () => startKafka(found.jars, options) };
}

export interface KafkaBroker extends TestBroker {
  readonly server: KafkaServer;
  createSource(): Promise<KafkaSource>;
}

export interface KafkaSource extends TestSource {
  readonly topic: string;
  /** As `publish`, into one partition each. */
  publishTo(partition: number, messages: readonly TestMessage[]): Promise<void>;
  /** Into one partition, by one producer, each a transaction. */
  publishInTransactions(partition: number, transactions: readonly TestTransaction[]): Promise<void>;
}

export interface TestTransaction {
  readonly messages: readonly TestMessage[];
  readonly isAborted: boolean;
}

export async function startKafka(jars: string, { isSecured = false }: KafkaOptions = {}): Promise<KafkaBroker> {
  const server = await startKafkaServer(jars);
  const files = createSettingsFiles();
  const secrets = { BELLWIRE_BRIDGE_PASSWORD: KAFKA_USER.password, BELLWIRE_BRIDGE_TLS_CA: server.authority };
  const way = isSecured
    ? {
        BELLWIRE_BRIDGE_BROKER: `kafkas://${server.protectedAddress}`,
        BELLWIRE_BRIDGE_USER: KAFKA_USER.name,
        ...files.toFiles(secrets),
      }
    : { BELLWIRE_BRIDGE_BROKER: server.address };
  let sources = 0;
  return {
    name: "Kafka 3.9.1",
    messageBytesMax: 900_000,
    server,
    async createSource() {
      sources += 1;
      return await createKafkaSource(server.address, way, `s${sources}`);
    },
    async restart(whileAway) {
      await server.crash();
      await whileAway();
      await server.start();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      files[Symbol.dispose]();
    },
  };
}

type Settings = Readonly<Record<string, string>>;

async function createKafkaSource(address: string, way: Settings, topic: string): Promise<KafkaSource> {
  const dead = `${topic}-dead`;
  await using admin = closing(new Admin(toOptions(address)));
  await admin.client.createTopics({ topics: [topic], partitions: PARTITIONS, replicas: 1 });
  // One partition: the suite reads letters in their order.
  await admin.client.createTopics({ topics: [dead], partitions: 1, replicas: 1 });
  await untilLed(address, topic, PARTITIONS);
  await untilLed(address, dead, 1);
  const send = async (messages: readonly TestMessage[], partition: number | null): Promise<void> => {
    await publish(
      address,
      messages.map((message) => toRecord(topic, message, partition)),
    );
  };
  return {
    topic,
    env: {
      ...way,
      BELLWIRE_BRIDGE_SOURCE: topic,
      BELLWIRE_BRIDGE_DEAD_LETTERS: dead,
    },
    publish: (messages) => send(messages, null),
    publishTo: (partition, messages) => send(messages, partition),
    async publishInTransactions(partition, transactions) {
      const options = { ...toOptions(address), acks: ALL_REPLICAS, idempotent: true, transactionalId: topic };
      await using producer = closing(new Producer(options));
      for (const { messages, isAborted } of transactions) {
        const transaction = await producer.client.beginTransaction();
        for (const each of messages) await transaction.send({ messages: [toRecord(topic, each, partition)] });
        await (isAborted ? transaction.abort() : transaction.commit());
      }
    },
    deadLetters: () => readLetters(address, dead),
    async removeDeadLetters() {
      await using removing = closing(new Admin(toOptions(address)));
      await removing.client.deleteTopics({ topics: [dead] });
      return {
        async [Symbol.asyncDispose]() {
          await using making = closing(new Admin(toOptions(address)));
          await making.client.createTopics({ topics: [dead], partitions: 1, replicas: 1 });
        },
      };
    },
    async fillDeadLetters() {
      // Kafka has no topic that is full: one that takes no message of any size refuses in the same way.
      const setBytesMax = async (bytes: number): Promise<void> => {
        await using changing = closing(new Admin(toOptions(address)));
        await changing.client.alterConfigs({ resources: [toConfig(dead, "max.message.bytes", `${bytes}`)] });
      };
      await setBytesMax(1);
      return { [Symbol.asyncDispose]: () => setBytesMax(1_048_588) };
    },
    unacknowledged: () => countUncommitted(address, topic),
  };
}

const toConfig = (topic: string, name: string, value: string) => ({
  resourceType: ConfigResourceTypes.TOPIC,
  resourceName: topic,
  configs: [{ name, value }],
});

/**
 * A topic is there before each of its partitions has a leader. A client that publishes then gets some of its messages
 * in, is refused the others, and sends all of them again: tests that count messages would count these twice.
 */
async function untilLed(address: string, topic: string, count: number): Promise<void> {
  await using reader = closing(new Consumer({ ...toOptions(address), groupId: "leaders" }));
  await eventually(`all partitions of ${topic} to be led`, async () => {
    const offsets = reader.client.listOffsets({ topics: [topic], timestamp: LATEST });
    return await offsets.then(
      (ends) => (ends.get(topic) ?? []).filter((end) => end !== undefined).length === count,
      () => false,
    );
  });
}

const toOptions = (address: string) => ({
  clientId: "tests",
  bootstrapBrokers: [address],
  retries: 5,
  retryDelay: 200,
});

function closing<Client extends { close(): Promise<void> }>(client: Client) {
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

function toRecord(topic: string, message: TestMessage, partition: number | null): MessageToProduce {
  const { account, event, headers = {}, isNameless = false } = message;
  const names = isNameless ? {} : { "Bellwire-Account": account, "Bellwire-Event": event };
  const pairs = Object.entries({ ...names, ...headers });
  return {
    topic,
    ...(partition === null ? {} : { partition }),
    value: Buffer.from(message.body),
    headers: new Map(pairs.map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
  };
}

const PUBLISHED_AT_ONCE = 50;

async function publish(address: string, records: readonly MessageToProduce[]): Promise<void> {
  // Large ones that go together are more than a batch may have.
  const atOnce = records.some(({ value }) => (value?.length ?? 0) > 20_000) ? 1 : PUBLISHED_AT_ONCE;
  for (let sent = 0; sent < records.length;) {
    await using producer = closing(new Producer({ ...toOptions(address), acks: ALL_REPLICAS }));
    try {
      for (; sent < records.length; sent += atOnce) {
        await producer.client.send({ messages: records.slice(sent, sent + atOnce) });
      }
    } catch (error) {
      if (!(error instanceof Error) || !/failed|closed|connect|timed out/i.test(error.message)) throw error;
      await pause(100);
    }
  }
}

async function readLetters(address: string, dead: string): Promise<TestLetter[]> {
  await using reader = closing(new Consumer({ ...toOptions(address), groupId: "letters" }));
  reader.client.topics.track(dead);
  const [end = 0n] = (await reader.client.listOffsets({ topics: [dead], timestamp: LATEST })).get(dead) ?? [];
  const { topics } = await reader.client.metadata({ topics: [dead] });
  const { id = "", partitions = [] } = topics.get(dead) ?? {};
  const letters: TestLetter[] = [];
  for (let fetchOffset = 0n; fetchOffset < end;) {
    const asked = { partition: 0, fetchOffset, partitionMaxBytes: 1e7, currentLeaderEpoch: -1, lastFetchedEpoch: -1 };
    const node = partitions[0]?.leader ?? 0;
    const { responses } = await reader.client.fetch({ node, topics: [{ topicId: id, partitions: [asked] }] });
    const batches = responses.flatMap((each) => each.partitions.flatMap(({ records }) => records ?? []));
    for (const { firstOffset, lastOffsetDelta, records } of batches) {
      fetchOffset = firstOffset + BigInt(lastOffsetDelta) + 1n;
      letters.push(...records.map(toLetter));
    }
  }
  return letters;
}

type Stored = { readonly headers: readonly (readonly [Buffer | null, Buffer | null])[]; readonly value: Buffer | null };

const toLetter = ({ headers, value }: Stored): TestLetter => ({
  headers: Object.fromEntries(headers.map(([name, text]) => [String(name), String(text)])),
  body: value?.toString("utf8") ?? "",
});

/** A partition without a commit counts from its beginning: a test's topic loses nothing to retention. */
async function countUncommitted(address: string, topic: string): Promise<number> {
  await using reader = closing(new Consumer({ ...toOptions(address), groupId: GROUP }));
  const ends = (await reader.client.listOffsets({ topics: [topic], timestamp: LATEST })).get(topic) ?? [];
  const topics = [{ topic, partitions: [...ends.keys()] }];
  const committed = (await reader.client.listCommittedOffsets({ topics })).get(topic) ?? [];
  // -1: the group has committed nothing of this partition.
  const positions = ends.map((_, partition) => committed[partition] ?? -1n);
  const open = positions.map((position, partition) => (ends[partition] ?? 0n) - (position < 0n ? 0n : position));
  return Number(open.reduce((sum, each) => sum + each, 0n));
}
