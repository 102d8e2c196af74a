/**
 * The store on SQLite. A file is written by a thread of its own behind a group commit, and read by another beside it;
 * ":memory:" runs the same verbs at once on the caller's thread, one transaction a call, so that a test or the
 * simulator sees one fixed order.
 */
import { realpathSync } from "node:fs";
import { BUILT_IN_TYPES, type EventTypes } from "../../events/event-types.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Call, type CallAccess, settle, storeOver, type Waiter } from "../calls.ts";
import { type CommitInfo, createGroupCommit } from "../group-commit.ts";
import type { Store } from "../contract/store.ts";
import { type AttemptColumns, packAttempt } from "./attempts.ts";
import type { Connection } from "./connection/connection.ts";
import { commitCalls } from "./commit.ts";
import { assertSqliteIsSafe, type DatabaseFile, openMemory } from "./writer/database-file.ts";
import { createReadGate } from "./reader/read-gate.ts";
import { isRead } from "./reader/read-verbs.ts";
import { createReader } from "./reader/reader.ts";
import { startWriter } from "./writer/writer.ts";

export interface OpenSqliteStore {
  /** A file's path, made with its folder when missing, or ":memory:". */
  readonly path: string;
  readonly clock: Clock;
  /** The event types that its rows are read by; the built-in ones unless given. */
  readonly types?: EventTypes;
  /** Called after each commit. */
  readonly onCommit?: (info: CommitInfo) => void;
  /** Called when the thread that writes a file has ended by itself: every write is refused from then on. */
  readonly onDeath?: (reason: Error) => void;
}

/** Rejects with `StoreUnusable` (damaged, too new, in use, no rights) or `StoreUnavailable` (the disk fails now). */
export async function openSqliteStore(options: OpenSqliteStore): Promise<Store> {
  const { path, clock, types = BUILT_IN_TYPES, onCommit = () => {}, onDeath = () => {} } = options;
  assertSqliteIsSafe(process.versions.sqlite ?? "0");
  const isFile = path !== ":memory:";
  const access = isFile
    ? await openThreaded({ path, clock, types, onCommit, onDeath })
    : openMemoryInline({ clock, types, onCommit });
  return storeOver({ ...access, packAttempt });
}

/** Where calls go. */
type Access = Pick<CallAccess<AttemptColumns>, "call" | "close">;

type AccessOptions = Required<Pick<OpenSqliteStore, "clock" | "types" | "onCommit">>;

/**
 * A second batch goes ahead of the first one's answer when its sync is shared by enough, so that under full load the
 * thread need not wait for us: 20 % more events/s.
 */
const GROUPS = { batchesInFlightMax: 2, besideItemsMin: 200 };

async function openThreaded({ path, clock, types, onCommit, onDeath }: Required<OpenSqliteStore>): Promise<Access> {
  const { declarations } = types;
  const gate = createReadGate();
  const writer = await startWriter({ path, nowMs: clock.nowMs(), declarations, gate }, onDeath);
  const queue = createGroupCommit({ ...GROUPS, commit: writer.commit, onCommit });
  const reader = createReader({ path: realpathSync(path), declarations, gate });
  return {
    call: ({ verb, params }) => (isRead(verb) ? reader.read({ verb, params }) : queue.call({ verb, params })),
    async close() {
      await queue.drained();
      // The last connection to be closed writes the log back, and has to be able to write.
      await reader.close();
      await writer.close();
    },
  };
}

/** A database in memory, and a way to work on it between two calls, which the simulator uses to end its process. */
export interface InlineStore {
  readonly store: Store;
  between(work: (db: Connection) => void): Promise<void>;
}

export interface OpenInlineStore extends Pick<OpenSqliteStore, "clock"> {
  readonly wrap?: (db: Connection) => Connection;
}

export function openInlineStore({ clock, wrap }: OpenInlineStore): InlineStore {
  const file = openMemory({ nowMs: clock.nowMs() });
  const { between, ...access } = openInline(
    { clock, types: BUILT_IN_TYPES, onCommit: () => {} },
    { file, db: wrap?.(file.db) ?? file.db },
  );
  return { store: storeOver({ ...access, packAttempt }), between };
}

function openMemoryInline(options: AccessOptions): Access {
  const file = openMemory({ nowMs: options.clock.nowMs() });
  file.db.types = options.types;
  return openInline(options, { file, db: file.db });
}

interface Inlined {
  readonly file: DatabaseFile;
  readonly db: Connection;
}

type InlineAccess = Access & Pick<InlineStore, "between">;

function openInline({ clock, onCommit }: AccessOptions, { file, db }: Inlined): InlineAccess {
  let last: Promise<void> = Promise.resolve();
  const run = async (call: Call<AttemptColumns>, waiter: Waiter): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const [answer] = await commitCalls(db, [call]);
    settle(waiter, answer);
    onCommit({ commands: 1, durationMs: clock.monotonicMs() - startedMs, waitedMs: 0 });
  };
  return {
    call: (call) =>
      new Promise((resolve, reject) => {
        last = last.then(() => run(call, { resolve, reject }));
      }),
    between: (work) => (last = last.then(() => work(db))),
    close: async () => {
      await last;
      file[Symbol.dispose]();
    },
  };
}
