/**
 * Every verb of the contract by its name, as a step inside a transaction: what a call names is what runs, here or
 * behind a thread.
 */
import type { VerbAnswer, VerbParams } from "../calls.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { VerbName } from "../contract/verbs.ts";
import { loadActivity } from "./activity.ts";
import { claimDueDeliveries, releaseClaims } from "./claims.ts";
import { loadConfigVersions } from "./config-version.ts";
import { countDeliveries } from "./count-deliveries.ts";
import { countAttempts } from "./count-attempts.ts";
import { loadDelivery, recordTestDelivery } from "./deliveries.ts";
import { changeDestination } from "./destination-changes.ts";
import { findDestination, lowerDueBound, shortenQueue } from "./destination-now.ts";
import { loadDestinations } from "./destination-reports.ts";
import { countIncident } from "./incident-figures.ts";
import { acceptEvents } from "./events.ts";
import {
  claimInboxRecords,
  countInbox,
  listRefusedRecords,
  refuseInboxRecordsIfClaimed,
  releaseInboxRecordsIfClaimed,
} from "./inbox.ts";
import { freezeItems } from "./freeze-items.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listEvents, loadEvent } from "./list-events.ts";
import { writeDownLapsed } from "./write-down.ts";
import { purge } from "./purge.ts";
import { SEARCH_READS, SEARCH_STEPS } from "./search.ts";
import { indexEvents } from "../sql/search-blocks.ts";
import { searchDeliveries, searchEvents } from "../sql/search.ts";
import { settleAttemptsIfClaimed } from "./settlements.ts";
import { countWaiting } from "./statistics.ts";
import { resendDeliveries } from "./resends.ts";
import { sharedVerbs } from "../sql/verbs.ts";
import type { Transaction } from "./transaction.ts";

export const VERBS: {
  readonly [Name in VerbName]: (
    tx: Transaction,
    params: VerbParams<Name, AttemptColumns>,
  ) => VerbAnswer<Name> | Promise<VerbAnswer<Name>>;
} = {
  ...sharedVerbs<Transaction>({
    lockDestination: findDestination,
    changeDestination,
    resendDeliveries,
    lowerDueBound,
    freezeItems,
    shortenQueue,
    writeDownLapsed,
  }),
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
  acceptEvents,
  claimDueDeliveries,
  settleAttemptsIfClaimed,
  releaseClaims,
  recordTestDelivery,
  purge,
  loadDelivery,
  countWaiting,
};
