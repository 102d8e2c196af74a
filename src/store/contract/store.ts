/**
 * The store's contract: everything that must survive a crash goes through these verbs. Each subject has a file beside
 * this one.
 *
 * - Each verb is one transaction. When its promise resolves, the change is on disk (FULL sync). When it rejects with
 *   `StoreUnavailable`, nothing of it happened, or (a lost connection) its outcome is unknown and repeating is safe.
 * - Where accounts lie in several shards, a verb that names several accounts is a transaction for each shard of theirs.
 *   When one of them fails the verb rejects, and repeating it is safe.
 * - Each takes one object of plain data, so that a store may live behind a thread or a network.
 * - A verb's name says its guard: `…IfClaimed` changes nothing once the caller's claim is lost.
 * - Instants are milliseconds since the Unix epoch from the caller's clock.
 *
 * `../conformance/` holds every promise made here as a test that each store must pass.
 */
import { ACCOUNTS_VERBS, type AccountsVerbs } from "./accounts.ts";
import { BODIES_VERBS, type BodiesVerbs } from "./bodies.ts";
import { DESTINATIONS_VERBS, type DestinationsVerbs } from "./destinations.ts";
import { INCIDENTS_VERBS, type IncidentsVerbs } from "./incidents.ts";
import { INBOX_VERBS, type InboxVerbs } from "./inbox.ts";
import { INSTALLATION_VERBS, type InstallationVerbs } from "./installation.ts";
import { LOG_VERBS, type LogVerbs } from "./log.ts";
import { MESSAGES_VERBS, type MessagesVerbs } from "./messages.ts";
import { ORDER_VERBS, type OrderVerbs } from "./order.ts";
import { PATH_VERBS, type PathVerbs } from "./path.ts";
import { PEOPLE_VERBS, type PeopleVerbs } from "./people.ts";
import { READ_KEYS_VERBS, type ReadKeysVerbs } from "./read-keys.ts";
import { SAVED_VIEWS_VERBS, type SavedViewsVerbs } from "./saved-views.ts";
import { PULL_VERBS, type PullVerbs } from "./pull.ts";
import { RECIPIENTS_VERBS, type RecipientsVerbs } from "./recipients.ts";
import { REPLAYS_VERBS, type ReplaysVerbs } from "./replays.ts";
import { SEARCH_VERBS, type SearchVerbs } from "./search.ts";
import type { VerbTable } from "./verb-table.ts";

export interface Store
  extends
    PathVerbs,
    OrderVerbs,
    AccountsVerbs,
    BodiesVerbs,
    DestinationsVerbs,
    IncidentsVerbs,
    LogVerbs,
    SearchVerbs,
    ReplaysVerbs,
    PullVerbs,
    PeopleVerbs,
    ReadKeysVerbs,
    SavedViewsVerbs,
    MessagesVerbs,
    RecipientsVerbs,
    InboxVerbs,
    InstallationVerbs,
    AsyncDisposable {}

export type VerbName = Exclude<keyof Store, typeof Symbol.asyncDispose>;

/** Every verb of the contract with its row (`verb-table.ts`). */
export const VERBS = {
  ...PATH_VERBS,
  ...ORDER_VERBS,
  ...ACCOUNTS_VERBS,
  ...BODIES_VERBS,
  ...DESTINATIONS_VERBS,
  ...INCIDENTS_VERBS,
  ...LOG_VERBS,
  ...SEARCH_VERBS,
  ...REPLAYS_VERBS,
  ...PULL_VERBS,
  ...PEOPLE_VERBS,
  ...READ_KEYS_VERBS,
  ...SAVED_VIEWS_VERBS,
  ...MESSAGES_VERBS,
  ...RECIPIENTS_VERBS,
  ...INBOX_VERBS,
  ...INSTALLATION_VERBS,
} satisfies VerbTable<Pick<Store, VerbName>>;

export const VERB_NAMES = Object.keys(VERBS) as readonly VerbName[];

/**
 * The store cannot confirm a commit now: disk full, read-only, gone. Nothing was accepted or, when a connection was
 * lost during the commit, the outcome is unknown. Repeating the call is safe.
 */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}

/** Only the server that has this account is away: other accounts go on. */
export class AccountAway extends StoreUnavailable {
  override name = "AccountAway";
}

/** The database cannot be used at all, and waiting will not help: too new, too old, damaged, in use. */
export class StoreUnusable extends Error {
  override name = "StoreUnusable";
}
