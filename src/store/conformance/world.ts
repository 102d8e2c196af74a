/** The small world of the conformance suites: one account, some destinations, and events and attempts to order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../domain/account.ts";
import type { AttemptRecord, Outcome } from "../../domain/attempt.ts";
import type { AddChannel } from "../contract/recipients.ts";
import type { MessageRoute } from "../../domain/message.ts";
import type { AddMailAddress } from "../contract/recipients.ts";
import type { ClaimMessages, SettleMessage } from "../contract/messages.ts";
import type { DestinationSetup, SaveAlert, SaveWebhook } from "../contract/accounts.ts";
import type { Purge, Purged, RecordTestDelivery, RequestResends, ResendResult } from "../contract/log.ts";
import type {
  AcceptedEvent,
  ClaimDueDeliveries,
  ClaimedDelivery,
  NewDelivery,
  NewEvent,
  Settlement,
  SettleResult,
} from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { makeAccount, makeAlert, makeDestinationSetup, makeNewDelivery, makeNewEvent } from "../../../test/kit/make.ts";

export interface OpenStore {
  (): Promise<Store>;
  /** In how many accounts lie; one unless given. */
  readonly shards?: number;
}

/** The instant at which every test starts. */
export const T0 = Date.UTC(2026, 10, 20, 12, 0, 0);
export const LEASE_MS = 30_000;
export const ACCOUNT = makeAccount({ name: "Acme", appUrl: "https://app.example" });
/** People who decide things in these tests. */
export const ADA: Actor = { person: "ada", role: "owner" };
export const EVE: Actor = { person: "eve", role: "owner", address: "198.51.100.7" };

export const BODY = '{"event":"demo_viewed"}';

/** Tests that each have a store of their own: `const test = inStore(open);`. */
export const inStore =
  (open: OpenStore) =>
  (name: string, run: (store: Store) => Promise<void>): void =>
    void test(name, async () => {
      await using store = await open();
      await run(store);
    });

/** An account whose chat assistants own `destinationIds`; gives the version to accept with. */
export async function setUp(store: Store, destinationIds: readonly string[], account = ACCOUNT): Promise<number> {
  const accountId = account.id;
  await store.putAccount({ account, newSealedSecret: `sealed secret of ${accountId}`, nowMs: T0 });
  for (const id of destinationIds) {
    const assistant = { id: `assistant of ${id}`, name: "Ada" };
    await store.putChatAssistant({ accountId, assistant, rename: false, nowMs: T0 });
    const destination = makeDestinationSetup({ id, url: `https://${id}.example/hook` });
    const change = { accountId, assistantId: assistant.id, expectedRevision: 1, by: ADA, nowMs: T0 };
    await store.saveAssistantDestination({ ...change, destination });
  }
  return await loadVersion(store, accountId);
}

/** An alert with a webhook, as it is saved first. */
export const ALERT = makeAlert({
  name: "Sales",
  audience: "known_lead",
  demos: ["Tour", 'A "quoted" name'],
  intentLevels: ["high"],
  conditions: {
    join: "any",
    list: [
      { field: "utm_params.utm_source", operator: "is", value: 'linked"in' },
      { field: "lead.client_tracking_id", operator: "known" },
    ],
  },
});
export const ALERT_DESTINATION = makeDestinationSetup({
  id: "dst_alert",
  url: "https://receiver.example/hook",
  headers: [{ name: "Authorization", value: "sealed", secret: true }],
});

export function alertToSave(parts: Partial<SaveAlert> = {}): SaveAlert {
  const whose = { accountId: ACCOUNT.id, by: ADA, nowMs: T0 };
  return { ...whose, alert: ALERT, destination: ALERT_DESTINATION, expectedRevision: null, alertsMax: 2, ...parts };
}

/** A webhook of its own, as it is saved first. */
export const WEBHOOK = {
  id: "whk_1",
  name: 'CRM "live"',
  events: [
    { type: "lead.identified", conditions: ALERT.conditions },
    { type: "demo_viewed", conditions: null },
  ],
} as const;
export const WEBHOOK_DESTINATION = { ...ALERT_DESTINATION, id: "dst_webhook", url: "https://receiver.example/all" };

