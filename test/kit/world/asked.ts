/** A dashboard whose account has a webhook that a program asks, and what is to be seen of the questions. */
import { createPulled } from "./alerts.ts";
import { type Dashboard, OWNERS_ACCOUNT as accountId, startDashboard } from "./dashboard.ts";
import { eventually } from "../wait.ts";

export async function startAsked() {
  const dashboard = await startDashboard();
  return { dashboard, ...(await createPulled(dashboard.app.accounts, { accountId })) };
}

/** Newest first. */
export async function listLog({ app }: Dashboard, destinationId: string) {
  const asked = { accountId, destinationId, withTests: false, before: null, limit: 9 };
  return (await app.store.listDeliveries(asked)).deliveries;
}

export const waitsOf = ({ app }: Dashboard): number => app.waits.count();
export const noneWaits = (dashboard: Dashboard) =>
  eventually("no question waits", async () => waitsOf(dashboard) === 0);
