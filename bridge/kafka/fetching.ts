/**
 * Fetches ahead of the core: one loop for each broker that leads partitions of ours, while there is room.
 *
 * The group replaces a round when it hands out partitions anew. A loop of an earlier round notices that after each
 * answer, and ends without touching anything.
 */
import type { Consumer } from "@platformatic/kafka";
import { type Clock, sleep } from "../../src/lib/clock.ts";
import { type Wake, createWake } from "../../src/lib/wake.ts";
import { type FetchAnswer, findOutOfRange, readAnswer } from "./fetch-answer.ts";
import type { Progress } from "./progress.ts";

export interface FetchingContext {
  /** Its own connections: a fetch that waits at the broker would hold up heartbeats and commits. */
  readonly reader: Consumer;
  readonly topics: readonly string[];
  readonly clock: Clock;
  /** Fetching stops while this many messages wait to be taken. */
  readonly fetchedMax: number;
  readonly report: (what: string, error: unknown) => void;
}

/** Kafka answers with nothing after this time without a message. */
const WAIT_MS = 500;
const FETCH_BYTES_MAX = 8 * 1024 * 1024;
/** A partition's part of that; Kafka gives a larger first batch whole. */
const PARTITION_BYTES_MAX = 1024 * 1024;
/** As many bytes wait to be taken at most, and one fetch more for each broker. */
const FETCHED_BYTES_MAX = 16 * 1024 * 1024;
const READ_COMMITTED = 1;
const RETRY_MS = 1_000;
/** Kafka elects a leader within seconds. */
const NO_LEADER_MS = 2_000;
const EARLIEST = -2n;

type Round = readonly Progress[];

interface Leader {
  readonly node: number;
  readonly partitions: Round;
  /** Names of topics by Kafka's ids, as requests and answers have them. */
  readonly names: ReadonlyMap<string, string>;
  /** Something was taken: there may be room again. */
  readonly capacity: Wake;
}

export class Fetching {
  readonly #context: FetchingContext;
  readonly #arrivals: Wake;
  #round: Round = [];
  #leaders: readonly Leader[] = [];
  #failure: unknown = null;

  constructor(context: FetchingContext) {
    this.#context = context;
    this.#arrivals = createWake(context.clock);
  }

  /** Why the last fetch failed; `null` since one has succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Fetches these from now on, and no others. */
  follow(partitions: Round): void {
    this.#round = [...partitions];
    // A bridge without a partition has nothing to fetch, and so nothing that would end an earlier failure.
    if (partitions.length === 0) this.#failure = null;
    void this.#run(this.#round);
  }

  /** Resolves when there is something to take, after `wake`, or after `delayMs`. */
  async untilFetched(delayMs: number): Promise<void> {
    await this.#arrivals.within(delayMs);
  }

  wake(): void {
    this.#arrivals.now();
  }

  /** Something was taken. */
  freeCapacity(): void {
    for (const { capacity } of this.#leaders) capacity.now();
  }

  async #run(first: Round): Promise<void> {
    let round = first;
    while (this.#round === round && round.length > 0) {
      try {
        this.#leaders = await findLeaders(this.#context, round);
        await Promise.all(this.#leaders.map((leader) => this.#readFrom(leader, round)));
      } catch (error) {
        if (this.#round !== round) return;
        this.#failure = error;
        this.#arrivals.now();
        // Loops of other brokers end with this one: all begin again when the leaders have been asked for anew.
        round = [...round];
        this.#round = round;
        await sleep(this.#context.clock, RETRY_MS);
      }
    }
  }

  async #readFrom(leader: Leader, round: Round): Promise<void> {
    const { clock, fetchedMax } = this.#context;
    if (leader.node < 0) {
      await sleep(clock, NO_LEADER_MS);
      throw new Error(`${leader.partitions.map(toName).join(", ")}: no broker leads it`);
    }
    while (this.#round === round) {
      if (!hasCapacity(round, fetchedMax)) {
        await leader.capacity.within(WAIT_MS);
        continue;
      }
      const asked = new Map(leader.partitions.map((progress) => [progress, progress.fetchFrom]));
      const answer = await this.#fetch(leader);
      if (this.#round !== round) return;
      this.#failure = null;
      for (const { topic, partition, messages, next } of readAnswer(answer, leader.names)) {
        const progress = leader.partitions.find((each) => each.topic === topic && each.partition === partition);
        const from = progress === undefined ? undefined : asked.get(progress);
        if (from !== undefined && next !== null) progress?.add(messages, { asked: from, next });
      }
      if (leader.partitions.some(({ fetchedCount }) => fetchedCount > 0)) this.#arrivals.now();
    }
  }

  async #fetch({ node, partitions, names }: Leader): Promise<FetchAnswer> {
    try {
      return await this.#context.reader.fetch({
        node,
        maxWaitTime: WAIT_MS,
        minBytes: 1,
        maxBytes: FETCH_BYTES_MAX,
        isolationLevel: READ_COMMITTED,
        topics: [...names].map(([id, topic]) =>
          toRequest(
            id,
            partitions.filter((each) => each.topic === topic),
          ),
        ),
      });
    } catch (error) {
      const { response } = error as { readonly response?: FetchAnswer };
      for (const lost of response === undefined ? [] : findOutOfRange(response, names))
        await this.#jumpToEarliest(lost);
      throw error;
    }
  }

  /** Kafka has deleted what this bridge had not read, or its log is shorter than it was. */
  async #jumpToEarliest({ topic, partition }: Pick<Progress, "topic" | "partition">): Promise<void> {
    const { reader, report } = this.#context;
    const progress = this.#round.find((each) => each.topic === topic && each.partition === partition);
    const wanted = { topics: [topic], partitions: { [topic]: [partition] }, timestamp: EARLIEST };
    const earliest = (await reader.listOffsets(wanted)).get(topic)?.[partition];
    if (progress === undefined || earliest === undefined) return;
    const { fetchFrom } = progress;
    const missing = earliest > fetchFrom ? earliest - fetchFrom : 0n;
    report(
      `${toName(progress)}: Kafka no longer has offset ${fetchFrom}, and the bridge goes on at ${earliest}`,
      new Error(`Kafka deleted ${missing} messages before a bridge read them: its retention is too short`),
    );
    progress.moveTo(earliest);
  }
}

const toName = ({ topic, partition }: Pick<Progress, "topic" | "partition">): string => `${topic}/${partition}`;

function hasCapacity(partitions: Round, fetchedMax: number): boolean {
  const count = partitions.reduce((sum, { fetchedCount }) => sum + fetchedCount, 0);
  const bytes = partitions.reduce((sum, { fetchedBytes }) => sum + fetchedBytes, 0);
  return count < fetchedMax && bytes < FETCHED_BYTES_MAX;
}

async function findLeaders({ reader, topics, clock }: FetchingContext, partitions: Round): Promise<Leader[]> {
  const metadata = await reader.metadata({ topics: [...topics], forceUpdate: true });
  const leaders = Map.groupBy(
    partitions,
    ({ topic, partition }) => metadata.topics.get(topic)?.partitions[partition]?.leader ?? -1,
  );
  return [...leaders].map(([node, led]) => {
    const names = new Map(led.map(({ topic }) => [metadata.topics.get(topic)?.id ?? "", topic]));
    return { node, partitions: led, names, capacity: createWake(clock) };
  });
}

function toRequest(topicId: string, partitions: Round) {
  return {
    topicId,
    partitions: partitions.map(({ partition, fetchFrom }) => ({
      partition,
      fetchOffset: fetchFrom,
      partitionMaxBytes: PARTITION_BYTES_MAX,
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
    })),
  };
}