export function webhookToSave(parts: Partial<SaveWebhook> = {}): SaveWebhook {
  const whose = { accountId: ACCOUNT.id, by: ADA, nowMs: T0 };
  const saved = { webhook: WEBHOOK, destination: WEBHOOK_DESTINATION, expectedRevision: null, webhooksMax: 2 };
  return { ...whose, ...saved, ...parts };
}

/** Webhook `n` with a destination of its own, `dst_n`. */
export const nthWebhook = (n: number, parts: Partial<DestinationSetup> = {}) => ({
  webhook: { id: `whk_${n}`, name: `${n}`, events: "all" } as const,
  destination: makeDestinationSetup({ id: `dst_${n}`, url: "https://a.example/", ...parts }),
});

interface Presented {
  /** `null`: it gets an access token, and presents none. */
  readonly chain: string | null;
  readonly endsAtMs: number | null;
}

/** Saves what an assistant's destination presents to its receiver. */
export async function saveCertificate(
  store: Store,
  destinationId: string,
  { chain, endsAtMs: certificateEndsAtMs }: Presented,
): Promise<void> {
  const ofToken = { clientId: "acme", clientSecret: "sealed", scope: "", audience: "" };
  const oauth = { ...ofToken, tokenUrl: "https://id.example/token", clientAuthentication: "basic" } as const;
  const authentication =
    chain === null ? { oauth, certificate: null } : { oauth: null, certificate: { chain, key: "sealed key" } };
  const whose = { accountId: ACCOUNT.id, assistantId: `assistant of ${destinationId}` };
  const expectedRevision = (await store.loadAssistant(whose))?.revision ?? 1;
  const setup = makeDestinationSetup({ id: destinationId, url: "https://crm.example/in", authentication });
  const destination = { ...setup, certificateEndsAtMs };
  const saved = await store.saveAssistantDestination({ ...whose, expectedRevision, destination, by: ADA, nowMs: T0 });
  assert.equal(saved.kind, "saved");
}

/** Saves the webhook as one that gets one delivery at a time, unless `parts` say otherwise. */
export const saveOrder = (store: Store, expectedRevision: number | null, parts: Partial<DestinationSetup> = {}) =>
  store.saveWebhook(
    webhookToSave({ destination: { ...WEBHOOK_DESTINATION, oneAtATime: true, ...parts }, expectedRevision }),
  );

/** A step of retention, to which nothing of the log is old unless `parts` say so. */
export const purgeStep = (store: Store, parts: Partial<Purge> & Pick<Purge, "nowMs">): Promise<Purged> =>
  store.purge({ payloadsBeforeMs: 0, attemptBodiesBeforeMs: 0, rowsBeforeMs: 0, rowsMax: 100, ...parts });

/** All that a purge finds to do at `nowMs`, of what is not the log's. */
export async function purgeNow(store: Store, nowMs: number, rowsBeforeMs = 0): Promise<void> {
  const before = { payloadsBeforeMs: rowsBeforeMs, attemptBodiesBeforeMs: rowsBeforeMs, rowsBeforeMs };
  while ((await purgeStep(store, { nowMs, ...before })).purged > 0);
}

export async function loadVersion(store: Store, accountId: string = ACCOUNT.id): Promise<number> {
  return (await store.loadAccount({ accountId }))?.configVersion ?? 0;
}

export async function findDestination(store: Store, destinationId: string) {
  const account = await store.loadAccount({ accountId: ACCOUNT.id });
  return account?.assistants.find(({ destination }) => destination?.id === destinationId)?.destination ?? null;
}

/** The UUID number `n`. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

/** Event `n`, which is `evt_n` of session `uuid(n)`. */
export const makeEvent = (n: number, parts: Partial<NewEvent> & { configVersion: number }): NewEvent =>
  makeNewEvent({ id: `evt_${n}`, accountId: ACCOUNT.id, sourceId: uuid(n), body: BODY, ...parts });

export const due = (id: string, destinationId: string): NewDelivery => makeNewDelivery({ id, destinationId });
export const held = (id: string, destinationId: string): NewDelivery =>
  makeNewDelivery({ id, destinationId, claimed: true });

export const claimAt = (nowMs: number, token = "token") => ({ token, untilMs: nowMs + LEASE_MS });

export function accept(store: Store, events: readonly NewEvent[], nowMs = T0): Promise<AcceptedEvent[]> {
  return store.acceptEvents({ nowMs, claim: claimAt(nowMs), events });
}

