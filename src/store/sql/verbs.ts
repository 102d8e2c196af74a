/**
 * The cold verbs, written once for both stores. A store passes in the few steps that it takes in its own way, and
 * spreads these verbs into its own table beside the event's path.
 */
import { loadAccount, putAccount } from "./set-up/accounts.ts";
import { deleteAlert, saveAlert } from "./set-up/alerts.ts";
import { listAudit, writeAudit } from "./audit.ts";
import {
  addChannel,
  claimChannelDigests,
  loadChannels,
  noteChannelTest,
  removeChannel,
  settleChannelDigestIfClaimed,
} from "./news/channels.ts";
import {
  loadAssistant,
  putChatAssistant,
  removeAssistantDestination,
  saveAssistantDestination,
} from "./set-up/chat-assistants.ts";
import {
  type DeleteDestination,
  deleteDestination,
  listDestinationChanges,
  setDestinationState,
} from "./path/destination-changes.ts";
import { listUnreadCertificates, noteCertificateEnd } from "./news/certificates.ts";
import type { Dialect } from "./dialect.ts";
import { endSessions } from "./people/end-sessions.ts";
import { cancelWaiting, expireWaiting } from "./retention/expire.ts";
import { listIncidents } from "./news/incidents.ts";
import { listReplays } from "./replays/list-replays.ts";
import { addMailAddress, loadMailAddresses, removeMailAddress, requestConfirmation } from "./news/mail-addresses.ts";
import { claimConfirmations, settleConfirmationIfClaimed } from "./news/mail-confirmations.ts";
import { claimDigests, settleDigestIfClaimed } from "./news/mail-digests.ts";
import { loadMailLink, useMailLink } from "./news/mail-links.ts";
import { claimOperatorNotices, noteCondition, settleOperatorNoticeIfClaimed } from "./news/operator-notices.ts";
import { findNextDue } from "./path/next-due.ts";
import { stepReplays } from "./replays/replay-steps.ts";
import { createReplay, loadReplay, setReplayState } from "./replays/replays.ts";
import { requestResends } from "./path/resends.ts";
import { rotateSecret, switchSecret } from "./set-up/secrets.ts";
import { sendWaiting } from "./path/send-waiting.ts";
import { endSession, listSessions, loadSession, openSession } from "./people/sessions.ts";
import { loadSetting, probe, saveSetting, saveSettingUnlessThere } from "./settings.ts";
import { createSignInLink } from "./people/sign-in-links.ts";
import { countDestinations } from "./path/statistics.ts";
import type { SqlTransaction } from "./transaction.ts";

/** Those that need no step of the store's own. */
const VERBS = {
  putAccount,
  loadAccount,
  putChatAssistant,
  loadAssistant,
  rotateSecret,
  switchSecret,
  writeAudit,
  listAudit,
  createSignInLink,
  openSession,
  loadSession,
  endSession,
  listSessions,
  endSessions,
  addMailAddress,
  removeMailAddress,
  requestConfirmation,
  loadMailAddresses,
  loadMailLink,
  useMailLink,
  claimConfirmations,
  settleConfirmationIfClaimed,
  claimDigests,
  settleDigestIfClaimed,
  addChannel,
  removeChannel,
  loadChannels,
  noteChannelTest,
  claimChannelDigests,
  settleChannelDigestIfClaimed,
  listUnreadCertificates,
  noteCertificateEnd,
  noteCondition,
  claimOperatorNotices,
  settleOperatorNoticeIfClaimed,
  listDestinationChanges,
  listIncidents,
  listReplays,
  loadReplay,
  setReplayState,
  countDestinations,
  findNextDue,
  probe,
  loadSetting,
  saveSetting,
  saveSettingUnlessThere,
};

type Params<Verb extends (tx: never, params: never, ...rest: never[]) => unknown> = Parameters<Verb>[1];

export function sharedVerbs<Tx extends SqlTransaction>(dialect: Dialect<Tx>) {
  const deleting: DeleteDestination<Tx> = (tx, id, deletion) => deleteDestination(tx, id, { ...deletion, ...dialect });
  return {
    ...VERBS,
    deleteAlert: (tx: Tx, params: Params<typeof deleteAlert>) => deleteAlert(tx, params, deleting),
    removeAssistantDestination: (tx: Tx, params: Params<typeof removeAssistantDestination>) =>
      removeAssistantDestination(tx, params, deleting),
    setDestinationState: (tx: Tx, params: Params<typeof setDestinationState>) =>
      setDestinationState(tx, params, dialect),
    cancelWaiting: (tx: Tx, params: Params<typeof cancelWaiting>) => cancelWaiting(tx, params, dialect),
    expireWaiting: (tx: Tx, params: Params<typeof expireWaiting>) => expireWaiting(tx, params, dialect),
    saveAlert: (tx: Tx, params: Params<typeof saveAlert>) => saveAlert(tx, params, dialect),
    saveAssistantDestination: (tx: Tx, params: Params<typeof saveAssistantDestination>) =>
      saveAssistantDestination(tx, params, dialect),
    sendWaiting: (tx: Tx, params: Params<typeof sendWaiting>) => sendWaiting(tx, params, dialect),
    requestResends: (tx: Tx, params: Params<typeof requestResends>) => requestResends(tx, params, dialect),
    createReplay: (tx: Tx, params: Params<typeof createReplay>) => createReplay(tx, params, dialect),
    stepReplays: (tx: Tx, params: Params<typeof stepReplays>) => stepReplays(tx, params, dialect),
  };
}
