/**
 * NATS JetStream as a source: a durable pull consumer that all bridges share. One fetch is open at a time, for as many
 * messages as the core has room for, so that no message waits in the client while its time for an acknowledgement runs.
 */
import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import { type Wake, createWake } from "../../src/lib/wake.ts";
import { toUnusable } from "./failures.ts";
import { type NatsSetUp, ackWaitMs, setUpNats } from "./set-up.ts";
import type { DeadLetter, Message, Source, SourceContext } from "../port.ts";

interface NatsMessage extends Message {
  readonly raw: JsMsg;
}

/** The shortest that a server takes. A fetch ends after this, or with its last message. */
const FETCH_MS = 1_000;
/** A fetch whose end is lost with the connection is given up. */
const FETCH_MS_MAX = 5_000;
/** All messages of a fetch may be as large as the server allows, which is a megabyte unless it is set otherwise. */
const FETCH_BYTES_MAX = 32 * 1024 * 1024;
const ACK_MS_MAX = 3_000;
const LETTER_MS_MAX = 5_000;

export async function openNats(context: SourceContext): Promise<Source<NatsMessage>> {
  const setUp = await setUpNats(context.settings);
  const { headers } = await import("@nats-io/transport-node");
  const { bridgeSource, bridgeGroup } = context.settings;
  const consumer = await setUp.client.consumers.get(bridgeSource, bridgeGroup);
  return new NatsSource(context, { ...setUp, headers, pulled: consumer });
}

interface Parts extends NatsSetUp {
  readonly headers: () => MsgHdrs;
  readonly pulled: Consumer;
}

class NatsSource implements Source<NatsMessage> {
  readonly keepEveryMs: number;
  readonly canDelay = true;
  readonly letterBytesMax: number;
  readonly #context: SourceContext;
  readonly #parts: Parts;
  readonly #wake: Wake;
  #arrived: JsMsg[] = [];
  #fetch: ConsumerMessages | null = null;
  #fetched: Promise<void> = Promise.resolve();
  #failure: unknown = null;
  #isConnected = true;

  constructor(context: SourceContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
    this.#wake = createWake(context.clock);
    this.keepEveryMs = ackWaitMs(parts.consumer) / 3;
    this.letterBytesMax = parts.connection.info?.max_payload ?? 1024 * 1024;
    void this.#watchConnection();
  }

  async pull(countMax: number, signal: AbortSignal): Promise<readonly NatsMessage[]> {
    if (!this.#isConnected && this.#arrived.length === 0) throw lost();
    signal.addEventListener("abort", this.#wake.now, { once: true });
    try {
      if (this.#arrived.length === 0 && this.#fetch === null) await this.#startFetch(countMax);
      while (this.#arrived.length === 0 && this.#fetch !== null && !signal.aborted) await this.#wake.within(FETCH_MS);
      if (signal.aborted) return await this.#leave();
      if (this.#arrived.length === 0 && this.#failure !== null) throw this.#takeFailure();
      return this.#arrived.splice(0, countMax).map(toMessage);
    } finally {
      signal.removeEventListener("abort", this.#wake.now);
    }
  }

  async acknowledge(messages: readonly NatsMessage[]): Promise<void> {
    const asked = messages.map(({ raw }) => raw.ackAck({ timeout: ACK_MS_MAX }));
    const results = await Promise.allSettled(asked);
    const lost = results.filter(({ status }) => status === "rejected");
    // The server brings those again, and Bellwire knows their records.
    if (lost[0]?.status === "rejected") this.#context.report(`acknowledge (${lost.length} messages)`, lost[0].reason);
  }

  async giveBack(messages: readonly NatsMessage[], delayMs: number): Promise<void> {
    for (const { raw } of messages) raw.nak(Math.ceil(delayMs));
    await this.#parts.connection.flush();
  }

  async keep(messages: readonly NatsMessage[]): Promise<void> {
    for (const { raw } of messages) raw.working();
    await this.#parts.connection.flush();
  }

  async sendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    const { client, headers } = this.#parts;
    const subject = this.#context.settings.bridgeDeadLetters;
    await Promise.all(
      letters.map(async (letter) => {
        const sent = headers();
        for (const [name, value] of Object.entries(letter.headers)) sent.set(name, value);
        await client.publish(subject, letter.body, { headers: sent, timeout: LETTER_MS_MAX });
      }),
    );
  }

  async countWaiting(): Promise<number> {
    const { bridgeSource, bridgeGroup } = this.#context.settings;
    const { num_pending: waiting } = await this.#parts.manager.consumers.info(bridgeSource, bridgeGroup);
    return waiting;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#parts.connection.isClosed()) return;
    await this.#leave();
    await this.#parts.connection.close();
  }

  async #startFetch(countMax: number): Promise<void> {
    // Without `bind` each fetch would first ask for the consumer.
    const count = Math.max(1, Math.min(countMax, Math.floor(FETCH_BYTES_MAX / this.letterBytesMax)));
    const fetch = await this.#parts.pulled.fetch({ max_messages: count, expires: FETCH_MS, bind: true });
    this.#fetch = fetch;
    this.#fetched = this.#readFetch(fetch);
  }

  async #readFetch(fetch: ConsumerMessages): Promise<void> {
    const giveUp = this.#context.clock.after(FETCH_MS_MAX, () => void fetch.close());
    try {
      for await (const message of fetch) {
        this.#arrived.push(message);
        this.#wake.now();
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      giveUp();
      this.#fetch = null;
      this.#wake.now();
    }
  }

  /** The server may still send what the fetch has asked for; that goes back too. */
  async #leave(): Promise<readonly NatsMessage[]> {
    await this.#fetched;
    await this.giveBack(this.#arrived.splice(0).map(toMessage), 0);
    return [];
  }

  /** The client opens a lost connection anew by itself, but leaves a fetch waiting for its end. */
  async #watchConnection(): Promise<void> {
    for await (const status of this.#parts.connection.status()) {
      if (status.type === "error") this.#context.report("connection", toUnusable(status.error) ?? status.error);
      if (status.type === "reconnect") this.#isConnected = true;
      if (status.type !== "disconnect") continue;
      this.#isConnected = false;
      this.#context.report("connection", lost());
      void this.#fetch?.close();
    }
  }

  #takeFailure(): unknown {
    const failure = this.#failure;
    this.#failure = null;
    return failure;
  }
}

const lost = (): Error => new Error("the connection to NATS is lost");

function toMessage(raw: JsMsg): NatsMessage {
  const headers: Record<string, string> = {};
  for (const [name, values] of raw.headers ?? []) headers[name.toLowerCase()] = values[0] ?? "";
  return { raw, subject: raw.subject, key: null, headers, body: raw.data, partition: "" };
}
