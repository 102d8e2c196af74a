/**
 * One partition in this bridge's hands: what was fetched, what the core has, and how far the group may commit. Pure.
 *
 *     fetched ──take──► in hand ──finish──► done
 *        ▲                 └──rewind──┘
 *     offsets  … committed ≤ commitOffset ≤ first in hand < first fetched ≤ fetchFrom
 *
 * Kafka keeps one number for a partition, so a message that is done waits for those before it.
 */
import type { Message } from "../port.ts";

export interface KafkaMessage extends Message {
  readonly topic: string;
  readonly offset: bigint;
  /** It lives as long as the partition is this bridge's. */
  readonly progress: Progress;
}

/** A message as it was fetched. */
export type Fetched = Omit<KafkaMessage, "progress">;

export class Progress {
  readonly topic: string;
  readonly partition: number;
  /** The offset that the next fetch asks for. */
  fetchFrom: bigint;
  /** The group's committed offset, as far as this bridge knows. */
  committed: bigint;
  /** False since the group gave the partition to another member: nothing of it is committed from then on. */
  isOurs = true;
  #fetched: KafkaMessage[] = [];
  #fetchedBytes = 0;
  /** By offset, in order. */
  readonly #inHand = new Map<bigint, { readonly message: KafkaMessage; isDone: boolean }>();

  constructor(topic: string, partition: number, start: bigint) {
    this.topic = topic;
    this.partition = partition;
    this.fetchFrom = start;
    this.committed = start;
  }

  get fetchedCount(): number {
    return this.#fetched.length;
  }

  get fetchedBytes(): number {
    return this.#fetchedBytes;
  }

  /** The offset behind everything that is done, with nothing open before it. */
  get commitOffset(): bigint {
    for (const [offset, { isDone }] of this.#inHand) if (!isDone) return offset;
    return this.nextToTake;
  }

  /** The first offset that the core has not been given. */
  get nextToTake(): bigint {
    return this.#fetched[0]?.offset ?? this.fetchFrom;
  }

  /** Adds what a fetch from `asked` brought. A fetch from before a rewind brings what is fetched again: left out. */
  add(messages: readonly Fetched[], { asked, next }: { readonly asked: bigint; readonly next: bigint }): void {
    if (asked !== this.fetchFrom || !this.isOurs) return;
    for (const message of messages) {
      // Kafka answers with whole batches, which may begin before the offset that was asked for.
      if (message.offset < asked) continue;
      this.#fetched.push({ ...message, progress: this });
      this.#fetchedBytes += message.body.byteLength;
    }
    this.fetchFrom = next;
  }

  take(countMax: number): KafkaMessage[] {
    const taken = this.#fetched.splice(0, countMax);
    for (const message of taken) {
      this.#fetchedBytes -= message.body.byteLength;
      this.#inHand.set(message.offset, { message, isDone: false });
    }
    return taken;
  }

  /** A message from before a rewind, which was taken again or will be, changes nothing. */
  finish(message: KafkaMessage): void {
    const entry = this.#inHand.get(message.offset);
    if (entry?.message === message) entry.isDone = true;
    for (const [offset, { isDone }] of this.#inHand) {
      if (!isDone) return;
      this.#inHand.delete(offset);
    }
  }

  /** This message and all behind it come again, in their order. */
  rewind(message: KafkaMessage): void {
    if (this.#inHand.get(message.offset)?.message !== message) return;
    for (const offset of this.#inHand.keys()) if (offset >= message.offset) this.#inHand.delete(offset);
    this.moveTo(message.offset);
  }

  /** The next fetch asks for this offset; what was fetched and not taken is left out. */
  moveTo(offset: bigint): void {
    this.#fetched = [];
    this.#fetchedBytes = 0;
    this.fetchFrom = offset;
  }

  /** Another member of the group has it now. */
  lose(): void {
    this.isOurs = false;
    this.moveTo(this.fetchFrom);
  }
}
