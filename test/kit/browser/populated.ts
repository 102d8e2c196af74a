/** An account in which everything has happened: for tests and pictures that look at every page. */
import { startReplay } from "../../../src/delivery/resend.ts";
import type { Dashboard } from "../world/dashboard.ts";
import type { Receiver } from "../servers/receiver.ts";
import { ADA, uuid, toValue } from "../world/world.ts";
import { visitorOfConversation, visitorOfSession } from "../world/visitors.ts";
import { createAlert, giveWebhook } from "../world/alerts.ts";
import { untilInLog } from "./webhooks.ts";

export interface Populated {
  readonly accountId: string;
  /** Addresses of every page, below the service's. */
  readonly paths: readonly string[];
}

const ASSISTANT = "support-bot";

export interface PopulateOptions {
  readonly accountId?: string;
  /** Called when the account has its alerts, with the first one's destination: for the time before. */
  readonly before?: (destinationId: string) => Promise<void>;
}

/** `receiver` answers by the path that it is asked for: `/ok`, `/failing`, `/gone`. */
export async function populate(
  dashboard: Dashboard,
  receiver: Receiver,
  { accountId = "populated", before = async () => {} }: PopulateOptions = {},
): Promise<Populated> {
  const { app } = dashboard;
  receiver.script = ({ path }) => ({ status: STATUSES[path] ?? 200, body: "<b>it is what it is</b>" });
  await dashboard.putAccount(accountId);
  const { accounts } = dashboard.app;
  const saved = await createAlert(accounts, { accountId, url: `${receiver.url}/ok`, name: "Known leads to CRM" });
  const alertId = saved.id;
  await createAlert(accounts, { accountId, url: `${receiver.url}/failing`, name: "Everything to the warehouse" });
  await createAlert(accounts, { accountId, url: `${receiver.url}/gone`, name: "Old integration" });
  await before(saved.destinationId);
  const postConversation = (number: number) =>
    dashboard.postConversation(number, { ...visitorOfConversation(number), assistant_id: ASSISTANT }, accountId);
  const expected = receiver.requests.length + SESSIONS * 2 + 1;
  for (let number = 1; number <= SESSIONS; number += 1) {
    await dashboard.postSession(number, visitorOfSession(number), accountId);
  }
  await postConversation(101);
  await giveWebhook(accounts, { accountId, assistantId: ASSISTANT, url: `${receiver.url}/ok` });
  await postConversation(102);
  await receiver.received(expected);
  // A receiver has a request a moment before the log has its attempt.
  await untilInLog(dashboard, accountId, { status: "delivered", count: SESSIONS + 1 });
  const filter = { states: ["delivered"] } as const;
  const replay = { accountId, filter, ratePerSecond: 1, startPaused: true, by: ADA };
  const { replayId } = toValue(await startReplay({ ctx: app.delivery, engine: app.engine }, replay));
  const { deliveries } = await app.store.listDeliveries({ accountId, withTests: true, before: null, limit: 50 });
  const ids = ["delivered", "pending"].map(
    (state) => deliveries.find((delivery) => delivery.state === state)?.id ?? "",
  );
  return {
    accountId,
    paths: [
      "/",
      "/destinations",
      "/audience/sessions",
      `/audience/sessions/${uuid(1)}`,
      "/people",
      "/assistants",
      `/assistants/${ASSISTANT}`,
      `/assistants/${ASSISTANT}/conversations/${uuid(102)}`,
      `/assistants/${ASSISTANT}/integrations`,
      `/assistants/${ASSISTANT}/webhook`,
      "/deliveries",
      "/deliveries?status=cancelled",
      ...ids.map((id) => `/deliveries/${id}`),
      `/replays/${replayId}`,
      "/incidents",
      "/events/demo_viewed",
      "/settings/alerts",
      "/settings/alerts/new",
      `/settings/alerts/${alertId}`,
      `/settings/alerts/${alertId}/edit`,
      "/settings/verification",
      "/settings/activity",
      "/settings/account",
      "/playground",
    ],
  };
}

const SESSIONS = 8;
const STATUSES: Readonly<Record<string, number>> = { "/failing": 503, "/gone": 410 };
