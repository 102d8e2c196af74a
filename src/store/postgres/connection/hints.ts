/**
 * Hints between nodes: "something has become due" by NOTIFY, so that another node with room looks at once instead of at
 * its next tick. A hint only: one that is lost, or that comes for nothing, costs a tick or a look.
 *
 * Sent beside the transactions and never in them, joined to ten a second: a NOTIFY takes a lock of the whole server
 * until its commit, which cost more than half of all commits when each of them had one.
 */
import type pg from "pg";
import type { Clock } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import type { Call, VerbAnswer } from "../../calls.ts";
import type { AttemptColumns } from "../attempts.ts";
import type { VerbName } from "../../contract/store.ts";
import { newSession, type ConnectionOptions } from "./connections.ts";

/** Guess: shorter than anybody notices. */
const JOINED_MS = 100;

const LISTEN_AGAIN_MS = secondsMs(2);

export interface Hints {
  /** Tells the others, if this call has made something due that is free. */
  noteDone(call: Call<AttemptColumns>, answer: VerbAnswer<VerbName>): void;
  close(): Promise<void>;
}

export interface HintsOptions {
  readonly connections: ConnectionOptions;
  readonly clock: Clock;
  /** Runs a statement; a failure is dropped. */
  readonly send: (sql: string) => void;
  /** Another node, or this one, has made something due. `null`: there is no listener. */
  readonly onHint: (() => void) | null;
}

/** Does nothing: behind a pooler no session stays open to LISTEN. */
export const NO_HINTS: Hints = { noteDone: () => {}, close: () => Promise.resolve() };

export function openHints({ connections, clock, send, onHint }: HintsOptions): Hints {
  const listener = onHint === null ? null : listen(connections, { clock, onHint });
  let isScheduled = false;
  let cancel = (): void => {};
  return {
    noteDone(call, answer) {
      if (isScheduled || !makesDue(call, answer)) return;
      isScheduled = true;
      cancel = clock.after(JOINED_MS, () => {
        isScheduled = false;
        send(SEND_HINT);
      });
    },
    async close() {
      cancel();
      await listener?.close();
    },
  };
}

/** Deliveries that this node holds already, on the fast path, are no news for the others. */
function makesDue({ verb, params }: Call<AttemptColumns>, answer: VerbAnswer<VerbName>): boolean {
  if (verb === "releaseClaims") return true;
  // Each node asks now and then: where no replay runs, nobody has to look.
  if (verb === "stepReplays") return (answer as VerbAnswer<"stepReplays">).moved > 0;
  if (verb === "requestResends") return (answer as VerbAnswer<"requestResends">).includes("queued");
  if (verb === "sendWaiting") return true;
  if (verb === "setDestinationState") return answer === "changed";
  if (verb === "setAccountState") return (answer as VerbAnswer<"setAccountState">) !== "missing";
  return "events" in params && params.events.some(({ deliveries }) => deliveries.some(({ claimed }) => !claimed));
}

/** One session of its own; it comes back by itself when it breaks. */
function listen(
  connections: ConnectionOptions,
  { clock, onHint }: { readonly clock: Clock; readonly onHint: () => void },
): { close(): Promise<void> } {
  let isClosed = false;
  let cancel: (() => void) | null = null;
  let session = connect();

  function connect(): pg.Client {
    const client = newSession(connections);
    client.on("error", () => {});
    client.on("notification", onHint);
    client.on("end", () => again(client));
    const listening = client.connect().then(() => client.query(LISTEN));
    // When it stands there may be something due from before. A server that takes connections and lets no one
    // listen, as a standby does, would else keep each session that was tried.
    void listening.then(onHint, async () => {
      await client.end().catch(() => {});
      again(client);
    });
    return client;
  }

  function again(ended: pg.Client): void {
    if (isClosed || cancel !== null || ended !== session) return;
    cancel = clock.after(LISTEN_AGAIN_MS, () => {
      cancel = null;
      session = connect();
    });
  }

  return {
    async close() {
      isClosed = true;
      cancel?.();
      await session.end();
    },
  };
}

const SEND_HINT = `-- name: tell nodes that something is due
  notify bellwire_due`;

const LISTEN = `-- name: listen for what is due
  listen bellwire_due`;
