import assert from "node:assert/strict";
import { test } from "node:test";
import { LIST_ENTRIES, LIST_ENTRIES_OF_ACTION } from "../../sql/audit.ts";
import { openMemory } from "../writer/database-file.ts";
import { LIST_NEXT, LIST_REST } from "../../sql/people/erase.ts";
import { ERASE_STEPS } from "../erase.ts";
import { DELETE_EXPIRED_LINKS, END_LINKS, END_SESSIONS, LIST_SESSIONS } from "../../sql/people/sessions.ts";
import { LIST_DELETED, LOCK_OF_DELETED, LOCK_UNCLAIMED } from "../../sql/retention/expire.ts";
import { LIST_DUE } from "../../sql/messages/claim-messages.ts";
import {
  DELETE_EXPIRED_LINKS as DELETE_EXPIRED_MAIL_LINKS,
  DELETE_OLD_REQUESTS,
  FORGET_REMOVED,
} from "../../sql/messages/mail-links.ts";
import { DELETE_EXPIRED_MESSAGES, DELETE_SESSIONS } from "../../sql/retention/retention.ts";
import { FIND_OLD_TEXT, FORGET_TEXTS } from "../../sql/log/body-texts.ts";
import { FIND_OLDEST_EVENT, FORGET_ALERTS, FORGET_DESTINATIONS, FORGET_WEBHOOKS } from "../retention/purge.ts";
import { LIST_FORGOTTEN } from "../../sql/replays/replays.ts";
import { LIST_DUE_SECRETS } from "../../sql/set-up/secrets.ts";
import { MAKE_WAITING_DUE } from "../../sql/path/resends.ts";
import { FIND_EARLIEST_DUE } from "../path/resends.ts";

const queue = "SEARCH deliveries USING INDEX deliveries_pending (destination_id=?)";
const byId = "SEARCH deliveries USING PRIMARY KEY (id=?)";

interface Planned {
  readonly sql: string;
  readonly plan: readonly string[];
}

/**
 * A search by an index, or a walk along one that holds nothing but what is looked for. Only an account's own sessions
 * and links are sorted, which are few.
 */