/** The answer to an event of which nothing was held back. */
export const ACCEPTED: AcceptedEvent = { kind: "accepted", unclaimed: [] };

/** For one delivery. */
export async function requestOneResend(
  store: Store,
  { deliveryId, ...rest }: Omit<RequestResends, "deliveryIds"> & { readonly deliveryId: string },
): Promise<ResendResult | undefined> {
  return (await store.requestResends({ ...rest, deliveryIds: [deliveryId] })).at(0);
}

/** Accepts one event for each delivery, each a millisecond after the one before, so that their order is known. */
export async function acceptEach(
  store: Store,
  deliveries: readonly NewDelivery[],
  configVersion: number,
): Promise<void> {
  for (const [place, delivery] of deliveries.entries()) {
    const number = Number.parseInt(delivery.id.replace(/\D/g, ""), 10);
    await accept(store, [makeEvent(number, { configVersion, deliveries: [delivery] })], T0 + place);
  }
}

/** The same of deliveries `dlv_n` to one destination, under the account's version of now. */
export const acceptNumbers = async (store: Store, destinationId: string, numbers: readonly number[]): Promise<void> =>
  acceptEach(
    store,
    numbers.map((n) => due(`dlv_${n}`, destinationId)),
    await loadVersion(store),
  );

/** A claim at `nowMs` of everything that is due, within `limits`. */
export function claimDue(
  store: Store,
  nowMs: number,
  limits: Partial<ClaimDueDeliveries> = {},
): Promise<ClaimedDelivery[]> {
  const claim = claimAt(nowMs);
  const all = {
    deliveriesMax: 1_000,
    perDestinationMax: 1_000,
    perAccountMax: 1_000,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 10 ** 9,
  };
  return store.claimDueDeliveries({ nowMs, claim, ...all, ...limits });
}

/** Ids of what a claim at `nowMs` gets, in its order. */
export async function claimIds(
  store: Store,
  nowMs: number,
  limits: Partial<ClaimDueDeliveries> = {},
): Promise<string[]> {
  return (await claimDue(store, nowMs, limits)).map(({ id }) => id);
}

export const okOutcome: Outcome = {
  kind: "response",
  response: { status: 200, headers: { "content-type": "text/plain" }, body: bytes("ok"), bodyCut: false },
};

/** Says nothing about a receiver: eight failures of the receiver's own in a row would hold its destination back. */
export const OUR_FAULT: Outcome = { kind: "internal_error", message: "a fault of the test" };

export function makeAttempt(number: number, parts: { startedAtMs?: number; outcome?: Outcome } = {}): AttemptRecord {
  return {
    number,
    startedAtMs: parts.startedAtMs ?? T0,
    url: "https://dst_a.example/hook",
    requestHeaders: { "content-type": "application/json", "webhook-id": "dlv_1" },
    result: {
      outcome: parts.outcome ?? okOutcome,
      timings: { dnsMs: 1.5, connectMs: 2, tlsMs: null, firstByteMs: 3.25, totalMs: 4 },
      address: "203.0.113.7",
    },
  };
}

/** The answer to a settlement when nothing holds its destination back. */
export const SETTLED: SettleResult = { kind: "settled", heldUntilMs: 0, turnedOff: null };
export const CLAIM_LOST: SettleResult = { kind: "claim_lost" };

