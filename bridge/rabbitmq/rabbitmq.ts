/**
 * RabbitMQ as a source: one queue, consumed with a prefetch of as many messages as the core may have in hand. The next
 * `pull` opens a lost connection anew, since the client does not; messages of the old one come again by themselves.
 */
import type { ConsumeMessage } from "amqplib";
import { type Wake, createWake } from "../../src/lib/wake.ts";
import { IN_HAND_BYTES_MAX } from "../hand.ts";
import { BrokerUnusable, type DeadLetter, type Message, type Source, type SourceContext } from "../port.ts";
import { type RabbitSession, narrow, openSession } from "./session.ts";

interface RabbitMessage extends Message {
  readonly raw: ConsumeMessage;
  readonly session: RabbitSession;
}

const PULL_MS = 1_000;
/** Half as much as the core has in hand at most waits to be taken. */
const ARRIVED_BYTES_MAX = IN_HAND_BYTES_MAX / 2;
/** RabbitMQ's own maximum of a message, unless it is set otherwise. */
const LETTER_BYTES_MAX = 16 * 1024 * 1024;

export async function openRabbit(context: SourceContext): Promise<Source<RabbitMessage>> {
  const { bridgeSource, bridgeDeadLetters } = context.settings;
  // The bridge would consume its own dead letters, without end.
  if (bridgeSource === bridgeDeadLetters) throw new BrokerUnusable("The dead letters must go to another queue.");
  const source = new RabbitSource(context);
  await source.connect();
  return source;
}

class RabbitSource implements Source<RabbitMessage> {
  readonly keepEveryMs = null;
  readonly canDelay = false;
  readonly letterBytesMax = LETTER_BYTES_MAX;
  readonly #context: SourceContext;
  readonly #wake: Wake;
  #arrived: RabbitMessage[] = [];
  #arrivedBytes = 0;
  #session: RabbitSession | null = null;
  #turn = 0;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#wake = createWake(context.clock);
  }

  async connect(): Promise<RabbitSession> {
    if (this.#session?.isLost === false) return this.#session;
    this.#turn += 1;
    this.#session = await openSession(this.#context, this.#turn, {
      arrived: (raw, session) => this.#arrive(raw, session),
      lost: () => {
        // They come again, perhaps to another bridge.
        this.#take(this.#arrived.length);
        this.#wake.now();
      },
    });
    return this.#session;
  }

  /** RabbitMQ counts messages and not their bytes, so large ones need a smaller prefetch than small ones. */
  #arrive(raw: ConsumeMessage, session: RabbitSession): void {
    if (session.isNarrowing) return session.channel.nack(raw, false, true);
    this.#arrived.push(toMessage(raw, session));
    this.#arrivedBytes += raw.content.length;
    this.#wake.now();
    if (this.#arrivedBytes <= ARRIVED_BYTES_MAX) return;
    const meanBytes = this.#arrivedBytes / this.#arrived.length;
    const prefetch = Math.max(1, Math.floor(ARRIVED_BYTES_MAX / 2 / meanBytes));
    void narrow(session, this.#context.settings.bridgeSource, prefetch);
  }

  #take(countMax: number): RabbitMessage[] {
    const taken = this.#arrived.splice(0, countMax);
    for (const { body } of taken) this.#arrivedBytes -= body.length;
    return taken;
  }

  async pull(countMax: number, signal: AbortSignal): Promise<readonly RabbitMessage[]> {
    const session = await this.connect();
    signal.addEventListener("abort", this.#wake.now, { once: true });
    if (this.#arrived.length === 0 && !signal.aborted) await this.#wake.within(PULL_MS);
    signal.removeEventListener("abort", this.#wake.now);
    if (signal.aborted) return await this.#leave(session);
    if (session.isLost) throw new Error("the connection to RabbitMQ is lost");
    return this.#take(countMax);
  }

  async acknowledge(messages: readonly RabbitMessage[]): Promise<void> {
    await this.#settle(messages, ({ raw, session }) => session.channel.ack(raw));
  }

  async giveBack(messages: readonly RabbitMessage[]): Promise<void> {
    await this.#settle(messages, ({ raw, session }) => session.channel.nack(raw, false, true));
  }

  /** RabbitMQ waits half an hour for an acknowledgement, and cannot be told to wait longer. */
  async keep(): Promise<void> {}

  async sendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    const { channel } = await this.connect();
    const queue = this.#context.settings.bridgeDeadLetters;
    let returned = 0;
    const count = (): void => void (returned += 1);
    channel.on("return", count);
    try {
      await Promise.all(letters.map((letter) => confirmed(channel, queue, letter)));
    } finally {
      channel.removeListener("return", count);
    }
    // RabbitMQ confirms a message that no queue took, and returns it before.
    if (returned > 0) throw new Error(`RabbitMQ returned ${returned} dead letters: is the queue ${queue} gone?`);
  }

  async countWaiting(): Promise<number> {
    const { channel } = await this.connect();
    return (await channel.checkQueue(this.#context.settings.bridgeSource)).messageCount;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = this.#session;
    if (session === null || session.isLost) return;
    await this.#leave(session);
    session.isLost = true;
    await session.connection.close().catch(() => {});
  }

  /** An acknowledgement has no answer. That of a question behind it says that RabbitMQ has read all before. */
  async #settle(messages: readonly RabbitMessage[], tell: (message: RabbitMessage) => void): Promise<void> {
    const known = messages.filter(({ session }) => !session.isLost);
    const [first] = known;
    if (first === undefined) return;
    for (const message of known) tell(message);
    await first.session.channel.checkQueue(this.#context.settings.bridgeSource).catch((error: unknown) => {
      if (!first.session.isLost) throw error;
    });
  }

  async #leave(session: RabbitSession): Promise<readonly RabbitMessage[]> {
    if (session.isLost) return [];
    await session.channel.cancel(session.consumerTag);
    await this.giveBack(this.#take(this.#arrived.length));
    return [];
  }
}

function confirmed(
  channel: RabbitSession["channel"],
  queue: string,
  { headers: all, body }: DeadLetter,
): Promise<void> {
  const { "content-type": contentType, ...headers } = all;
  const options = { headers, persistent: true, mandatory: true, ...(contentType === undefined ? {} : { contentType }) };
  return new Promise((resolve, reject) => {
    channel.sendToQueue(queue, Buffer.from(body), options, (error: unknown) => {
      if (error === null || error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error("RabbitMQ did not take a dead letter"));
    });
  });
}

function toMessage(raw: ConsumeMessage, session: RabbitSession): RabbitMessage {
  const { headers: given = {}, contentType } = raw.properties;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "string" || typeof value === "number") headers[name.toLowerCase()] = String(value);
  }
  if (typeof contentType === "string") headers["content-type"] = contentType;
  return { raw, session, subject: raw.fields.routingKey, key: null, headers, body: raw.content, partition: "" };
}
