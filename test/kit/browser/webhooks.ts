/** Alerts with webhooks for the tests of the log, saved without the page: what they are about begins behind that. */
import type { Dashboard } from "../world/dashboard.ts";
import { type AlertParams, createAlert } from "../world/alerts.ts";

/** Two attempts in quick succession: a test sees a delivery fail for good without waiting. */
export const TWO_ATTEMPTS = { delaysMs: [20], jitter: 0 };

export type AlertAt = Pick<AlertParams, "name" | "url" | "headers">;

/** Returns the destination's id. */
export async function putAlert({ app }: Dashboard, accountId: string, alert: AlertAt): Promise<string> {
  return (await createAlert(app.accounts, { name: "New leads", ...alert, accountId })).destinationId;
}
