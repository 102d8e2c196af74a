/**
 * The thread that reads for people and programs, one verb at a time, each in one state of the file. It has a connection
 * of its own, so that no commit waits for it, and changes nothing.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { Declaration } from "../../../events/declared/declaration.ts";
import { createEventTypes } from "../../../events/event-types.ts";
import { assert } from "../../../lib/assert.ts";
import { type Answer, type Call, toFault, toUnavailable } from "../../calls.ts";
import type { SearchReads } from "../../sql/log/search.ts";
import type { AttemptColumns } from "../attempts.ts";
import { openConnection } from "../connection/connection.ts";
import { describeFailure, isStorageFailure } from "../failures.ts";
import { SEARCH_READS } from "../log/search.ts";
import type { ReadTransaction } from "../transaction.ts";
import { passGate, type ReadGate } from "./read-gate.ts";
import { READ_VERBS, type ReadVerb } from "./read-verbs.ts";

export interface ReaderStart {
  readonly path: string;
  /** Of event types beside those that are built in. */
  readonly declarations: readonly Declaration[];
  readonly gate: ReadGate;
}

export type ReadCall = Call<AttemptColumns> & { readonly verb: ReadVerb };

export type ToReader = { readonly kind: "read"; readonly call: ReadCall } | { readonly kind: "close" };

export type FromReader = { readonly kind: "read"; readonly answer: Answer } | { readonly kind: "closed" };

const port = parentPort;
assert(port !== null, "reader-thread.ts runs in a worker thread only");
const send = (message: FromReader): void => port.postMessage(message);

const { path, declarations, gate } = workerData as ReaderStart;
const db = openConnection(path);
db.exec("pragma query_only = on");
const types = createEventTypes(declarations);

let last: Promise<void> = Promise.resolve();
port.on("message", (message: ToReader) => {
  last = last.then(() => work(message));
});

async function work(message: ToReader): Promise<void> {
  if (message.kind === "read") return send({ kind: "read", answer: await read(message.call) });
  db.close();
  send({ kind: "closed" });
  port?.close();
}

async function read(call: ReadCall): Promise<Answer> {
  passGate(gate);
  try {
    db.run("begin");
    return { kind: "done", value: await runVerb(call) };
  } catch (error) {
    const described = { text: describeFailure(error), cause: error };
    return isStorageFailure(error) ? toUnavailable(described) : toFault([call], described);
  } finally {
    if (db.inTransaction()) db.run("rollback");
  }
}

function runVerb({ verb, params }: ReadCall): unknown {
  const tx: ReadTransaction = {
    db,
    types,
    configVersions: new Map(),
    destinations: new Map(),
    hold: () => {},
  };
  // The compiler cannot see that the params are this verb's own; `storeOver`, which makes every call, made sure of it.
  const run = READ_VERBS[verb] as (
    tx: ReadTransaction,
    params: unknown,
    reads: SearchReads<ReadTransaction>,
  ) => unknown;
  return run(tx, params, SEARCH_READS);
}
