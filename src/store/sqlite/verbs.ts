/**
 * Every verb of the contract by its name, as a step inside a transaction: what a call names is what runs, here or
 * behind a thread. Params are those of the contract, save that attempts travel as ready columns (see `attempts.ts`).
 */
import type { RecordTestDelivery, SettleAttempts, Settlement, Store } from "../store.ts";
import { loadAccount, putAccount } from "./accounts.ts";
import { saveAlert } from "./alerts.ts";
import type { AttemptColumns } from "./attempts.ts";
import { putChatAssistant, saveAssistantDestination } from "./chat-assistants.ts";
import { claimDueDeliveries, releaseClaims } from "./claims.ts";
import { loadDelivery, recordTestDelivery } from "./deliveries.ts";
import { listDestinationChanges, setDestinationState } from "./destination-changes.ts";
import { acceptEvents } from "./events.ts";
import { expireWaiting } from "./expire.ts";
import { purge } from "./purge.ts";
import { stepReplays } from "./replay-steps.ts";
import { createReplay, loadReplay, setReplayState } from "./replays.ts";
import { requestResend } from "./resends.ts";
import { loadSetting, probe, saveSetting } from "./settings.ts";
import { settleAttemptsIfClaimed } from "./settlements.ts";
import { createSignInLink } from "./sign-in-links.ts";
import { countWaiting } from "./statistics.ts";
import type { Transaction } from "./transaction.ts";

export type VerbName = Exclude<keyof Store, typeof Symbol.asyncDispose>;

export type PackedSettlement = Omit<Settlement, "attempt"> & { readonly attempt: AttemptColumns };

/** Verbs whose params are packed before they travel. */
interface PackedParams {
  settleAttemptsIfClaimed: Omit<SettleAttempts, "settlements"> & { readonly settlements: readonly PackedSettlement[] };
  recordTestDelivery: Omit<RecordTestDelivery, "attempt"> & { readonly attempt: AttemptColumns };
}

export type VerbParams<Name extends VerbName> = Name extends keyof PackedParams
  ? PackedParams[Name]
  : Parameters<Store[Name]>[0];

export type VerbAnswer<Name extends VerbName> = Awaited<ReturnType<Store[Name]>>;

/** A verb to run, as it crosses the thread. */
export interface Call {
  readonly verb: VerbName;
  readonly params: VerbParams<VerbName>;
}

export function callOf<Name extends VerbName>(verb: Name, params: VerbParams<Name>): Call {
  return { verb, params };
}

export const VERBS: {
  readonly [Name in VerbName]: (tx: Transaction, params: VerbParams<Name>) => VerbAnswer<Name>;
} = {
  putAccount,
  putChatAssistant,
  saveAlert,
  saveAssistantDestination,
  loadAccount,
  createSignInLink,
  acceptEvents,
  claimDueDeliveries,
  settleAttemptsIfClaimed,
  releaseClaims,
  recordTestDelivery,
  setDestinationState,
  listDestinationChanges,
  requestResend,
  createReplay,
  stepReplays,
  setReplayState,
  loadReplay,
  purge,
  expireWaiting,
  loadDelivery,
  countWaiting,
  probe,
  loadSetting,
  saveSetting,
};
