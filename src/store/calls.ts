/**
 * A store behind a queue: each verb of the contract as a call that can wait, travel and share a transaction with
 * others. What a store does with a call is its own; this is the way there, the same for all of them.
 *
 * `Columns` is an attempt as that store takes it: packed on the caller's side, before it waits.
 */
import { assert } from "../lib/assert.ts";
import type { AttemptRecord } from "../domain/attempt.ts";
import type { InboxVerbs } from "./inbox-verbs.ts";
import type { SessionVerbs } from "./session-verbs.ts";
import type { MailVerbs } from "./mail-verbs.ts";
import {
  type RecordTestDelivery,
  type SettleAttempts,
  type Settlement,
  type Store,
  StoreUnavailable,
} from "./store.ts";

export type VerbName = Exclude<keyof Store, typeof Symbol.asyncDispose>;

export type PackedSettlement<Columns> = Omit<Settlement, "attempt"> & { readonly attempt: Columns };

/** Verbs whose params are packed before they travel. */
interface PackedParams<Columns> {
  settleAttemptsIfClaimed: Omit<SettleAttempts, "settlements"> & {
    readonly settlements: readonly PackedSettlement<Columns>[];
  };
  recordTestDelivery: Omit<RecordTestDelivery, "attempt"> & { readonly attempt: Columns };
}

export type VerbParams<Name extends VerbName, Columns> = Name extends keyof PackedParams<Columns>
  ? PackedParams<Columns>[Name]
  : Parameters<Store[Name]>[0];

export type VerbAnswer<Name extends VerbName> = Awaited<ReturnType<Store[Name]>>;

/** A verb to run. */
export interface Call<Columns> {
  readonly verb: VerbName;
  readonly params: VerbParams<VerbName, Columns>;
}

/** What became of a call; `error` is a plain one, because an error's own class is lost on its way to another thread. */
export type Answer = { readonly kind: "done"; readonly value: unknown } | Failure;

export interface Failure {
  readonly kind: "unavailable" | "fault";
  readonly error: Error;
}

export interface Waiter {
  readonly resolve: (value: VerbAnswer<VerbName>) => void;
  readonly reject: (error: Error) => void;
}

/** Hands one caller its answer. */
export function settle(waiter: Waiter, answer: Answer | undefined): void {
  assert(answer !== undefined, "the store answered fewer calls than it was sent");
  switch (answer.kind) {
    case "done":
      return waiter.resolve(answer.value as VerbAnswer<VerbName>);
    case "unavailable":
      return waiter.reject(new StoreUnavailable(answer.error.message, { cause: answer.error.cause }));
    case "fault":
      return waiter.reject(answer.error);
  }
}

export interface CallAccess<Columns> {
  call(call: Call<Columns>): Promise<VerbAnswer<VerbName>>;
  /** Finishes what was called, then closes. */
  close(): Promise<void>;
  packAttempt(attempt: AttemptRecord): Columns;
}

/** The contract over calls. Once it closes, every verb rejects with `StoreUnavailable`. */
export function storeOver<Columns>({ call, close, packAttempt }: CallAccess<Columns>): Store {
  let closing: Promise<void> | null = null;

  function run<Name extends VerbName>(verb: Name, params: VerbParams<Name, Columns>): Promise<VerbAnswer<Name>> {
    if (closing !== null) return Promise.reject(new StoreUnavailable(`${verb}: the store is closed`));
    // An answer belongs to the verb of its call.
    return call({ verb, params }) as Promise<VerbAnswer<Name>>;
  }

  return {
    putAccount: (params) => run("putAccount", params),
    putChatAssistant: (params) => run("putChatAssistant", params),
    saveAlert: (params) => run("saveAlert", params),
    saveAssistantDestination: (params) => run("saveAssistantDestination", params),
    loadAccount: (params) => run("loadAccount", params),
    loadAssistant: (params) => run("loadAssistant", params),
    loadConfigVersions: (params) => run("loadConfigVersions", params),
    ...sessionsOver<Columns>(run),
    deleteAlert: (params) => run("deleteAlert", params),
    removeAssistantDestination: (params) => run("removeAssistantDestination", params),
    cancelWaiting: (params) => run("cancelWaiting", params),
    rotateSecret: (params) => run("rotateSecret", params),
    switchSecret: (params) => run("switchSecret", params),
    writeAudit: (params) => run("writeAudit", params),
    loadActivity: (params) => run("loadActivity", params),
    listAudit: (params) => run("listAudit", params),
    listDeliveries: (params) => run("listDeliveries", params),
    listEvents: (params) => run("listEvents", params),
    loadEvent: (params) => run("loadEvent", params),
    loadDestinations: (params) => run("loadDestinations", params),
    listReplays: (params) => run("listReplays", params),
    countAttempts: (params) => run("countAttempts", params),
    ...mailOver<Columns>(run),
    noteCondition: (params) => run("noteCondition", params),
    claimOperatorNotices: (params) => run("claimOperatorNotices", params),
    settleOperatorNoticeIfClaimed: (params) => run("settleOperatorNoticeIfClaimed", params),
    ...inboxOver<Columns>(run),
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
    countDestinations: (params) => run("countDestinations", params),
    probe: (params) => run("probe", params),
    loadSetting: (params) => run("loadSetting", params),
    saveSetting: (params) => run("saveSetting", params),
    saveSettingUnlessThere: (params) => run("saveSettingUnlessThere", params),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

type Run<Columns> = <Name extends VerbName>(verb: Name, params: VerbParams<Name, Columns>) => Promise<VerbAnswer<Name>>;

const sessionsOver = <Columns>(run: Run<Columns>): SessionVerbs => ({
  createSignInLink: (params) => run("createSignInLink", params),
  openSession: (params) => run("openSession", params),
  loadSession: (params) => run("loadSession", params),
  endSession: (params) => run("endSession", params),
  listSessions: (params) => run("listSessions", params),
  endSessions: (params) => run("endSessions", params),
});

const inboxOver = <Columns>(run: Run<Columns>): InboxVerbs => ({
  claimInboxRecords: (params) => run("claimInboxRecords", params),
  releaseInboxRecordsIfClaimed: (params) => run("releaseInboxRecordsIfClaimed", params),
  refuseInboxRecordsIfClaimed: (params) => run("refuseInboxRecordsIfClaimed", params),
  listRefusedRecords: (params) => run("listRefusedRecords", params),
  countInbox: (params) => run("countInbox", params),
});

const mailOver = <Columns>(run: Run<Columns>): MailVerbs => ({
  addMailAddress: (params) => run("addMailAddress", params),
  removeMailAddress: (params) => run("removeMailAddress", params),
  requestConfirmation: (params) => run("requestConfirmation", params),
  loadMailAddresses: (params) => run("loadMailAddresses", params),
  loadMailLink: (params) => run("loadMailLink", params),
  useMailLink: (params) => run("useMailLink", params),
  claimConfirmations: (params) => run("claimConfirmations", params),
  settleConfirmationIfClaimed: (params) => run("settleConfirmationIfClaimed", params),
  claimDigests: (params) => run("claimDigests", params),
  settleDigestIfClaimed: (params) => run("settleDigestIfClaimed", params),
});
