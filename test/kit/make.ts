/**
 * One builder for each kind of thing: it takes the parts that a test is about and has plain values for the rest. Tests,
 * benches and the simulator write no whole row, so that a new field changes this file at most.
 */
import type { DestinationView } from "../../src/accounts/account-view.ts";
import type { AlertSettings } from "../../src/accounts/save-alert.ts";
import type { AlertForm } from "../../src/dashboard/contract/alerts.ts";
import type { WebhookSettings } from "../../src/dashboard/contract/destinations.ts";
import type { Account } from "../../src/domain/account.ts";
import type { DemoAlert } from "../../src/domain/alert.ts";
import type { Target } from "../../src/domain/destination.ts";
import { UNTOUCHED, type WebhookForm } from "../../src/domain/webhook-form.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import type { DestinationSetup } from "../../src/store/contract/accounts.ts";
import type { ClaimedDelivery, NewDelivery, NewEvent } from "../../src/store/contract/path.ts";

export const makeAccount = (parts: Partial<Account> = {}): Account => ({
  id: "acc_1",
  name: "Acme Inc",
  plan: "starter",
  appUrl: "https://app.example.com",
  ...parts,
});

/* A webhook's settings in their four forms. */

const PLAIN = { ...UNTOUCHED, url: "https://receiver.example/hook", headers: [] };

/** As the page sends it. */
export const makeWebhookForm = (parts: Partial<WebhookForm> = {}): WebhookForm => ({ ...PLAIN, ...parts });

/** As the store saves it. */
export const makeDestinationSetup = (parts: Partial<DestinationSetup> = {}): DestinationSetup => ({
  id: "dst_1",
  ...PLAIN,
  ...parts,
});

/** As the page gets it. */
export const makeWebhookSettings = (parts: Partial<WebhookSettings> = {}): WebhookSettings => ({
  destinationId: "dst_1",
  ...PLAIN,
  authentication: null,
  ...parts,
});

/** As a node decides and delivers by it. */
export const makeDestinationView = (parts: Partial<DestinationView> = {}): DestinationView => ({
  id: "dst_1",
  ...PLAIN,
  authentication: null,
  state: "on",
  setUpAtMs: 0,
  callerId: null,
  appliedAtMs: null,
  ...parts,
});

/** Where a request goes. */
export const makeTarget = (parts: Partial<Target> & Pick<Target, "secrets">): Target => ({
  destinationId: "dst_1",
  url: new URL("https://example.com/"),
  headers: [],
  ...parts,
});

/* An alert in its three forms: it fires for every session. */

const EVERYONE = { name: "Everyone", audience: "all", demos: [], intentLevels: [], webhooksOn: true } as const;

export const makeAlertSettings = (parts: Partial<AlertSettings> = {}): AlertSettings => ({ ...EVERYONE, ...parts });

/** As the page sends it. */
export const makeAlertForm = (parts: Partial<AlertForm> = {}): AlertForm => ({
  ...EVERYONE,
  webhook: makeWebhookForm(),
  ...parts,
});

/** As the store saves it. */
export const makeAlert = (parts: Partial<DemoAlert> = {}): DemoAlert => ({
  ...EVERYONE,
  id: "alr_1",
  conditions: null,
  ...parts,
});

/* Events and deliveries. */

export const makeNewEvent = (parts: Partial<NewEvent> & Pick<NewEvent, "configVersion">): NewEvent => ({
  id: "evt_1",
  accountId: "acc_1",
  type: "demo_viewed",
  sourceId: "00000000-0000-4000-8000-000000000001",
  body: '{"event":"demo_viewed"}',
  deliveries: [],
  ...parts,
});

export const makeNewDelivery = (parts: Partial<NewDelivery> = {}): NewDelivery => ({
  id: "dlv_1",
  destinationId: "dst_1",
  claimed: false,
  ...parts,
});

/** As a claim brings it. */
export const makeClaimed = (id: string, destinationId: string): ClaimedDelivery => ({
  id,
  eventId: `evt_of_${id}`,
  eventType: "demo_viewed",
  accountId: "acc_1",
  destinationId,
  body: "{}",
  attemptsMade: 0,
  attemptsInSchedule: 0,
  pendingSinceMs: 0,
  isTrial: false,
  isInOrder: false,
  ratePerSecond: null,
  traceContext: null,
  configVersion: 1,
  claim: { token: "token", untilMs: secondsMs(60) },
});