/** A settlement under the usual token: delivered at the first attempt, unless `parts` say otherwise. */
export function makeSettlement(deliveryId: string, parts: Partial<Settlement> = {}): Settlement {
  return {
    deliveryId,
    accountId: ACCOUNT.id,
    claimToken: "token",
    attempt: makeAttempt(1),
    next: { state: "delivered" },
    isFree: false,
    isTrial: false,
    destinationOff: null,
    setUpAtMs: null,
    holdUntilMs: null,
    ...parts,
  };
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A test of a destination, which failed. */
export const TEST_DELIVERY: RecordTestDelivery = {
  nowMs: T0,
  deliveryId: "dlv_test",
  eventId: "evt_test",
  accountId: ACCOUNT.id,
  destinationId: "dst_a",
  type: "demo_viewed",
  body: BODY,
  attempt: makeAttempt(1, { outcome: { kind: "timeout", phase: "connect" } }),
  state: "failed",
};

/**
 * Eight failures in a row at `T0`, each of a delivery of its own: what opens a breaker. The first one has `firstParts`
 * besides. Gives their answers.
 */
export async function openBreaker(
  store: Store,
  destinationId: string,
  firstParts: Partial<Settlement> = {},
): Promise<SettleResult[]> {
  const configVersion = await loadVersion(store);
  const ids = Array.from({ length: 8 }, (_, place) => `dlv_${900 + place}`);
  const deliveries = ids.map((id) => held(id, destinationId));
  await accept(store, [makeEvent(900, { configVersion, deliveries })]);
  const settlements = ids.map((id, place) =>
    makeSettlement(id, { next: { state: "failed" }, ...(place === 0 ? firstParts : {}) }),
  );
  return await store.settleAttemptsIfClaimed({ nowMs: T0, settlements });
}

/**
 * One more attempt, of a delivery of its own to `dst_a`, whatever else is under way. Events that come in while the
 * breaker is open are not held: a claim takes one as the trial.
 */
export async function attempt(store: Store, n: number, parts: Partial<Settlement> & { nowMs: number }): Promise<void> {
  const { nowMs, ...settlement } = parts;
  const id = `dlv_${n}`;
  const event = makeEvent(n, { configVersion: await loadVersion(store), deliveries: [held(id, "dst_a")] });
  await accept(store, [event], T0);
  const isTrial = (await claimDue(store, nowMs)).some((claimed) => claimed.id === id && claimed.isTrial);
  const started = { attempt: makeAttempt(1, { startedAtMs: nowMs }), isTrial };
  await store.settleAttemptsIfClaimed({ nowMs, settlements: [makeSettlement(id, { ...started, ...settlement })] });
}

/** Addresses that are notified from now on: added, and confirmed by the link that they are sent. */
export async function notifyAddresses(store: Store, addresses: readonly string[], nowMs = T0): Promise<void> {
  for (const address of addresses) {
    await store.addMailAddress(addressToAdd(address, { nowMs }));
    await store.followMailLink({ tokenHash: `link of ${address}`, action: "confirm", nowMs });
  }
}

export const claimMessages = (store: Store, route: MessageRoute, parts: Partial<ClaimMessages> & { nowMs: number }) =>
  store.claimMessages({ route, claimToken: "node", messagesMax: 9, linesMax: 9, ...parts });

export const settleMessage = (
  store: Store,
  { accountId, recipient }: Pick<SettleMessage, "accountId" | "recipient">,
  parts: Partial<SettleMessage> & { nowMs: number },
) => store.settleMessageIfClaimed({ accountId, recipient, claimToken: "node", end: { kind: "sent" }, ...parts });

/** Notifications by a route, each with its recipient. */
export async function claimNotifications(
  store: Store,
  route: "email" | "channel",
  parts: Partial<ClaimMessages> & { nowMs: number },
) {
  const claimed = await claimMessages(store, route, parts);
  return claimed.flatMap((each) =>
    each.kind === "email" || each.kind === "channel" ? [{ ...each, ...each.notification }] : [],
  );
}

/** The kinds of all lines that are due by a route, as sent. */
export async function takeNotifications(store: Store, route: "email" | "channel", nowMs: number): Promise<string[]> {
  const claimed = await claimNotifications(store, route, { nowMs });
  for (const each of claimed) await settleMessage(store, each, { nowMs });
  return claimed.flatMap(({ lines }) => lines.map(({ kind }) => kind));
}

/** A Slack channel; its id is made of its name. */
export const channelToAdd = (name: string, parts: Partial<AddChannel> = {}): AddChannel => ({
  accountId: ACCOUNT.id,
  channel: { id: `chn_${name}`, kind: "slack", name, origin: "https://hooks.example", sealedUrl: `sealed ${name}` },
  by: ADA,
  nowMs: T0,
  ...parts,
});

export const linkOf = (name: string) => ({ secretHash: `link of ${name}`, sealedSecret: `sealed link of ${name}` });

export const addressToAdd = (address: string, parts: Partial<AddMailAddress> = {}): AddMailAddress => ({
  accountId: ACCOUNT.id,
  address: { id: `adr of ${address}`, address, stopHash: `stop of ${address}`, sealedStop: `sealed ${address}` },
  link: linkOf(address),
  by: ADA,
  nowMs: T0,
  ...parts,
});
