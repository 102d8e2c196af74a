/**
 * The store's contract: everything that must survive a crash goes through these verbs. Each subject has a file beside
 * this one.
 *
 * - Each verb is one transaction. When its promise resolves, the change is on disk (FULL sync). When it rejects with
 *   `StoreUnavailable`, nothing of it happened, or (a lost connection) its outcome is unknown and repeating is safe.
 * - On a database that is spread over servers, a verb that names several accounts is a transaction for each group of
 *   accounts that lie together. When one of them fails the verb rejects, and repeating it is safe.
 * - Each takes one object of plain data, so that a store may live behind a thread or a network.
 * - A verb's name says its guard: `…IfClaimed` changes nothing once the caller's claim is lost.
 * - Instants are milliseconds since the Unix epoch from the caller's clock.
 *
 * `../conformance/` holds every promise made here as a test that each store must pass.
 */
import type { AccountsVerbs } from "./accounts.ts";
import type { CertificatesVerbs } from "./certificates.ts";
import type { ChannelsVerbs } from "./channels.ts";
import type { DestinationsVerbs } from "./destinations.ts";
import type { IncidentsVerbs } from "./incidents.ts";
import type { InboxVerbs } from "./inbox.ts";
import type { InstallationVerbs } from "./installation.ts";
import type { LogVerbs } from "./log.ts";
import type { MailVerbs } from "./mail.ts";
import type { NoticesVerbs } from "./notices.ts";
import type { PathVerbs } from "./path.ts";
import type { PeopleVerbs } from "./people.ts";
import type { ReplaysVerbs } from "./replays.ts";
import type { SearchVerbs } from "./search.ts";

export interface Store
  extends
    PathVerbs,
    AccountsVerbs,
    DestinationsVerbs,
    IncidentsVerbs,
    LogVerbs,
    SearchVerbs,
    ReplaysVerbs,
    PeopleVerbs,
    NoticesVerbs,
    MailVerbs,
    ChannelsVerbs,
    CertificatesVerbs,
    InboxVerbs,
    InstallationVerbs,
    AsyncDisposable {}

/** The store cannot commit now: disk full, read-only, gone. Nothing was accepted; the caller may try again. */
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
