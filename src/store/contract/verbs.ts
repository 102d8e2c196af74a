/**
 * Every verb of the contract with its kind. The queue in front of a store, PostgreSQL's lanes of connections and the
 * simulator's port are derived from this table.
 */
import { ACCOUNTS_VERBS } from "./accounts.ts";
import { CERTIFICATES_VERBS } from "./certificates.ts";
import { CHANNELS_VERBS } from "./channels.ts";
import { DESTINATIONS_VERBS } from "./destinations.ts";
import { INCIDENTS_VERBS } from "./incidents.ts";
import { INBOX_VERBS } from "./inbox.ts";
import { INSTALLATION_VERBS } from "./installation.ts";
import { LOG_VERBS } from "./log.ts";
import { MAIL_VERBS } from "./mail.ts";
import { NOTICES_VERBS } from "./notices.ts";
import { PATH_VERBS } from "./path.ts";
import { PEOPLE_VERBS } from "./people.ts";
import { REPLAYS_VERBS } from "./replays.ts";
import { SEARCH_VERBS } from "./search.ts";
import type { Store } from "./store.ts";
import type { VerbKind } from "./verb-kinds.ts";

export type VerbName = Exclude<keyof Store, typeof Symbol.asyncDispose>;

export const VERB_KINDS: Readonly<Record<VerbName, VerbKind>> = {
  ...PATH_VERBS,
  ...ACCOUNTS_VERBS,
  ...DESTINATIONS_VERBS,
  ...INCIDENTS_VERBS,
  ...LOG_VERBS,
  ...SEARCH_VERBS,
  ...REPLAYS_VERBS,
  ...PEOPLE_VERBS,
  ...NOTICES_VERBS,
  ...MAIL_VERBS,
  ...CHANNELS_VERBS,
  ...CERTIFICATES_VERBS,
  ...INBOX_VERBS,
  ...INSTALLATION_VERBS,
};

export const VERB_NAMES = Object.keys(VERB_KINDS) as readonly VerbName[];
