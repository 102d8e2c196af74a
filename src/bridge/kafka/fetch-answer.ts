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

/** `topics`: names by Kafka's ids. A topic that is not in it was not asked for. */
export function readAnswer(answer: FetchAnswer, topics: ReadonlyMap<string, string>): FetchedPartition[] {
  return answer.responses.flatMap(({ topicId, partitions }) => {
    const topic = topics.get(topicId);
    if (topic === undefined) return [];
    return partitions.map(({ partitionIndex, records }) => readPartition(topic, partitionIndex, records ?? []));
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

function readPartition(topic: string, partition: number, batches: readonly RecordsBatch[]): FetchedPartition {
  const last = batches.at(-1);
  return {
    topic,
    partition,
    messages: batches.flatMap((batch) => readBatch(topic, partition, batch)),
    next: last === undefined ? null : last.firstOffset + BigInt(last.lastOffsetDelta) + 1n,
  };
}

function readBatch(topic: string, partition: number, batch: RecordsBatch): Fetched[] {
  if ((batch.attributes & IS_CONTROL) !== 0) return [];
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
