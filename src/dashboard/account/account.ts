/** The account page: who did what. */
import type { AuditEntry } from "../contract/session.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { AuditAction, StoredAuditEntry } from "../../store/contract/people.ts";
import { readSeqCursor, writeSeqCursor } from "../call/cursor.ts";
import { invalidQuery, type Handlers } from "../call/operation.ts";

const ENTRIES_PER_PAGE = 50;

export const accountHandlers = {
  async "GET /audit"({ accounts: { store } }, { session: { accountId }, query }) {
    const before = readSeqCursor(query.cursor);
    if (!before.ok) return refuse(invalidQuery([before.error]));
    const limit = ENTRIES_PER_PAGE + 1;
    const found = await store.listAudit({ accountId, before: before.value, limit });
    const shown = found.slice(0, ENTRIES_PER_PAGE);
    const last = found.length > ENTRIES_PER_PAGE ? shown.at(-1) : undefined;
    return ok({ entries: shown.map(toAuditEntry), nextCursor: last === undefined ? null : writeSeqCursor(last.seq) });
  },
} satisfies Handlers;

export function toAuditEntry({ atMs, person, role, address, action, subject }: StoredAuditEntry): AuditEntry {
  return { atMs, person, role, address, action: ACTION_WORDS[action], subject };
}

const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  signed_in: "Signed in",
  forward_started: "Began to forward webhooks to a developer's machine",
  signed_out: "Signed out",
  session_replaced: "Signed out by signing in again in the same browser",
  session_crowded_out: "Signed out the browser that was used longest ago: the account had its most",
  person_signed_out: "Signed a person out",
  person_erased: "Erased a person",
  alert_created: "Created an alert",
  alert_changed: "Changed an alert",
  alert_deleted: "Deleted an alert",
  webhook_created: "Created a webhook",
  webhook_changed: "Changed a webhook",
  webhook_deleted: "Deleted a webhook",
  assistant_webhook_changed: "Changed a chat assistant's webhook",
  assistant_webhook_removed: "Removed a chat assistant's webhook",
  destination_paused: "Paused a webhook",
  destination_turned_on: "Turned a webhook on",
  backlog_cancelled: "Cancelled what was waiting for a webhook",
  webhook_tested: "Tested a webhook",
  delivery_resent: "Sent a delivery again",
  delivery_skipped: "Skipped a delivery that others waited for",
  pull_token_made: "Made a token for a webhook that is asked",
  waiting_sent: "Sent what was waiting for a webhook",
  replay_prepared: "Prepared to send many deliveries again",
  replay_started: "Sent many deliveries again",
  replay_paused: "Paused sending again",
  replay_cancelled: "Stopped sending again",
  secret_revealed: "Revealed the verification secret",
  secret_rotated: "Rotated the verification secret",
  secret_stopped: "Stopped the previous verification secret",
  secret_rotation_cancelled: "Went back to the previous verification secret",
  key_added: "Began to sign with a public key too",
  key_rotated: "Rotated the public key",
  key_stopped: "Stopped the previous public key",
  key_rotation_cancelled: "Went back to the previous public key",
  key_removed: "Stopped signing with a public key",
  mail_address_added: "Named an address for failure e-mail",
  mail_address_removed: "Removed an address for failure e-mail",
  mail_address_asked: "Sent a confirmation e-mail again",
  mail_address_confirmed: "Confirmed failure e-mail by a link",
  mail_address_stopped: "Stopped failure e-mail by a link",
  mail_address_started: "Started failure e-mail again by a link",
  news_channel_added: "Added a channel for news of failures",
  news_channel_removed: "Removed a channel for news of failures",
  news_channel_tested: "Tested a channel for news of failures",
  read_key_made: "Made a read key",
  read_key_taken_back: "Took a read key back",
  manage_key_made: "Made a manage key",
  manage_key_taken_back: "Took a manage key back",
  account_suspended: "Suspended the account",
  account_resumed: "Let the account go on",
  account_deleted: "Deleted the account",
};
