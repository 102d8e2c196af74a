/**
 * What each call of the page does, put together from the files that know the subjects. The compiler refuses a handler
 * that is missing, and one of a call that `contract/routes.ts` does not have.
 */
import { accountHandlers } from "./account/account.ts";
import { alertHandlers } from "./owners/alerts.ts";
import { assistantHandlers } from "./owners/assistants.ts";
import { chosenHandlers } from "./owners/chosen.ts";
import { bodyPreviewHandlers } from "./body-preview/body-preview.ts";
import { catalogHandlers } from "./catalog/catalog.ts";
import { conditionHandlers } from "./conditions/conditions.ts";
import { deliveryHandlers } from "./deliveries/deliveries.ts";
import { decisionHandlers } from "./webhook-page/decisions.ts";
import { destinationHandlers } from "./destinations/destinations.ts";
import { eventHandlers } from "./deliveries/events.ts";
import { failureMailHandlers } from "./account/failure-mail.ts";
import type { HandlerTable } from "./call/operation.ts";
import { incidentHandlers } from "./destinations/incidents.ts";
import { matchingHandlers } from "./deliveries/matching.ts";
import { newsChannelHandlers } from "./account/news-channels.ts";
import { peopleHandlers } from "./people/people.ts";
import { playgroundHandlers } from "./catalog/playground.ts";
import { readKeyHandlers } from "./account/read-keys.ts";
import { refusedRecordHandlers } from "./deliveries/refused-records.ts";
import { reportHandlers } from "./webhook-page/report.ts";
import { replayHandlers } from "./deliveries/replays.ts";
import { sessionHandlers } from "./sign-in/sign-in.ts";
import { signedInHandlers } from "./sign-in/signed-in.ts";
import { statisticsHandlers } from "./destinations/statistics.ts";
import { totalHandlers } from "./deliveries/total.ts";
import { viewHandlers } from "./deliveries/views.ts";
import { webhookHandlers } from "./owners/webhooks.ts";
import { verificationHandlers } from "./verification/verification.ts";

export const HANDLERS: HandlerTable = {
  ...sessionHandlers,
  ...alertHandlers,
  ...webhookHandlers,
  ...assistantHandlers,
  ...conditionHandlers,
  ...bodyPreviewHandlers,
  ...destinationHandlers,
  ...chosenHandlers,
  ...reportHandlers,
  ...decisionHandlers,
  ...incidentHandlers,
  ...statisticsHandlers,
  ...deliveryHandlers,
  ...matchingHandlers,
  ...totalHandlers,
  ...replayHandlers,
  ...viewHandlers,
  ...eventHandlers,
  ...peopleHandlers,
  ...readKeyHandlers,
  ...refusedRecordHandlers,
  ...catalogHandlers,
  ...verificationHandlers,
  ...accountHandlers,
  ...signedInHandlers,
  ...failureMailHandlers,
  ...newsChannelHandlers,
  ...playgroundHandlers,
};