const PLANS: Readonly<Record<string, Planned>> = {
  "the audit is read from its end": {
    sql: LIST_ENTRIES,
    plan: ["SEARCH audit_entries USING INDEX audit_of_account (account_id=? AND rowid<?)"],
  },
  "so are one action's entries, however rare they are": {
    sql: LIST_ENTRIES_OF_ACTION,
    plan: ["SEARCH audit_entries USING INDEX audit_of_action (account_id=? AND action=? AND rowid<?)"],
  },
  "a person is looked for along their account's events": {
    sql: LIST_NEXT,
    plan: ["SEARCH events USING INDEX events_listed (account_id=? AND (type,assistant_id)>(?,?))"],
  },
  "and from one of them on": {
    sql: LIST_REST,
    plan: ["SEARCH events USING INDEX events_listed (account_id=? AND type=? AND assistant_id=? AND rowid>?)"],
  },
  "and those of tests by their deliveries": {
    sql: ERASE_STEPS.listTests,
    plan: [
      "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)",
      "LIST SUBQUERY 1",
      "SEARCH d USING INDEX deliveries_tested (account_id=?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  },
  "replays that nobody confirmed are searched by age": {
    sql: LIST_FORGOTTEN,
    plan: ["SEARCH replays USING INDEX replays_prepared (created_at<?)"],
  },
  "secrets that are due are searched by their instant": {
    sql: LIST_DUE_SECRETS,
    plan: ["SEARCH verification_secrets USING COVERING INDEX secrets_stopping (stops_at<?)"],
  },
  "sessions that have expired are searched by their end": {
    sql: DELETE_SESSIONS,
    plan: [
      "SEARCH sessions USING PRIMARY KEY (token_hash=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE expired",
      "SEARCH sessions USING COVERING INDEX sessions_expiring (expires_at<?)",
      "SCAN expired",
    ],
  },
  "who is signed in is read from the account's newest session on": {
    sql: LIST_SESSIONS,
    plan: ["SEARCH sessions USING INDEX sessions_of_account (account_id=? AND id<?)"],
  },
  "sessions of an account are ended without a look at others": {
    sql: END_SESSIONS,
    plan: [
      "SEARCH sessions USING PRIMARY KEY (token_hash=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE ending",
      "SEARCH sessions USING INDEX sessions_of_account (account_id=?)",
      "USE TEMP B-TREE FOR ORDER BY",
      "SCAN ending",
    ],
  },
  "links that end are those of an account that have not run out": {
    sql: END_LINKS,
    plan: [
      "SEARCH sign_in_links USING PRIMARY KEY (token_hash=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE unused",
      "SEARCH sign_in_links USING INDEX sign_in_links_of_account (account_id=? AND expires_at>?)",
      "USE TEMP B-TREE FOR ORDER BY",
      "SCAN unused",
    ],
  },
  "links of emails that ran out are searched by their end": {
    sql: DELETE_EXPIRED_MAIL_LINKS,
    plan: [
      "SEARCH mail_links USING PRIMARY KEY (token_hash=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE old",
      "SEARCH mail_links USING COVERING INDEX mail_links_expiring (expires_at<?)",
      "SCAN old",
    ],
  },
  "confirmation requests that are not counted any more are searched by their age": {
    sql: DELETE_OLD_REQUESTS,
    plan: [
      "SEARCH confirmation_requests USING INTEGER PRIMARY KEY (rowid=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE old",
      "SEARCH confirmation_requests USING COVERING INDEX confirmation_requests_by_age (at<?)",
      "SCAN old",
    ],
  },
  "addresses that were removed are searched by when": {
    sql: FORGET_REMOVED,
    plan: [
      "SEARCH mail_addresses USING PRIMARY KEY (id=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE old",
      "SEARCH mail_addresses USING INDEX mail_addresses_removed (removed_at<?)",
      "SCAN old",
    ],
  },
  "messages that nobody sends are searched by when they expire": {
    sql: DELETE_EXPIRED_MESSAGES,
    plan: [
      "SEARCH messages USING INTEGER PRIMARY KEY (rowid=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE expired",
      "SEARCH messages USING COVERING INDEX messages_expiring (expires_at<?)",
      "SCAN expired",
    ],
  },
  "recipients with a message that is due are searched by route and time": {
    sql: LIST_DUE,
    plan: [
      "MATERIALIZE due",
      "SEARCH m USING INDEX messages_due (route=? AND due_at<?)",
      "USE TEMP B-TREE FOR GROUP BY",
      "SCAN due",
      "CORRELATED SCALAR SUBQUERY 2",
      "SEARCH h USING INDEX messages_of_recipient (recipient=?)",
      "CORRELATED SCALAR SUBQUERY 3",
      "SEARCH s USING PRIMARY KEY (account_id=?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  },
  "sign-in links that ran out are searched by their end": {
    sql: DELETE_EXPIRED_LINKS,
    plan: [
      "SEARCH sign_in_links USING PRIMARY KEY (token_hash=?)",
      "LIST SUBQUERY 2",
      "MATERIALIZE expired",
      "SEARCH sign_in_links USING COVERING INDEX sign_in_links_expiring (expires_at<?)",
      "SCAN expired",
    ],
  },
  "deleted destinations with something left to cancel stand in an index of their own": {
    sql: LIST_DELETED,
    plan: ["SCAN destinations USING INDEX destinations_left"],
  },
  "what waits for a deleted destination is read from its queue": {
    sql: LOCK_OF_DELETED,
    plan: [queue],
  },
  "what a person cancels is read from its destination's queue": {
    sql: LOCK_UNCLAIMED,
    plan: [queue],
  },
  "deliveries that are sent now are read from their destination's queue, behind what is due": {
    sql: MAKE_WAITING_DUE,
    plan: [
      byId,
      "LIST SUBQUERY 2",
      "MATERIALIZE later",
      "SEARCH deliveries USING INDEX deliveries_pending (destination_id=? AND due_at>?)",
      "SCAN later",
    ],
  },
  "the earliest one of a queue is one search": {
    sql: FIND_EARLIEST_DUE,
    plan: ["SEARCH deliveries USING COVERING INDEX deliveries_pending (destination_id=?)"],
  },
  "deleted destinations are searched by age, and each by what still names it": {
    sql: FORGET_DESTINATIONS,
    plan: [
      "SEARCH destinations USING INTEGER PRIMARY KEY (rowid=?)",
      "LIST SUBQUERY 2",
      "SEARCH t USING INDEX destinations_deleted (deleted_at<?)",
      "CORRELATED SCALAR SUBQUERY 1",
      "SEARCH deliveries USING COVERING INDEX deliveries_of_destination (destination_id=?)",
    ],
  },
  "texts of bodies are searched by their last use": {
    sql: FIND_OLD_TEXT,
    plan: ["SEARCH body_texts USING INDEX body_texts_by_use (used_at<?)"],
  },
  "those that go are, too": {
    sql: FORGET_TEXTS,
    plan: [
      "SEARCH body_texts USING COVERING INDEX sqlite_autoindex_body_texts_1 (account_id=? AND id=?)",
      "LIST SUBQUERY 3",
      "MATERIALIZE old",
      "SEARCH body_texts USING INDEX body_texts_by_use (used_at<?)",
      "SCAN old",
    ],
  },
  "the oldest event is the first of two indexes": {
    sql: FIND_OLDEST_EVENT,
    plan: [
      "CO-ROUTINE (subquery-2)",
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      "SEARCH events USING INDEX events_with_body",
      "UNION ALL",
      "SEARCH events USING INDEX events_without_body",
      "SEARCH (subquery-2)",
    ],
  },
  "deleted alerts are searched by age": {
    sql: FORGET_ALERTS,
    plan: [
      "SEARCH alerts USING PRIMARY KEY (account_id=? AND id=?)",
      "LIST SUBQUERY 4",
      "MATERIALIZE nameless",
      "SEARCH a USING INDEX alerts_deleted (deleted_at<?)",
      "CORRELATED SCALAR SUBQUERY 1",
      "SEARCH destinations USING COVERING INDEX sqlite_autoindex_destinations_1 (id=?)",
      "SCAN nameless",
    ],
  },
  "deleted webhooks are searched by age": {
    sql: FORGET_WEBHOOKS,
    plan: [
      "SEARCH webhooks USING PRIMARY KEY (account_id=? AND id=?)",
      "LIST SUBQUERY 4",
      "MATERIALIZE nameless",
      "SEARCH a USING INDEX webhooks_deleted (deleted_at<?)",
      "CORRELATED SCALAR SUBQUERY 1",
      "SEARCH destinations USING COVERING INDEX sqlite_autoindex_destinations_1 (id=?)",
      "SCAN nameless",
    ],
  },
};

for (const [name, { sql, plan }] of Object.entries(PLANS)) {
  test(name, () => {
    using file = openMemory({ nowMs: 0 });
    const explain = `explain query plan ${sql.replace(/^-- name:.*\n/, "")}`;
    const rows = file.db.all<{ detail: string }>(explain);
    assert.deepEqual(
      rows.map(({ detail }) => detail),
      plan,
    );
  });
}
