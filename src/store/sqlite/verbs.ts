/**
 * Every verb of the contract by its name, as a step inside a transaction: what a call names is what runs, here or
 * behind a thread.
 */
import type { VerbAnswer, VerbParams } from "../calls.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { VerbName } from "../contract/store.ts";
import { claimDueDeliveries, releaseClaims } from "./path/claims.ts";
import { loadConfigVersions } from "./path/config-version.ts";
import { recordTestDelivery } from "./log/deliveries.ts";
import { changeDestination, findDestination, lowerDueBound, shortenQueue } from "./path/destinations.ts";
import { ERASE_STEPS } from "./erase.ts";
import { acceptEvents } from "./path/events.ts";
import {
  claimInboxRecords,
  countInbox,
  eraseFromInbox,
  listRefusedRecords,
  refuseInboxRecordsIfClaimed,
  releaseInboxRecordsIfClaimed,
} from "./inbox.ts";
import { freezeItems } from "./log/freeze-items.ts";
import { cancelDeliveries, writeExpired } from "./path/pending-rows.ts";
import { listPulledDue, PULL_STEPS } from "./path/pulls.ts";
import { purge } from "./retention/purge.ts";
import { SEARCH_READS, SEARCH_STEPS } from "./log/search.ts";
import type { Dialect } from "../sql/dialect.ts";
import { settleAttemptsIfClaimed } from "./path/settlements.ts";
import { countWaiting } from "./path/statistics.ts";
import { resendDeliveries } from "./path/resends.ts";
import { READ_VERBS } from "./reader/read-verbs.ts";
import { SHARED_VERBS } from "../sql/verbs.ts";
import type { Transaction } from "./transaction.ts";

/** The steps of shared verbs that this store takes in its own way. */
export const DIALECT: Dialect<Transaction> = {
  lockDestination: findDestination,
  // One process has the file.
  mayWrite: () => true,
  changeDestination,
  resendDeliveries,
  lowerDueBound,
  freezeItems,
  shortenQueue,
  writeExpired,
  cancelDeliveries,
  ...SEARCH_READS,
  ...SEARCH_STEPS,
  ...ERASE_STEPS,
  ...PULL_STEPS,
};

export const VERBS: {
  readonly [Name in VerbName]: (
    tx: Transaction,
    params: VerbParams<Name, AttemptColumns>,
    dialect: Dialect<Transaction>,
  ) => VerbAnswer<Name> | Promise<VerbAnswer<Name>>;
} = {
  ...SHARED_VERBS,
  ...READ_VERBS,
  loadConfigVersions,
  claimInboxRecords,
  releaseInboxRecordsIfClaimed,
  refuseInboxRecordsIfClaimed,
  listRefusedRecords,
  countInbox,
  eraseFromInbox,
  acceptEvents,
  claimDueDeliveries,
  settleAttemptsIfClaimed,
  releaseClaims,
  listPulledDue,
  recordTestDelivery,
  purge,
  countWaiting,
};
