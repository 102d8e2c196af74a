/**
 * Every verb of the contract by its name, as a step inside a transaction: what a call names is what runs. Verbs of
 * the event's path take the params of many calls at once.
 */
import type { VerbAnswer, VerbParams } from "../calls.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { VerbName } from "../contract/verbs.ts";
import { loadActivity } from "./activity.ts";
import { countAttempts } from "./count-attempts.ts";
import { claimDueDeliveries, releaseClaims } from "./claims.ts";
import { loadConfigVersions } from "./config-version.ts";
import { countDeliveries } from "./count-deliveries.ts";
import { loadDelivery, recordTestDelivery } from "./deliveries.ts";
import { lowerDueBound, shortenQueue } from "./destination-now.ts";
import { changeDestination, lockDestination } from "./destination-changes.ts";
import { loadDestinations } from "./destination-reports.ts";
import { countIncident } from "./incident-figures.ts";
import { acceptEvents } from "./events.ts";
import { claimInboxRecords, countInbox, refuseInboxRecordsIfClaimed, releaseInboxRecordsIfClaimed } from "./inbox.ts";
import { freezeItems } from "./freeze-items.ts";
import { freeLettersHere } from "./letters.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listEvents, loadEvent } from "./list-events.ts";
import { purge } from "./purge.ts";
import { listRefusedRecords } from "./refused-records.ts";
import { writeDownLapsed } from "./lapsed.ts";
import { SEARCH_READS, SEARCH_STEPS } from "./search.ts";
import { indexEvents } from "../sql/search-blocks.ts";
import { searchDeliveries, searchEvents } from "../sql/search.ts";
import { settleAttemptsIfClaimed } from "./settlements.ts";
import { countWaiting } from "./statistics.ts";
import { resendDeliveries } from "./resends.ts";
import { claimConfirmations } from "../sql/mail-confirmations.ts";
import { sharedVerbs } from "../sql/verbs.ts";
import type { Transaction } from "./transaction.ts";

export type JoinedVerb = "acceptEvents" | "settleAttemptsIfClaimed";

/** Those of which many calls share a transaction. */
export const JOINED_VERBS: {
  readonly [Name in JoinedVerb]: (
    tx: Transaction,
    params: readonly VerbParams<Name, AttemptColumns>[],
  ) => Promise<readonly VerbAnswer<Name>[]>;
} = {
  acceptEvents,
  settleAttemptsIfClaimed,
};

/** Those that each have a transaction of their own. */
export const VERBS: {
  readonly [Name in Exclude<VerbName, JoinedVerb>]: (
    tx: Transaction,
    params: VerbParams<Name, AttemptColumns>,
  ) => Promise<VerbAnswer<Name>>;
} = {
  ...sharedVerbs<Transaction>({
    lockDestination,
    changeDestination,
    resendDeliveries,
    lowerDueBound,
    freezeItems,
    shortenQueue,
    writeDownLapsed,
  }),
  claimConfirmations: (tx, params) => claimConfirmations(tx, params, freeLettersHere(tx)),
  loadConfigVersions,
  loadActivity,
  listDeliveries,
  countDeliveries,
  listEvents,
  loadEvent,
  searchDeliveries: (tx, params) => searchDeliveries(tx, params, SEARCH_READS),
  searchEvents: (tx, params) => searchEvents(tx, params, SEARCH_READS),
  indexEvents: (tx, params) => indexEvents(tx, params, SEARCH_STEPS),
  loadDestinations,
  countAttempts,
  countIncident,
  claimInboxRecords,
  releaseInboxRecordsIfClaimed,
  refuseInboxRecordsIfClaimed,
  listRefusedRecords,
  countInbox,
  claimDueDeliveries,
  releaseClaims,
  recordTestDelivery,
  purge,
  loadDelivery,
  countWaiting,
};
