/**
 * Every verb of the contract by its name, as a step inside a transaction: what a call names is what runs, here or
 * behind a thread.
 */
import type { VerbAnswer } from "../calls.ts";
import type { VerbName } from "../contract/verbs.ts";
import { loadAccount, putAccount } from "./accounts.ts";
import { loadActivity } from "./activity.ts";
import { deleteAlert, saveAlert } from "./alerts.ts";
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
import { countAttempts } from "./count-attempts.ts";
import { loadDelivery, recordTestDelivery } from "./deliveries.ts";
import { listDestinationChanges, setDestinationState } from "./destination-changes.ts";
import { loadDestinations } from "./destination-reports.ts";
import { acceptEvents } from "./events.ts";
import { cancelWaiting, expireWaiting } from "./expire.ts";
import {
  claimInboxRecords,
  countInbox,
  listRefusedRecords,
  refuseInboxRecordsIfClaimed,
  releaseInboxRecordsIfClaimed,
} from "./inbox.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listEvents, loadEvent } from "./list-events.ts";
import { listReplays } from "./list-replays.ts";
import { addMailAddress, loadMailAddresses, removeMailAddress, requestConfirmation } from "./mail-addresses.ts";
import { claimConfirmations, settleConfirmationIfClaimed } from "./mail-confirmations.ts";
import { claimDigests, settleDigestIfClaimed } from "./mail-digests.ts";
import { loadMailLink, useMailLink } from "./mail-links.ts";
import { claimOperatorNotices, noteCondition, settleOperatorNoticeIfClaimed } from "./operator-notices.ts";
import { purge } from "./purge.ts";
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

export const VERBS: {
  readonly [Name in VerbName]: (tx: Transaction, params: VerbParams<Name>) => VerbAnswer<Name>;
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
  countDestinations,
  probe,
  loadSetting,
  saveSetting,
  saveSettingUnlessThere,
};
