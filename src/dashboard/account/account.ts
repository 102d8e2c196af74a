/** The activity: who did what, also narrowed by a person, a webhook or a kind. */
import type { AuditKind } from "../../domain/audit-kinds.ts";
import type { AuditEntry } from "../contract/session.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { AuditAction, StoredAuditEntry } from "../../store/contract/people.ts";
import { readSeqCursor, writeSeqCursor } from "../call/cursor.ts";
import { invalidQuery, type Handlers } from "../call/operation.ts";

const ENTRIES_PER_PAGE = 50;
/** Where few fit, a page ends after these: each costs some microseconds, and no index knows them. */
const LOOKED_AT_MAX = 2_000;
const STEP = 500;

export const accountHandlers = {
  async "GET /audit"({ accounts: { store } }, { session: { accountId }, query: { cursor, q = "", kind } }) {
    const before = readSeqCursor(cursor);
    if (!before.ok) return refuse(invalidQuery([before.error]));
    const words = q.trim().toLowerCase();
    const fits = ({ action, person, subject, address }: StoredAuditEntry): boolean =>
      (kind === undefined || ACTION_WORDS[action][0] === kind) &&
      [person, subject, address ?? ""].some((text) => text.toLowerCase().includes(words));
    const limit = words === "" && kind === undefined ? ENTRIES_PER_PAGE + 1 : STEP;
    const entries: StoredAuditEntry[] = [];
    let from = before.value;
    let isEnd = false;
    for (let looked = 0; !isEnd && entries.length < ENTRIES_PER_PAGE && looked < LOOKED_AT_MAX; looked += limit) {
      const found = await store.listAudit({ accountId, before: from, limit });
      const fitting = found.filter(fits);
      const taken = fitting.slice(0, ENTRIES_PER_PAGE - entries.length);
      entries.push(...taken);
      const isCut = taken.length < fitting.length;
      from = (isCut ? taken : found).at(-1) ?? from;
      isEnd = found.length < limit && !isCut;
    }
    const nextCursor = isEnd || from === null ? null : writeSeqCursor(from.seq);
    return ok({ entries: entries.map(toAuditEntry), nextCursor });
  },
} satisfies Handlers;

export function toAuditEntry({ atMs, person, role, address, action, subject }: StoredAuditEntry): AuditEntry {
  return { atMs, person, role, address, action: ACTION_WORDS[action][1], subject };
}

const ACTION_WORDS: Readonly<Record<AuditAction, readonly [kind: AuditKind, words: string]>> = {
  signed_in: ["people", "Signed in"],
  forward_started: ["people", "Began to forward webhooks to a developer's machine"],
  signed_out: ["people", "Signed out"],
  session_replaced: ["people", "Signed out by signing in again in the same browser"],
  session_crowded_out: ["people", "Signed out the browser that was used longest ago: the account had its most"],
  person_signed_out: ["people", "Signed a person out"],
  person_erased: ["account", "Erased a person"],
  alert_created: ["setup", "Created an alert"],
  alert_changed: ["setup", "Changed an alert"],
  alert_deleted: ["setup", "Deleted an alert"],
  webhook_created: ["setup", "Created a webhook"],
  webhook_changed: ["setup", "Changed a webhook"],
  webhook_deleted: ["setup", "Deleted a webhook"],
  assistant_webhook_changed: ["setup", "Changed a chat assistant's webhook"],
  assistant_webhook_removed: ["setup", "Removed a chat assistant's webhook"],
  destination_paused: ["setup", "Paused a webhook"],
  destination_turned_on: ["setup", "Turned a webhook on"],
  backlog_cancelled: ["setup", "Cancelled what was waiting for a webhook"],
  webhook_tested: ["setup", "Tested a webhook"],
  delivery_resent: ["sending", "Sent a delivery again"],
  delivery_skipped: ["sending", "Skipped a delivery that others waited for"],
  pull_token_made: ["setup", "Made a token for a webhook that is asked"],
  waiting_sent: ["sending", "Sent what was waiting for a webhook"],
  replay_prepared: ["sending", "Prepared to send many deliveries again"],
  replay_started: ["sending", "Sent many deliveries again"],
  replay_paused: ["sending", "Paused sending again"],
  replay_cancelled: ["sending", "Stopped sending again"],
  secret_revealed: ["keys", "Revealed the verification secret"],
  secret_rotated: ["keys", "Rotated the verification secret"],
  secret_stopped: ["keys", "Stopped the previous verification secret"],
  secret_rotation_cancelled: ["keys", "Went back to the previous verification secret"],
  key_added: ["keys", "Began to sign with a public key too"],
  key_rotated: ["keys", "Rotated the public key"],
  key_stopped: ["keys", "Stopped the previous public key"],
  key_rotation_cancelled: ["keys", "Went back to the previous public key"],
  key_removed: ["keys", "Stopped signing with a public key"],
  mail_address_added: ["news", "Named an address for failure e-mail"],
  mail_address_removed: ["news", "Removed an address for failure e-mail"],
  mail_address_asked: ["news", "Sent a confirmation e-mail again"],
  mail_address_confirmed: ["news", "Confirmed failure e-mail by a link"],
  mail_address_stopped: ["news", "Stopped failure e-mail by a link"],
  mail_address_started: ["news", "Started failure e-mail again by a link"],
  news_channel_added: ["news", "Added a channel for news of failures"],
  news_channel_removed: ["news", "Removed a channel for news of failures"],
  news_channel_tested: ["news", "Tested a channel for news of failures"],
  read_key_made: ["keys", "Made a read key"],
  read_key_taken_back: ["keys", "Took a read key back"],
  manage_key_made: ["keys", "Made a manage key"],
  manage_key_taken_back: ["keys", "Took a manage key back"],
  account_suspended: ["account", "Suspended the account"],
  account_resumed: ["account", "Let the account go on"],
  account_deleted: ["account", "Deleted the account"],
};
