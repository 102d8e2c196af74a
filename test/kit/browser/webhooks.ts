/** Alerts with webhooks for the tests of the log, saved without the page: what they are about begins behind that. */
import type { Dashboard } from "../world/dashboard.ts";
import type { DeliveryStatus } from "../../../src/domain/delivery.ts";
import { type AlertParams, createAlert } from "../world/alerts.ts";
import { eventually } from "../wait.ts";

/** Two attempts in quick succession: a test sees a delivery fail for good without waiting. */
export const TWO_ATTEMPTS = { delaysMs: [20], jitter: 0 };

export type AlertAt = Pick<AlertParams, "name" | "url" | "headers" | "intentLevels">;

/** Returns the destination's id. */
export async function putAlert({ app }: Dashboard, accountId: string, alert: AlertAt): Promise<string> {
  return (await createAlert(app.accounts, { name: "New leads", ...alert, accountId })).destinationId;
}

export interface InLog {
  readonly status: DeliveryStatus;
  readonly count: number;
}

/**
 * Waits until the log has that many. A receiver has a request a moment before the log has its attempt, and a page that
 * is opened in between asks for its figures too early.
 */
export async function untilInLog({ app }: Dashboard, accountId: string, { status, count }: InLog): Promise<void> {
  const wanted = { accountId, statuses: [status], withTests: false, before: null, limit: count } as const;
  await eventually(
    `${count} deliveries are ${status}`,
    async () => (await app.store.listDeliveries(wanted)).deliveries.length === count,
  );
}

/** Waits until the account has an incident; returns the newest one's id. */
export async function untilIncident({ app }: Dashboard, accountId: string): Promise<string> {
  let id = "";
  await eventually("an incident has begun", async () => {
    id = (await app.store.listIncidents({ accountId, sinceMs: 0, limit: 1 }))[0]?.id ?? "";
    return id !== "";
  });
  return id;
}

/**
 * Takes everything that was accepted into the index of search. By itself it gives way to whatever else the machine has
 * to do: a thousand events took minutes on a busy one.
 */
export async function indexAll({ app }: Dashboard): Promise<void> {
  const limits = { eventsMax: 1_000, bytesMax: 10 ** 9 };
  while ((await app.store.indexEvents({ nowMs: Date.now(), ...limits })).hasMore);
}
