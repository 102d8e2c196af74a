/** Takes an answer of Kafka's apart into messages with their offsets. Pure. */
import type { Consumer, RecordsBatch } from "@platformatic/kafka";
import type { Fetched } from "./progress.ts";

export type FetchAnswer = Awaited<ReturnType<Consumer["fetch"]>>;

/** One partition's part of an answer. */
export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly Fetched[];
  /** The offset behind the last batch; `null` when nothing came. */
  readonly next: bigint | null;
}

/** Kafka's own code for an offset that it has deleted, or that it never had. */
const OFFSET_OUT_OF_RANGE = 1;
/** A batch of markers that end transactions: it moves the offset and brings nothing. */
const IS_CONTROL = 0x20;
const IS_TRANSACTIONAL = 0x10;
/** The second half of a marker's key: 0 aborts, 1 commits. */
const ABORTS = 0;

/** `topics`: names by Kafka's ids. A topic that is not in it was not asked for. */
export function readAnswer(answer: FetchAnswer, topics: ReadonlyMap<string, string>): FetchedPartition[] {
  return answer.responses.flatMap(({ topicId, partitions }) => {
    const topic = topics.get(topicId);
    if (topic === undefined) return [];
    return partitions.map((each) => readPartition(topic, each));
  });
}

/** The partitions whose offset Kafka does not have, when that is why it refused the fetch. */
export function findOutOfRange(answer: FetchAnswer, topics: ReadonlyMap<string, string>): FetchedPartition[] {
  const refused = answer.responses.map(({ topicId, partitions }) => ({
    topicId,
    partitions: partitions.filter(({ errorCode }) => errorCode === OFFSET_OUT_OF_RANGE),
  }));
  return readAnswer({ ...answer, responses: refused }, topics);
}

type AnsweredPartition = FetchAnswer["responses"][number]["partitions"][number];

function readPartition(topic: string, answered: AnsweredPartition): FetchedPartition {
  const { partitionIndex: partition, records: batches, abortedTransactions } = answered;
  const last = batches?.at(-1);
  return {
    topic,
    partition,
    messages: withoutAborted(batches ?? [], abortedTransactions ?? []).flatMap((batch) =>
      readBatch(topic, partition, batch),
    ),
    next: last === undefined ? null : last.firstOffset + BigInt(last.lastOffsetDelta) + 1n,
  };
}

type Aborted = NonNullable<AnsweredPartition["abortedTransactions"]>[number];

/**
 * The batches that count. Kafka also sends those of transactions that were aborted, and names the transactions: a
 * producer's batches from the first offset of one on are void until its marker, which a later answer may bring.
 *
 * The client leaves out those that begin and end in one answer, and only the last one of each producer.
 */
function withoutAborted(batches: readonly RecordsBatch[], transactions: readonly Aborted[]): RecordsBatch[] {
  const toCome = transactions.toSorted((one, other) => (one.firstOffset < other.firstOffset ? -1 : 1));
  const aborting = new Set<bigint>();
  return batches.filter((batch) => {
    const end = batch.firstOffset + BigInt(batch.lastOffsetDelta);
    for (let next = toCome[0]; next !== undefined && next.firstOffset <= end; next = toCome[0]) {
      aborting.add(next.producerId);
      toCome.shift();
    }
    if ((batch.attributes & IS_CONTROL) === 0) return !isTransactional(batch) || !aborting.has(batch.producerId);
    if (batch.records[0]?.key?.readInt16BE(2) === ABORTS) aborting.delete(batch.producerId);
    return false;
  });
}

const isTransactional = ({ attributes }: RecordsBatch): boolean => (attributes & IS_TRANSACTIONAL) !== 0;

function readBatch(topic: string, partition: number, batch: RecordsBatch): Fetched[] {
  return batch.records.map(({ key, value, headers, offsetDelta }) => ({
    topic,
    subject: topic,
    partition: `${topic}/${partition}`,
    offset: batch.firstOffset + BigInt(offsetDelta),
    key: key === null ? null : key.toString("utf8"),
    headers: Object.fromEntries(headers.map(([name, text]) => [toText(name).toLowerCase(), toText(text)])),
    body: value ?? new Uint8Array(),
  }));
}

const toText = (bytes: Buffer | null): string => bytes?.toString("utf8") ?? "";
