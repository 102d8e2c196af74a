/**
 * Every call of the page with what it does: the contract's list, row by row, put together from the files that know the
 * subjects. The compiler refuses a row that is missing, and one that the contract does not have.
 */
import { accountRoutes } from "./account/account.ts";
import { alertRoutes } from "./owners/alerts.ts";
import { assistantRoutes } from "./owners/assistants.ts";
import { catalogRoutes } from "./catalog/catalog.ts";
import { conditionRoutes } from "./conditions/conditions.ts";
import { deliveryRoutes } from "./deliveries/deliveries.ts";
import { destinationRoutes } from "./destinations/destinations.ts";
import { eventRoutes } from "./deliveries/events.ts";
import { forwardRoutes } from "./forward/forward.ts";
import { failureMailRoutes } from "./account/failure-mail.ts";
import type { RouteTable } from "./call/operation.ts";
import { incidentRoutes } from "./destinations/incidents.ts";
import { matchingRoutes } from "./deliveries/matching.ts";
import { newsChannelRoutes } from "./account/news-channels.ts";
import { playgroundRoutes } from "./catalog/playground.ts";
import { refusedRecordRoutes } from "./deliveries/refused-records.ts";
import { replayRoutes } from "./deliveries/replays.ts";
import { sessionRoutes } from "./sign-in/sign-in.ts";
import { signedInRoutes } from "./sign-in/signed-in.ts";
import { statisticsRoutes } from "./destinations/statistics.ts";
import { totalRoutes } from "./deliveries/total.ts";
import { webhookRoutes } from "./owners/webhooks.ts";
import { verificationRoutes } from "./verification/verification.ts";

export const ROUTES: RouteTable = {
  ...sessionRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...assistantRoutes,
  ...conditionRoutes,
  ...destinationRoutes,
  ...incidentRoutes,
  ...statisticsRoutes,
  ...deliveryRoutes,
  ...matchingRoutes,
  ...totalRoutes,
  ...replayRoutes,
  ...eventRoutes,
  ...refusedRecordRoutes,
  ...catalogRoutes,
  ...verificationRoutes,
  ...accountRoutes,
  ...signedInRoutes,
  ...failureMailRoutes,
  ...forwardRoutes,
  ...newsChannelRoutes,
  ...playgroundRoutes,
};
