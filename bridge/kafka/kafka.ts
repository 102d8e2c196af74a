/**
 * Kafka as a source: a member of a consumer group, with one loop of fetches for each broker.
 *
 *     fetching ──► progress of each partition ──► pull … acknowledge ──► group.commit
 *
 * Three clients, because Kafka answers the requests of one connection one after another: the group's, whose heartbeats
 * must not wait; the reader's, whose fetches do; the producer's for dead letters.
 */
import type { Consumer, MessageToProduce, Producer } from "@platformatic/kafka";
import { type Clock, inTime, sleep } from "../../src/lib/clock.ts";
import { splitLetters } from "../letters.ts";
import { BrokerUnusable, type DeadLetter, type Source, type SourceContext } from "../port.ts";
import { toClientOptions } from "./client-options.ts";
import { toUnusable } from "./failures.ts";
import { Fetching } from "./fetching.ts";
import { Group } from "./group.ts";
import type { KafkaMessage, Progress } from "./progress.ts";

/** A killed bridge's partitions move to the others after this time. Kafka's own limits are 6 s to 30 min. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 2_000;
/** A rebalance waits at most so long for members that are slow to join again. */
const REBALANCE_MS = 20_000;
const PULL_MS = 1_000;
const LEAVE_MS = 5_000;
const TOPIC_TRIES = 4;
const TOPIC_AGAIN_MS = 500;
const ALL_REPLICAS = -1;
const LATEST = -1n;
/** Kafka's default for a topic is 1,048,588 bytes, the batch's own head included. */
const LETTER_BYTES_MAX = 1_000_000;
/** Guess: small beside the bytes of a batch, which is the limit that counts. */
const LETTERS_MAX = 1_000;

export async function openKafka(context: SourceContext): Promise<Source<KafkaMessage>> {
  const { settings } = context;
  const topics = settings.bridgeSource.split(",").map((topic) => topic.trim());
  if (topics.includes(settings.bridgeDeadLetters)) {
    throw new BrokerUnusable("BELLWIRE_BRIDGE_DEAD_LETTERS names a topic that the bridge consumes: name another one");
  }
  const options = toClientOptions(settings);
  const kafka = await import("@platformatic/kafka");
  const membership = { groupId: settings.bridgeGroup, sessionTimeout: SESSION_MS, heartbeatInterval: HEARTBEAT_MS };
  const clients: Clients = {
    group: new kafka.Consumer({ ...options, ...membership, rebalanceTimeout: REBALANCE_MS }),
    reader: new kafka.Consumer({ ...options, groupId: settings.bridgeGroup }),
    producer: new kafka.Producer({ ...options, acks: ALL_REPLICAS }),
  };
  for (const client of [clients.group, clients.reader]) client.topics.trackAll(...topics);
  const source = new KafkaSource(context, clients, topics);
  try {
    for (const topic of [...topics, settings.bridgeDeadLetters]) await findTopic(clients.reader, topic, context.clock);
    await source.join();
    return source;
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw toUnusable(error) ?? error;
  }
}

/** A broker that has just started knows no topic for a moment. */
async function findTopic(reader: Consumer, topic: string, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const error = await reader.metadata({ topics: [topic] }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error === null) return;
    if (tries === TOPIC_TRIES || toUnusable(error) === null) throw error;
    await sleep(clock, TOPIC_AGAIN_MS);
  }
}

interface Clients {
  readonly group: Consumer;
  readonly reader: Consumer;
  readonly producer: Producer;
}

class KafkaSource implements Source<KafkaMessage> {
  readonly keepEveryMs = null;
  readonly canDelay = false;
  readonly letterBytesMax = LETTER_BYTES_MAX;
  readonly #context: SourceContext;
  readonly #clients: Clients;
  readonly #topics: readonly string[];
  readonly #fetching: Fetching;
  readonly #group: Group;
  /** Where the next pull begins to take, so that a full partition does not hide the others. */
  #turn = 0;

  constructor(context: SourceContext, clients: Clients, topics: readonly string[]) {
    const { clock, inHandMax } = context;
    const report: SourceContext["report"] = (what, error) => context.report(what, toUnusable(error) ?? error);
    this.#context = context;
    this.#clients = clients;
    this.#topics = topics;
    this.#fetching = new Fetching({ ...clients, topics, clock, report, fetchedMax: inHandMax });
    const onPartitions = (partitions: readonly Progress[]): void => this.#fetching.follow(partitions);
    this.#group = new Group({ ...clients, clock, report, onPartitions });
  }

  async join(): Promise<void> {
    await this.#group.join();
  }

  async pull(countMax: number, signal: AbortSignal): Promise<readonly KafkaMessage[]> {
    const taken = this.#take(countMax);
    if (taken.length > 0 || signal.aborted) return taken;
    const onAbort = (): void => this.#fetching.wake();
    signal.addEventListener("abort", onAbort, { once: true });
    await this.#fetching.untilFetched(PULL_MS).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) return [];
    const later = this.#take(countMax);
    const { failure } = this.#fetching;
    if (later.length === 0 && failure !== null) throw toUnusable(failure) ?? failure;
    return later;
  }

  #take(countMax: number): KafkaMessage[] {
    const { partitions } = this.#group;
    const taken: KafkaMessage[] = [];
    this.#turn += 1;
    for (let place = 0; place < partitions.length && taken.length < countMax; place += 1) {
      const next = partitions[(place + this.#turn) % partitions.length];
      taken.push(...(next?.take(countMax - taken.length) ?? []));
    }
    this.#fetching.freeCapacity();
    return taken;
  }

  async acknowledge(messages: readonly KafkaMessage[]): Promise<void> {
    for (const message of messages) message.progress.finish(message);
    await this.#group.commit(new Set(messages.map(({ progress }) => progress)));
  }

  async giveBack(messages: readonly KafkaMessage[]): Promise<void> {
    for (const message of messages) message.progress.rewind(message);
    this.#fetching.freeCapacity();
    await Promise.resolve();
  }

  async keep(): Promise<void> {
    await Promise.resolve();
  }

  async sendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    const topic = this.#context.settings.bridgeDeadLetters;
    // Kafka's maximum is for a batch, and letters that go together are one.
    for (const some of splitLetters(letters, { countMax: LETTERS_MAX, bytesMax: LETTER_BYTES_MAX })) {
      await this.#clients.producer.send({ messages: some.map((letter) => toRecord(topic, letter)) });
    }
  }

  async countWaiting(): Promise<number> {
    const { partitions } = this.#group;
    if (partitions.length === 0) return 0;
    const ends = await this.#clients.reader.listOffsets({ topics: [...this.#topics], timestamp: LATEST });
    const waiting = partitions.map(({ topic, partition, nextToTake }) => {
      const behind = (ends.get(topic)?.[partition] ?? nextToTake) - nextToTake;
      return behind > 0n ? Number(behind) : 0;
    });
    return waiting.reduce((sum, each) => sum + each, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fetching.follow([]);
    this.#group.stop();
    const { group, reader, producer } = this.#clients;
    // Leaving tells the others at once; a broker that does not answer finds it out by the missing heartbeats.
    await inTime(
      this.#context.clock,
      LEAVE_MS,
      Promise.allSettled([group.close(true), reader.close(true), producer.close(true)]),
    );
    for (const client of [group, reader, producer]) await client.connections.close().catch(() => {});
  }
}

function toRecord(topic: string, { key, headers, body }: DeadLetter): MessageToProduce {
  return {
    topic,
    ...(key === null ? {} : { key: Buffer.from(key) }),
    value: Buffer.from(body),
    headers: new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
  };
}
