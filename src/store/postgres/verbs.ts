/**
 * Every verb of the contract by its name, as a step inside a transaction: what a call names is what runs. Verbs of
 * the event's path take the params of many calls at once.
 */
import type { VerbAnswer } from "../calls.ts";
import type { VerbName } from "../contract/verbs.ts";
import { loadAccount, putAccount } from "./accounts.ts";
import { loadActivity } from "./activity.ts";
import { deleteAlert, saveAlert } from "./alerts.ts";
import { countAttempts } from "./attempt-counts.ts";
import { listAudit, writeAudit } from "./audit.ts";
import type { VerbParams } from "./call.ts";
import {
  putChatAssistant,
  removeAssistantDestination,
  saveAssistantDestination,
  loadAssistant,
} from "./chat-assistants.ts";
import { claimDueDeliveries, releaseClaims } from "./claims.ts";
import { loadConfigVersions } from "./config-version.ts";
import { loadDelivery, recordTestDelivery } from "./deliveries.ts";
import { listDestinationChanges, setDestinationState } from "./destination-changes.ts";
import { loadDestinations } from "./destination-reports.ts";
import { acceptEvents } from "./events.ts";
import { cancelWaiting, expireWaiting } from "./expire.ts";
import { claimInboxRecords, countInbox, refuseInboxRecordsIfClaimed, releaseInboxRecordsIfClaimed } from "./inbox.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listEvents, loadEvent } from "./list-events.ts";
import { listReplays } from "./list-replays.ts";
import { addMailAddress, loadMailAddresses, removeMailAddress, requestConfirmation } from "./mail-addresses.ts";
import { claimConfirmations, settleConfirmationIfClaimed } from "./mail-confirmations.ts";
import { claimDigests, settleDigestIfClaimed } from "./mail-digests.ts";
import { loadMailLink, useMailLink } from "./mail-links.ts";
import { claimOperatorNotices, noteCondition, settleOperatorNoticeIfClaimed } from "./operator-notices.ts";
import { purge } from "./purge.ts";
import { listRefusedRecords } from "./refused-records.ts";
import { stepReplays } from "./replay-steps.ts";
import { createReplay, loadReplay, setReplayState } from "./replays.ts";
import { requestResend } from "./resends.ts";
import { rotateSecret, switchSecret } from "./secrets.ts";
import { endSessions } from "./end-sessions.ts";
import { endSession, listSessions, loadSession, openSession } from "./sessions.ts";
import { loadSetting, probe, saveSetting, saveSettingUnlessThere } from "./settings.ts";
import { settleAttemptsIfClaimed } from "./settlements.ts";
import { createSignInLink } from "./sign-in-links.ts";
import { countDestinations, countWaiting } from "./statistics.ts";
import type { Transaction } from "./transaction.ts";

export type JoinedVerb = "acceptEvents" | "settleAttemptsIfClaimed";

/** Those of which many calls share a transaction. */
export const JOINED_VERBS: {
  readonly [Name in JoinedVerb]: (
    tx: Transaction,
    params: readonly VerbParams<Name>[],
  ) => Promise<readonly VerbAnswer<Name>[]>;
} = {
  acceptEvents,
  settleAttemptsIfClaimed,
};

/** Those that each have a transaction of their own. */
export const VERBS: {
  readonly [Name in Exclude<VerbName, JoinedVerb>]: (
    tx: Transaction,
    params: VerbParams<Name>,
  ) => Promise<VerbAnswer<Name>>;
} = {
  putAccount,
  putChatAssistant,
  saveAlert,
  saveAssistantDestination,
  loadAccount,
  loadAssistant,
  loadConfigVersions,
  createSignInLink,
  openSession,
  loadSession,
  endSession,
  listSessions,
  endSessions,
  deleteAlert,
  removeAssistantDestination,
  cancelWaiting,
  rotateSecret,
  switchSecret,
  addMailAddress,
  removeMailAddress,
  requestConfirmation,
  loadMailAddresses,
  loadMailLink,
  useMailLink,
  writeAudit,
  loadActivity,
  listAudit,
  listDeliveries,
  listEvents,
  loadEvent,
  loadDestinations,
  listReplays,
  countAttempts,
  claimConfirmations,
  settleConfirmationIfClaimed,
  claimDigests,
  settleDigestIfClaimed,
  noteCondition,
  claimOperatorNotices,
  settleOperatorNoticeIfClaimed,
  claimInboxRecords,
  releaseInboxRecordsIfClaimed,
  refuseInboxRecordsIfClaimed,
  listRefusedRecords,
  countInbox,
  claimDueDeliveries,
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
  countDestinations,
  probe,
  loadSetting,
  saveSetting,
  saveSettingUnlessThere,
};
