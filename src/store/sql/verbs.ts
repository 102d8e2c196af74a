/**
 * The cold verbs, written once for both stores: a verb is the exported function of its name. Each gets the transaction,
 * its params and the steps that a store takes in its own way (`dialect.ts`). A store spreads these into its own table
 * beside the event's path, and the compiler sees when one is missing there.
 */
import * as audit from "./audit.ts";
import * as channels from "./messages/channels.ts";
import * as messages from "./messages/claim-messages.ts";
import * as mailAddresses from "./messages/mail-addresses.ts";
import * as mailLinks from "./messages/mail-links.ts";
import * as operatorAlerts from "./messages/operator-alerts.ts";
import * as recipients from "./messages/recipients.ts";
import { keepBodyText, loadBodyTexts } from "./log/body-texts.ts";
import * as destinations from "./path/destinations.ts";
import * as incidents from "./path/incidents.ts";
import * as order from "./path/order-rows.ts";
import * as resends from "./path/resends.ts";
import * as statistics from "./path/statistics.ts";
import * as erase from "./people/erase.ts";
import * as readKeys from "./people/read-keys.ts";
import * as savedViews from "./people/saved-views.ts";
import * as sessions from "./people/sessions.ts";
import * as pulls from "./pulls.ts";
import * as replays from "./replays/replays.ts";
import * as expire from "./retention/expire.ts";
import * as search from "./log/search.ts";
import * as searchBlocks from "./log/search-blocks.ts";
import * as accountStates from "./set-up/account-states.ts";
import * as accounts from "./set-up/accounts.ts";
import * as alerts from "./set-up/alerts.ts";
import * as chatAssistants from "./set-up/chat-assistants.ts";
import * as secrets from "./set-up/secrets.ts";
import * as webhooks from "./set-up/webhooks.ts";
import * as settings from "./settings.ts";

export const SHARED_VERBS = {
  ...accountStates,
  ...accounts,
  ...alerts,
  ...audit,
  ...channels,
  ...chatAssistants,
  ...destinations,
  ...erase,
  ...expire,
  ...incidents,
  keepBodyText,
  loadBodyTexts,
  ...mailAddresses,
  ...mailLinks,
  ...messages,
  ...operatorAlerts,
  ...order,
  ...readKeys,
  ...recipients,
  ...pulls,
  ...replays,
  ...resends,
  ...savedViews,
  ...search,
  ...searchBlocks,
  ...secrets,
  ...sessions,
  ...settings,
  ...statistics,
  ...webhooks,
};
