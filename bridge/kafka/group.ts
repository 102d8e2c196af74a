/**
 * Membership in the consumer group: which partitions are ours, from where, and what is committed.
 *
 * The client sends heartbeats by itself, also while the core holds messages back, and joins again when the group
 * changes. A commit of a partition that was given away is never sent: its next owner reads those messages again, and
 * Bellwire answers that they are known.
 */
import type { Consumer, GroupAssignment } from "@platformatic/kafka";
import { type Clock, sleep } from "../../src/lib/clock.ts";
import { type Wake, createWake } from "../../src/lib/wake.ts";
import { toUnusable } from "./failures.ts";
import { Progress } from "./progress.ts";

export interface GroupContext {
  readonly group: Consumer;
  /** Asks for offsets on connections of its own. */
  readonly reader: Consumer;
  readonly clock: Clock;
  readonly report: (what: string, error: unknown) => void;
  /** The partitions of this bridge, whenever the group hands them out anew; none while it does. */
  readonly onPartitions: (partitions: readonly Progress[]) => void;
}

const RETRY_MS = 500;
const JOIN_TRIES = 10;
/** A commit that meets a rebalance waits for its end. A round takes as long as its slowest member. */
const REBALANCE_WAIT_MS = 5_000;
const EARLIEST = -2n;

export class Group {
  readonly #context: GroupContext;
  readonly #joined: Wake;
  #partitions: readonly Progress[] = [];
  /** Counts the times that the group handed partitions out. */
  #joins = 0;
  #isStopped = false;
  #isJoining = false;
  #isAway = false;
  #committing: Promise<void> = Promise.resolve();

  constructor(context: GroupContext) {
    const { group, clock, report } = context;
    this.#context = context;
    this.#joined = createWake(clock);
    group.on("consumer:group:join", ({ assignments = [] }) => void this.#takeOver(assignments));
    // This member says how far it is before it joins again.
    group.on("consumer:group:rebalance", () => void this.commit(this.#partitions).catch(() => {}));
    // The client goes on trying: one report says it for a whole outage.
    group.on("consumer:heartbeat:end", () => (this.#isAway = false));
    group.on("consumer:heartbeat:error", ({ error }) => {
      if (!this.#isAway) report("heartbeats do not reach Kafka", error);
      this.#isAway = true;
    });
    // The client gives up joining at its first failure.
    (group as NodeJS.EventEmitter).on("error", (error: unknown) => void this.#joinAgain(error));
  }

  get partitions(): readonly Progress[] {
    return this.#partitions;
  }

  /** Resolves when this bridge is a member. Rejects when the brokers refuse it, or none can be reached. */
  async join(): Promise<void> {
    const { group, clock } = this.#context;
    for (let tries = 1; ; tries += 1) {
      const error = await group.joinGroup({}).then(noError, toError);
      if (error === null) return;
      // A new cluster makes its topic of groups only now, and a rebalance that is under way refuses too.
      if (tries === JOIN_TRIES || toUnusable(error) !== null) throw error;
      await sleep(clock, RETRY_MS);
    }
  }

  /** Commits what is done. Resolves when the broker has it, or when the partitions are no longer ours. */
  async commit(of: Iterable<Progress>): Promise<void> {
    const wanted = [...of];
    // One after another: a later commit never overtakes an earlier, smaller one.
    const turn = this.#committing.then(() => this.#commitNow(wanted));
    this.#committing = turn.catch(() => {});
    await turn;
  }

  /** Ends the membership's own work; the client is closed by its owner. */
  stop(): void {
    this.#isStopped = true;
    for (const each of this.#partitions) each.lose();
  }

  async #joinAgain(error: unknown): Promise<void> {
    if (this.#isJoining) return;
    this.#isJoining = true;
    const { group, clock, report } = this.#context;
    let cause: unknown = error;
    while (cause !== null && !this.#isStopped) {
      report("the bridge is out of the consumer group and joins it again", cause);
      await sleep(clock, RETRY_MS);
      cause = this.#isStopped ? null : await group.joinGroup({}).then(noError, toError);
    }
    this.#isJoining = false;
  }

  async #takeOver(assigned: readonly GroupAssignment[]): Promise<void> {
    this.#joins += 1;
    const join = this.#joins;
    const isAssigned = ({ topic, partition }: Progress): boolean =>
      assigned.some((each) => each.topic === topic && each.partitions.includes(partition));
    for (const each of this.#partitions) if (!isAssigned(each)) each.lose();
    this.#partitions = this.#partitions.filter(isAssigned);
    this.#context.onPartitions([]);
    const isCurrent = (): boolean => this.#joins === join && !this.#isStopped;
    while (isCurrent()) {
      try {
        const starts = await findStarts(this.#context, assigned);
        if (!isCurrent()) return;
        this.#partitions = starts.map((start) => goOn(start, this.#partitions));
        this.#context.onPartitions(this.#partitions);
        this.#joined.now();
        return;
      } catch (error) {
        this.#context.report("Kafka does not say where the group stands", error);
        await sleep(this.#context.clock, RETRY_MS);
      }
    }
  }

  async #commitNow(wanted: readonly Progress[]): Promise<void> {
    const join = this.#joins;
    const due = wanted.filter(({ isOurs, commitOffset, committed }) => isOurs && commitOffset > committed);
    if (due.length === 0 || this.#isStopped) return;
    const offsets = due.map((progress) => ({ progress, offset: progress.commitOffset }));
    const asKafka = offsets.map(({ progress: { topic, partition }, offset }) => {
      return { topic, partition, offset, leaderEpoch: -1 };
    });
    const error = await this.#context.group.commit({ offsets: asKafka }).then(noError, toError);
    if (error === null) {
      for (const { progress, offset } of offsets) progress.committed = offset;
      return;
    }
    if (!isRebalance(error)) throw error;
    if (this.#joins === join) await this.#joined.within(REBALANCE_WAIT_MS);
    if (this.#joins === join) throw error;
    await this.#commitNow(wanted);
  }
}

const noError = (): null => null;
const toError = (error: unknown): unknown => error;

interface KafkaFailure {
  readonly findBy?: (name: string, value: unknown) => unknown;
}

const isRebalance = (error: unknown): boolean => {
  const found = (error as KafkaFailure).findBy?.("needsRejoin", true);
  return found !== undefined && found !== null;
};

interface Start {
  readonly topic: string;
  readonly partition: number;
  readonly committed: bigint;
}

/** Where the group stands; at the oldest message where it has never committed. */
async function findStarts(
  { group, reader }: Pick<GroupContext, "group" | "reader">,
  assigned: readonly GroupAssignment[],
): Promise<Start[]> {
  if (assigned.length === 0) return [];
  const committed = await group.listCommittedOffsets({ topics: [...assigned] });
  const earliest = await reader.listOffsets({
    topics: assigned.map(({ topic }) => topic),
    partitions: Object.fromEntries(assigned.map(({ topic, partitions }) => [topic, partitions])),
    timestamp: EARLIEST,
  });
  return assigned.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => {
      const known = committed.get(topic)?.[partition] ?? -1n;
      return { topic, partition, committed: known >= 0n ? known : (earliest.get(topic)?.[partition] ?? 0n) };
    }),
  );
}

/** A partition that was ours before goes on where it was, unless another member has gone further meanwhile. */
function goOn({ topic, partition, committed }: Start, before: readonly Progress[]): Progress {
  const known = before.find((each) => each.topic === topic && each.partition === partition);
  if (known === undefined) return new Progress(topic, partition, committed);
  if (committed <= known.fetchFrom) return known;
  known.lose();
  return new Progress(topic, partition, committed);
}
