/**
 * Statements that go to the server together: all that one transaction asks in one turn of the event loop. They are
 * written at once and end with one `Sync`, so that the server answers them at once: after each `Sync` it writes, which
 * wakes this process. When one fails, the server passes over those behind it, up to the `Sync`.
 *
 * pg sends a `Sync` after each query, and takes only queries of its own kind where they are sent without waiting for
 * answers. So a batch is one of these for pg's client, and hands each answer on to the query that it is for.
 */
import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import pg, { type ClientBase, type QueryResult } from "pg";

export interface Asked {
  /** A session of ours parses it once, under this name. */
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** One before it in its batch has failed, the cause, so that the server did not come to it. */
export class PassedOver extends Error {}

export interface Batches {
  ask(statement: Asked): Promise<QueryResult>;
  /** Sends all that was asked, before anything else goes out. */
  send(): void;
}

export function openBatches(client: ClientBase): Batches {
  let waiting: Part[] = [];
  function send(): void {
    if (waiting.length === 0) return;
    const batch = new Batch(waiting);
    waiting = [];
    client.query(batch);
  }
  return {
    send,
    ask(statement) {
      if (waiting.length === 0) process.nextTick(send);
      return new Promise((resolve, reject) => {
        const onEnd = (error: Error | undefined, result: unknown): void =>
          error ? reject(error) : resolve(result as QueryResult);
        waiting.push(toPart(client, statement, onEnd));
      });
    },
  };
}

/** Without a name and values pg would send it as text, with a `Sync` of its own. */
function toPart(
  client: ClientBase,
  statement: Asked,
  onEnd: (error: Error | undefined, result: unknown) => void,
): Part {
  const extended = { ...statement, values: [...statement.values], queryMode: "extended", types: client };
  return new pg.Query(extended, onEnd) as unknown as Part;
}

/** The part of pg's connection that its queries are sent by. */
interface Sender extends EventEmitter {
  readonly stream: Socket;
  readonly submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/** A query as pg's client tells it, in this order; after a failure it tells nothing more. */
interface Part {
  readonly name: string | undefined;
  readonly text: string;
  submit(sender: Sender): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, sender: Sender): void;
  handleReadyForQuery(sender: Sender): void;
  handleError(error: Error, sender: Sender): void;
}

const WITHOUT_SYNC: PropertyDescriptorMap = {
  sync: { value: () => {} },
  // pg does this instead of sending a statement with values that it cannot write.
  close: {
    value: () => {
      throw new Error("the values of a statement cannot be sent");
    },
  },
};

/** The query that pg's client is given; others may look on. */
export class Batch extends pg.Query {
  readonly #parts: readonly Part[];
  #answered = 0;
  /** Those of the part that is being answered, for pg's list of statements that the session knows. */
  name: string | undefined;
  text: string | undefined;
  /** Set by pg, to end its timer. */
  declare callback: (error?: Error) => void;

  get statements(): readonly Pick<Part, "name" | "text">[] {
    return this.#parts;
  }

  constructor(parts: readonly Part[]) {
    super({ text: "" }, () => {});
    this.#parts = parts;
    this.#face();
  }

  override submit = (connection: unknown): Error | null => {
    const sender = connection as Sender;
    const part = Object.create(sender, WITHOUT_SYNC) as Sender;
    sender.stream.cork();
    try {
      for (const statement of this.#parts) statement.submit(part);
      sender.sync();
    } catch (error) {
      // Nothing of it was written yet, and what was asked before is rolled back.
      sender.stream.destroy();
      return error as Error;
    }
    sender.stream.uncork();
    return null;
  };

  handleRowDescription(message: unknown): void {
    this.#parts[this.#answered]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#parts[this.#answered]?.handleDataRow(message);
  }

  /** The last part has ended when the server is ready again, which is when a transaction without `begin` has. */
  handleCommandComplete(message: unknown, sender: Sender): void {
    this.#parts[this.#answered]?.handleCommandComplete(message, sender);
    if (this.#answered + 1 < this.#parts.length) this.#endPart(sender);
  }

  handleReadyForQuery(sender: Sender): void {
    this.#endPart(sender);
    this.callback();
  }

  /**
   * Only a server that is ready again has passed over the rest. Where the connection ends instead, or the time is over,
   * it is not known how far the server came: a pooler tells of its failure in the server's place.
   */
  handleError(error: Error, sender: Sender): void {
    this.#parts[this.#answered]?.handleError(error, sender);
    this.#answered += 1;
    if (!(error instanceof pg.DatabaseError)) return this.#failRest(error, sender);
    const onReady = (): void => {
      sender.off("end", onEnd);
      this.#failRest(new PassedOver("a statement before it failed", { cause: error }), sender);
    };
    const onEnd = (): void => {
      sender.off("readyForQuery", onReady);
      this.#failRest(new Error("Connection terminated before all was answered", { cause: error }), sender);
    };
    sender.once("readyForQuery", onReady);
    sender.once("end", onEnd);
  }

  #failRest(error: Error, sender: Sender): void {
    for (const part of this.#parts.slice(this.#answered)) {
      // pg takes it for known from when it was sent on.
      delete sender.submittedNamedStatements[part.name ?? ""];
      part.handleError(error, sender);
    }
    this.#answered = this.#parts.length;
    this.callback(error);
  }

  #endPart(sender: Sender): void {
    this.#parts[this.#answered]?.handleReadyForQuery(sender);
    this.#answered += 1;
    this.#face();
  }

  #face(): void {
    this.name = this.#parts[this.#answered]?.name;
    this.text = this.#parts[this.#answered]?.text;
  }
}
