/**
 * Every verb of the contract by its name, as a step inside a transaction: what a call names is what runs. Verbs of
 * the event's path take the params of many calls at once.
 */
import type { VerbAnswer, VerbParams } from "../calls.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { VerbName } from "../contract/store.ts";
import { loadActivity } from "./log/activity.ts";
import { countAttempts } from "./figures/count-attempts.ts";
import { claimDueDeliveries, releaseClaims } from "./path/claims.ts";
import { loadConfigVersions, type PathWork } from "./path/path-state.ts";
import { countDeliveries } from "./log/count-deliveries.ts";
import { loadDelivery, recordTestDelivery } from "./log/deliveries.ts";
import { changeDestination, lockDestination, lowerDueBound, shortenQueue } from "./path/destinations.ts";
import { countWaitingOfAccount, loadDestinations } from "./log/destination-reports.ts";
import { countIncident } from "./figures/incident-figures.ts";
import { ERASE_STEPS, eraseFromInbox } from "./erase.ts";
import { acceptEvents } from "./path/events.ts";
import {
  claimInboxRecords,
  countInbox,
  listRefusedRecords,
  refuseInboxRecordsIfClaimed,
  releaseInboxRecordsIfClaimed,
} from "./inbox.ts";
import { freezeItems } from "./log/freeze-items.ts";
import { listDeliveries } from "./log/list-deliveries.ts";
import { listEventBodies, listEvents, loadEvent } from "./log/list-events.ts";
import { listPulledDue, PULL_STEPS } from "./path/pulls.ts";
import { purge } from "./retention/purge.ts";
import { mayWriteNow } from "./schema/forms.ts";
import { writeExpired } from "./path/leases.ts";
import { SEARCH_READS, SEARCH_STEPS } from "./log/search.ts";
import type { Dialect } from "../sql/dialect.ts";
import { settleAttemptsIfClaimed } from "./path/settlements.ts";
import { countWaiting } from "./path/statistics.ts";
import { cancelDeliveries, resendDeliveries } from "./path/resends.ts";
import { SHARED_VERBS } from "../sql/verbs.ts";
import type { Transaction } from "./transaction.ts";

export type JoinedVerb = "acceptEvents" | "settleAttemptsIfClaimed";

/** Those of which many calls share a transaction. */
export const JOINED_VERBS: {
  readonly [Name in JoinedVerb]: (
    tx: Transaction,
    params: readonly VerbParams<Name, AttemptColumns>[],
  ) => PathWork<VerbAnswer<Name>>;
} = {
  acceptEvents,
  settleAttemptsIfClaimed,
};

/** The steps of shared verbs that this store takes in its own way. */
export const DIALECT: Dialect<Transaction> = {
  lockDestination,
  mayWrite: mayWriteNow,
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

/** Those that each have a transaction of their own. */
export const VERBS: {
  readonly [Name in Exclude<VerbName, JoinedVerb>]: (
    tx: Transaction,
    params: VerbParams<Name, AttemptColumns>,
    dialect: Dialect<Transaction>,
  ) => Promise<VerbAnswer<Name>>;
} = {
  ...SHARED_VERBS,
  loadConfigVersions,
  loadActivity,
  listDeliveries,
  countDeliveries,
  listEvents,
  loadEvent,
  listEventBodies,
  loadDestinations,
  countWaitingOfAccount,
  countAttempts,
  countIncident,
  claimInboxRecords,
  releaseInboxRecordsIfClaimed,
  refuseInboxRecordsIfClaimed,
  listRefusedRecords,
  countInbox,
  eraseFromInbox,
  claimDueDeliveries,
  releaseClaims,
  listPulledDue,
  recordTestDelivery,
  purge,
  loadDelivery,
  countWaiting,
};
