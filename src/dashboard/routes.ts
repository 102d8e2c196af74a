/**
 * Every call of the page with what it does: the contract's list, row by row, put together from the files that know the
 * subjects. The compiler refuses a row that is missing, and one that the contract does not have.
 */
import { accountRoutes } from "./account.ts";
import { alertRoutes } from "./alerts.ts";
import { assistantRoutes } from "./assistants.ts";
import { catalogRoutes } from "./catalog.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { destinationRoutes } from "./destinations.ts";
import { eventRoutes } from "./events.ts";
import { failureMailRoutes } from "./failure-mail.ts";
import type { RouteTable } from "./operation.ts";
import { playgroundRoutes } from "./playground.ts";
import { refusedRecordRoutes } from "./refused-records.ts";
import { replayRoutes } from "./replays.ts";
import { sessionRoutes } from "./session-answer.ts";
import { signedInRoutes } from "./signed-in.ts";
import { statisticsRoutes } from "./statistics.ts";
import { verificationRoutes } from "./verification.ts";

export const ROUTES: RouteTable = {
  ...sessionRoutes,
  ...alertRoutes,
  ...assistantRoutes,
  ...destinationRoutes,
  ...statisticsRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...eventRoutes,
  ...refusedRecordRoutes,
  ...catalogRoutes,
  ...verificationRoutes,
  ...accountRoutes,
  ...signedInRoutes,
  ...failureMailRoutes,
  ...playgroundRoutes,
};
