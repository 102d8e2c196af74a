/** Verbs that look at much: they read the file alone, and run beside commits (`reader.ts`). */
import { searchDeliveries, searchEvents } from "../../sql/log/search.ts";
import { countAttempts, countIncident } from "../figures/count-attempts.ts";
import { countDeliveries } from "../log/count-deliveries.ts";
import { loadDelivery } from "../log/deliveries.ts";
import { countWaitingOfAccount, loadDestinations } from "../log/destination-reports.ts";
import { listDeliveries } from "../log/list-deliveries.ts";
import { listEventBodies, listEvents, loadActivity, loadEvent } from "../log/list-events.ts";

export const READ_VERBS = {
  loadActivity,
  listDeliveries,
  countDeliveries,
  loadDelivery,
  listEvents,
  loadEvent,
  listEventBodies,
  searchDeliveries,
  searchEvents,
  loadDestinations,
  countWaitingOfAccount,
  countAttempts,
  countIncident,
};

export type ReadVerb = keyof typeof READ_VERBS;

export const isRead = (verb: string): verb is ReadVerb => Object.hasOwn(READ_VERBS, verb);
