/**
 * SQS as a source: long polls fill a small store of messages, which `pull` empties.
 *
 *     receive ──► ready ──pull──► in hand ──► delete
 *        ▲          └── not pulled in time ──┐
 *        └── visible again ◄─────────────────┴── giveBack, or no `keep` (a killed bridge)
 *
 * SQS itself keeps the order of a FIFO queue's group: it gives no message of a group that has one in hand.
 */
import type { Message as Received } from "@aws-sdk/client-sqs";
import type { CancelTimer } from "../../src/lib/clock.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { createWake, type Wake } from "../../src/lib/wake.ts";
import type { DeadLetter, Message, Source, SourceContext } from "../port.ts";
import { type Queue, type Sqs, ENTRIES_MAX, changeVisibility, deleteAll, sendAll } from "./calls.ts";
import { type Client, openClient } from "./client.ts";
import { toUnusable } from "./failures.ts";

export interface SqsMessage extends Message {
  /** SQS knows a message in hand by it; each receive makes a new one. */
  readonly receipt: string;
}

/** SQS's longest: an idle bridge then asks 4,320 times a day. */
const POLL_S = 20;
/** Servers that only speak SQS's protocol, such as moto, look at a poll's beginning which groups are in hand. */
const FIFO_POLL_S = 1;
const PULL_MS = 1_000;
/** A message that is not pulled for so long goes back: the core holds back, and another bridge may not. */
const READY_MS_MAX = 2_000;
/** One poll brings ten at most; several run side by side while they come full. A FIFO queue has one. */
const POLLS_MAX = 8;

export async function openSqs(context: SourceContext): Promise<Source<SqsMessage>> {
  return new SqsSource(context, await openClient(context.settings));
}

class SqsSource implements Source<SqsMessage> {
  /** A third of the visibility timeout: one call may fail, and the next one still comes in time. */
  readonly keepEveryMs: number;
  readonly canDelay = true;
  readonly letterBytesMax: number;
  readonly #context: SourceContext;
  readonly #sqs: Sqs;
  readonly #queue: Queue;
  readonly #letters: Queue;
  readonly #pollsMax: number;
  readonly #arrivals: Wake;
  readonly #stopping = new AbortController();
  #ready: SqsMessage[] = [];
  #cancelReturn: CancelTimer = () => {};
  #polls = 0;
  #pollsWanted = 1;
  #failure: unknown = null;

  constructor(context: SourceContext, { sqs, queue, letters }: Client) {
    this.#context = context;
    this.#sqs = sqs;
    this.#queue = queue;
    this.#letters = letters;
    this.letterBytesMax = letters.bytesMax;
    this.keepEveryMs = secondsMs(queue.visibilityS) / 3;
    this.#pollsMax = queue.isFifo ? 1 : POLLS_MAX;
    this.#arrivals = createWake(context.clock);
  }

  async pull(countMax: number, signal: AbortSignal): Promise<readonly SqsMessage[]> {
    if (signal.aborted) return [];
    const taken = this.#take(countMax);
    this.#poll(countMax);
    if (taken.length > 0) return taken;
    const onAbort = (): void => this.#arrivals.now();
    signal.addEventListener("abort", onAbort, { once: true });
    await this.#arrivals.within(PULL_MS).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) return [];
    const later = this.#take(countMax);
    if (later.length === 0 && this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      throw toUnusable(failure) ?? failure;
    }
    return later;
  }

  #take(countMax: number): SqsMessage[] {
    const taken = this.#ready.splice(0, countMax);
    if (this.#ready.length === 0) this.#cancelReturn();
    return taken;
  }

  /** As many polls as the core has room for, and one only while they come back empty. */
  #poll(countMax: number): void {
    const wanted = Math.min(
      this.#pollsWanted,
      this.#pollsMax,
      Math.ceil((countMax - this.#ready.length) / ENTRIES_MAX),
    );
    while (this.#polls < Math.max(wanted, this.#ready.length > 0 ? 0 : 1)) {
      this.#polls += 1;
      void this.#pollOnce(Math.min(countMax, ENTRIES_MAX)).finally(() => (this.#polls -= 1));
    }
  }

  async #pollOnce(count: number): Promise<void> {
    try {
      const { Messages: messages = [] } = await this.#sqs.client.send(
        new this.#sqs.lib.ReceiveMessageCommand({
          QueueUrl: this.#queue.url,
          MaxNumberOfMessages: count,
          WaitTimeSeconds: this.#queue.isFifo ? FIFO_POLL_S : POLL_S,
          MessageSystemAttributeNames: ["MessageGroupId"],
          MessageAttributeNames: ["All"],
        }),
        { abortSignal: this.#stopping.signal },
      );
      this.#failure = null;
      this.#pollsWanted = messages.length === count ? Math.min(this.#polls + 1, this.#pollsMax) : 1;
      this.#ready.push(...messages.flatMap((message) => readMessage(message, this.#queue.name)));
      this.#returnLater();
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#failure = error;
    }
    this.#arrivals.now();
  }

  #returnLater(): void {
    this.#cancelReturn();
    if (this.#ready.length === 0) return;
    this.#cancelReturn = this.#context.clock.after(Math.min(READY_MS_MAX, this.keepEveryMs), () => {
      const unwanted = this.#ready.splice(0);
      this.giveBack(unwanted, 0).catch((error: unknown) => {
        this.#context.report("SQS did not take messages back; they come again by themselves", error);
      });
    });
  }

  async acknowledge(messages: readonly SqsMessage[]): Promise<void> {
    await deleteAll(this.#sqs, this.#queue, messages);
  }

  async giveBack(messages: readonly SqsMessage[], delayMs: number): Promise<void> {
    await changeVisibility(this.#sqs, this.#queue, { messages, seconds: Math.ceil(delayMs / 1_000) });
  }

  async keep(messages: readonly SqsMessage[]): Promise<void> {
    await changeVisibility(this.#sqs, this.#queue, { messages, seconds: this.#queue.visibilityS });
  }

  async sendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    await sendAll(this.#sqs, this.#letters, letters);
  }

  async countWaiting(): Promise<number> {
    const { Attributes: attributes } = await this.#sqs.client.send(
      new this.#sqs.lib.GetQueueAttributesCommand({
        QueueUrl: this.#queue.url,
        AttributeNames: ["ApproximateNumberOfMessages"],
      }),
    );
    return Number(attributes?.ApproximateNumberOfMessages ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#cancelReturn();
    const unwanted = this.#ready.splice(0);
    // SQS shows them again by itself when it cannot be reached now.
    await this.giveBack(unwanted, 0).catch(() => {});
    this.#sqs.client.destroy();
  }
}

function readMessage(received: Received, queue: string): SqsMessage[] {
  const { ReceiptHandle: receipt, Body: body = "", Attributes: system } = received;
  if (receipt === undefined) return [];
  const group = system?.MessageGroupId ?? null;
  const headers = Object.entries(received.MessageAttributes ?? {}).flatMap(([name, { StringValue: text }]) =>
    text === undefined ? [] : [[name.toLowerCase(), text] as const],
  );
  return [
    {
      receipt,
      subject: queue,
      key: group,
      headers: Object.fromEntries(headers),
      body: Buffer.from(body, "utf8"),
      partition: group ?? "",
    },
  ];
}
