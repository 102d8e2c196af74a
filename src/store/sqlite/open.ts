/**
 * The store on SQLite. A file is served by a thread of its own behind a group commit; ":memory:" runs the same verbs at
 * once on the caller's thread, one transaction a call, so that a test or the simulator sees one fixed order.
 */
import type { Clock } from "../../lib/clock.ts";
import { type Store, StoreUnavailable } from "../store.ts";
import { packAttempt } from "./attempts.ts";
import { commitCalls } from "./commit-calls.ts";
import { assertSqliteIsSafe, openMemory } from "./database-file.ts";
import { type CommitInfo, createGroupCommit, settle } from "./group-commit.ts";
import { type Call, callOf, type VerbAnswer, type VerbName, type VerbParams } from "./verbs.ts";
import { startWriter } from "./writer.ts";

export interface OpenSqliteStore {
  /** A file's path, made with its folder when missing, or ":memory:". */
  readonly path: string;
  readonly clock: Clock;
  /** Called after each commit. */
  readonly onCommit?: (info: CommitInfo) => void;
}

/** Rejects with `StoreUnusable` (damaged, too new, in use, no rights) or `StoreUnavailable` (the disk fails now). */
export async function openSqliteStore({ path, clock, onCommit = () => {} }: OpenSqliteStore): Promise<Store> {
  assertSqliteIsSafe(process.versions.sqlite ?? "0");
  const options = { clock, onCommit };
  return storeOver(path === ":memory:" ? openInline(options) : await openThreaded({ path, ...options }));
}

/** Where calls go. */
interface Access {
  call(call: Call): Promise<VerbAnswer<VerbName>>;
  /** Finishes what was called, then closes. */
  close(): Promise<void>;
}

type AccessOptions = Required<Omit<OpenSqliteStore, "path">>;

async function openThreaded({ path, clock, onCommit }: Required<OpenSqliteStore>): Promise<Access> {
  const writer = await startWriter({ path, nowMs: clock.nowMs() });
  const queue = createGroupCommit({ commit: writer.commit, clock, onCommit });
  return {
    call: queue.call,
    async close() {
      await queue.drained();
      await writer.close();
    },
  };
}

function openInline({ clock, onCommit }: AccessOptions): Access {
  const file = openMemory({ nowMs: clock.nowMs() });
  return {
    call(call) {
      return new Promise((resolve, reject) => {
        const startedMs = clock.monotonicMs();
        const [answer] = commitCalls(file.db, [call]);
        settle({ resolve, reject }, answer);
        onCommit({ commands: 1, durationMs: clock.monotonicMs() - startedMs });
      });
    },
    close: async () => file[Symbol.dispose](),
  };
}

function storeOver(access: Access): Store {
  let closing: Promise<void> | null = null;

  function run<Name extends VerbName>(verb: Name, params: VerbParams<Name>): Promise<VerbAnswer<Name>> {
    if (closing !== null) return Promise.reject(new StoreUnavailable(`${verb}: the store is closed`));
    // An answer belongs to the verb of its call.
    return access.call(callOf(verb, params)) as Promise<VerbAnswer<Name>>;
  }

  return {
    putAccount: (params) => run("putAccount", params),
    putChatAssistant: (params) => run("putChatAssistant", params),
    saveAlert: (params) => run("saveAlert", params),
    saveAssistantDestination: (params) => run("saveAssistantDestination", params),
    loadAccount: (params) => run("loadAccount", params),
    createSignInLink: (params) => run("createSignInLink", params),
    openSession: (params) => run("openSession", params),
    loadSession: (params) => run("loadSession", params),
    endSession: (params) => run("endSession", params),
    deleteAlert: (params) => run("deleteAlert", params),
    removeAssistantDestination: (params) => run("removeAssistantDestination", params),
    cancelWaiting: (params) => run("cancelWaiting", params),
    rotateSecret: (params) => run("rotateSecret", params),
    switchSecret: (params) => run("switchSecret", params),
    saveFailureMail: (params) => run("saveFailureMail", params),
    loadFailureMail: (params) => run("loadFailureMail", params),
    writeAudit: (params) => run("writeAudit", params),
    listAudit: (params) => run("listAudit", params),
    listDeliveries: (params) => run("listDeliveries", params),
    listEvents: (params) => run("listEvents", params),
    loadEvent: (params) => run("loadEvent", params),
    loadDestinations: (params) => run("loadDestinations", params),
    listReplays: (params) => run("listReplays", params),
    countAttempts: (params) => run("countAttempts", params),
    claimNotices: (params) => run("claimNotices", params),
    acknowledgeNotice: (params) => run("acknowledgeNotice", params),
    acceptEvents: (params) => run("acceptEvents", params),
    claimDueDeliveries: (params) => run("claimDueDeliveries", params),
    settleAttemptsIfClaimed: ({ nowMs, settlements }) =>
      run("settleAttemptsIfClaimed", {
        nowMs,
        settlements: settlements.map((settlement) => ({ ...settlement, attempt: packAttempt(settlement.attempt) })),
      }),
    releaseClaims: (params) => run("releaseClaims", params),
    recordTestDelivery: (params) => run("recordTestDelivery", { ...params, attempt: packAttempt(params.attempt) }),
    setDestinationState: (params) => run("setDestinationState", params),
    listDestinationChanges: (params) => run("listDestinationChanges", params),
    requestResend: (params) => run("requestResend", params),
    createReplay: (params) => run("createReplay", params),
    stepReplays: (params) => run("stepReplays", params),
    setReplayState: (params) => run("setReplayState", params),
    loadReplay: (params) => run("loadReplay", params),
    purge: (params) => run("purge", params),
    expireWaiting: (params) => run("expireWaiting", params),
    loadDelivery: (params) => run("loadDelivery", params),
    countWaiting: (params) => run("countWaiting", params),
    probe: (params) => run("probe", params),
    loadSetting: (params) => run("loadSetting", params),
    saveSetting: (params) => run("saveSetting", params),
    [Symbol.asyncDispose]: () => (closing ??= access.close()),
  };
}
