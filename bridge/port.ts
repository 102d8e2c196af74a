/**
 * The core's view of a broker: a source of messages, each acknowledged only after Bellwire's result for it. A broker's
 * folder (`nats/`, `kafka/` …) makes one, and `conformance/` tests them all with the same suite.
 *
 *     pull ──► in hand ──► acknowledge        every record has its result line, refused ones are in the dead letters
 *                └───────► giveBack           the bridge stops, or the account of these messages must wait
 *     (killed, connection lost) ──► the broker brings the message again; Bellwire answers `duplicate`
 */
import type { BridgeConfig } from "./options.ts";
import type { Clock } from "../src/lib/clock.ts";

/** A broker's file extends this with what it needs to acknowledge. */
export interface Message {
  /** NATS: the subject. RabbitMQ: the routing key. Kafka: the topic. SQS: the queue's name. */
  readonly subject: string;
  /** The key of a Kafka message, the group of a message in a FIFO queue; null where the broker has none. */
  readonly key: string | null;
  /** Names in lower case. A broker with a content type of its own (AMQP) shows it here as `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The core posts messages of one partition in the order in which `pull` gave them. */
  readonly partition: string;
}

/** A message that the core puts aside because Bellwire refused its record, or because no account could be found. */
export interface DeadLetter {
  /** The source message's, for brokers that keep keys. */
  readonly key: string | null;
  /** Lower case, visible ASCII in each value: the reason, its details and the origin; never a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Methods may reject when the broker cannot be reached; the core reports it, waits and calls again. The source opens a
 * lost connection anew by itself, at the latest in the next call.
 */
export interface Source<Taken extends Message = Message> extends AsyncDisposable {
  /**
   * Up to `countMax` messages, as soon as there is at least one; an empty list after a second or so without any, and
   * soon after `signal` aborts. A message that arrives behind the abort is given back by the source.
   */
  pull(countMax: number, signal: AbortSignal): Promise<readonly Taken[]>;
  /**
   * Resolves when the broker knows. A message of a lost connection is left out silently: the broker brings it again.
   * Kafka commits no offset that is behind a message still in hand.
   */
  acknowledge(messages: readonly Taken[]): Promise<void>;
  /** The broker brings them again, to this bridge or another one, after `delayMs` where it can wait. */
  giveBack(messages: readonly Taken[], delayMs: number): Promise<void>;
  /** Tells the broker that they are still in hand. The core calls it every `keepEveryMs` for each message in hand. */
  keep(messages: readonly Taken[]): Promise<void>;
  /** `null`: this broker sets no time for an acknowledgement, and `keep` is never called. */
  readonly keepEveryMs: number | null;
  /** The broker can wait before it brings one message again, and goes on with others: NATS and SQS, but not Kafka. */
  readonly canDelay: boolean;
  /** The most bytes of one message, headers included; the core leaves out a body that does not fit. */
  readonly letterBytesMax: number;
  /** Resolves when the broker has stored them all. A repeat is allowed: the core calls again after a rejection. */
  sendDeadLetters(letters: readonly DeadLetter[]): Promise<void>;
  /** The consumer's lag: messages that wait at the broker and are in no bridge's hand. */
  countWaiting(): Promise<number>;
  /** Leaves; the broker brings all messages in hand again. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SourceContext {
  readonly settings: BridgeConfig;
  readonly clock: Clock;
  /** The most messages that the core will have in hand, for a prefetch. */
  readonly inHandMax: number;
  /** Says that something of the broker went wrong which the source mends by itself, such as a lost connection. */
  readonly report: (what: string, error: unknown) => void;
}

/** A mistake of the settings or of what they name at the broker: the bridge ends with this sentence. */
export class BrokerUnusable extends Error {
  override name = "BrokerUnusable";
}

export interface Broker {
  /** For people. */
  readonly title: string;
  /** The client's packages, pinned as in package.json, for the sentence that says how to install them. */
  readonly packages: readonly string[];
  /**
   * Loads the client and connects. Rejects with `BrokerUnusable` for what a person must mend; any other rejection is
   * tried again.
   */
  readonly open: (context: SourceContext) => Promise<Source>;
}

/* Why a record cannot become an event. It goes to the dead letters with this. */

export interface Fault {
  /** Intake's code (docs: the calls' problems), or one of the bridge's own. */
  readonly code: string;
  /** One or two sentences for a person, without secrets. */
  readonly detail: string;
}
