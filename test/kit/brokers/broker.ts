/** A real broker for tests: started in a temporary folder on a free port, killed and started again, ended by its id. */

export interface TestMessage {
  readonly account: string;
  readonly event: string;
  /** Bytes that are no text only where the broker takes them. */
  readonly body: string | Uint8Array;
  /** Besides those that name account and event. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True leaves out whatever names account and event. */
  readonly isNameless?: boolean;
}

export interface TestLetter {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A topic, queue or stream of its own, and its dead letters. */
export interface TestSource {
  /** Settings of a bridge on it. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the broker has stored them all, in this order. Tries again while the broker is away. */
  publish(messages: readonly TestMessage[]): Promise<void>;
  /** All of them, since the beginning. */
  deadLetters(): Promise<readonly TestLetter[]>;
  /** Deletes the place for dead letters; its disposal makes an empty one. */
  removeDeadLetters(): Promise<AsyncDisposable>;
  /** From now on the place for dead letters takes none; its disposal makes room. Absent where a place is never full. */
  fillDeadLetters?(): Promise<AsyncDisposable>;
  /** Messages that are not acknowledged: waiting or in a bridge's hand. */
  unacknowledged(): Promise<number>;
}

export interface TestBroker extends AsyncDisposable {
  /** Name and version, for figures. */
  readonly name: string;
  /** True: it may bring a message twice though nothing went wrong, as SQS's standard queues say of themselves. */
  readonly mayRepeat?: boolean;
  /** It takes text only, and no body without a character, as SQS does. */
  readonly isText?: boolean;
  /** A message that it takes, besides its headers. */
  readonly messageBytesMax: number;
  createSource(): Promise<TestSource>;
  /** Kills it as a crash would, or stops it; runs `whileAway`; and starts it again on the same data and port. */
  restart(whileAway: () => Promise<void>): Promise<void>;
}

/** A broker that can run here, or the line that says why not. */
export type OpenBroker = { readonly start: () => Promise<TestBroker> } | { readonly missing: string };
