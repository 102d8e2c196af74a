/**
 * An installation with something of everything that a store keeps, and everything that can be asked about it: two
 * stores that answer alike hold the same installation.
 */
import { makeDestinationSetup } from "../../../test/kit/make.ts";
import { PULL_URL } from "../../domain/pull.ts";
import { minutesMs } from "../../lib/duration.ts";
import {
  ACCOUNT,
  accept,
  ADA,
  addressToAdd,
  channelToAdd,
  claimMessages,
  ALERT_DESTINATION,
  alertToSave,
  makeAttempt,
  bytes,
  claimAt,
  due,
  EVE,
  makeEvent,
  held,
  openBreaker,
  setUp,
  makeSettlement,
  T0,
  notifyAddresses,
  TEST_DELIVERY,
  uuid,
  loadVersion,
  requestOneResend,
  webhookToSave,
} from "./world.ts";
import { TEXT } from "./bodies.ts";
import type { ReportedDestination } from "../contract/destinations.ts";
import type { ListDeliveries } from "../contract/log.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const NOW = T0 + minutesMs(10);

/** Accounts of one installation do not see each other; the second one is small. */
const OTHER = { ...ACCOUNT, id: "acc_2", name: 'Ünïcode "quoted" \\ \u{1f514}' };

/** Fills an empty store. `events`: how many there are besides, without deliveries. */
export async function fillInstallation(store: Store, { events = 10 }: { readonly events?: number } = {}) {
  await setUp(store, ["dst_a", "dst_b", "dst_c"]);
  const tagged = makeDestinationSetup({ id: "dst_a", url: "https://dst_a.example/hook", tags: ["crm", "eu"] });
  const saved = { accountId, assistantId: "assistant of dst_a", expectedRevision: 2, by: EVE, nowMs: T0 };
  await store.saveAssistantDestination({ ...saved, destination: tagged });
  await setUp(store, ["dst_other"], OTHER);
  await notifyAddresses(store, ["ops@acme.example"]);
  await store.addMailAddress(addressToAdd("waiting@acme.example"));
  await store.addChannel(channelToAdd("ops"));
  await store.saveAlert(alertToSave());
  const gone = {
    alert: { ...alertToSave().alert, id: "alr_2" },
    destination: { ...ALERT_DESTINATION, id: "dst_gone" },
  };
  await store.saveAlert(alertToSave(gone));
  await store.deleteAlert({ accountId, id: "alr_2", expectedRevision: 1, by: EVE, nowMs: NOW });
  const { destination } = webhookToSave();
  const template = { body: "template", template: '{"é": "{{lead.email|nobody}}"}' } as const;
  await store.saveWebhook(webhookToSave({ destination: { ...destination, ...template } }));
  const rotation = { newSealedSecret: "sealed new", previousStopsAtMs: NOW + minutesMs(60), by: ADA };
  await store.addSigningKey({ accountId, sealed: "sealed key", by: ADA, nowMs: NOW });
  for (const kind of ["secret", "key"] as const) {
    await store.rotateSecret({ accountId, kind, ...rotation, nowMs: NOW });
  }
  await openBreaker(store, "dst_c");
  await acceptSome(store, events);
  await deliverSome(store);
  await store.recordTestDelivery(TEST_DELIVERY);
  await decideThings(store);
  await signIn(store);
}

/** Apart from the rest: 1.0.0 has none, and what its release has filled is compared with the rest. */
export async function addNewer(store: Store): Promise<void> {
  await addAsked(store);
  await store.putView({ accountId, name: 'Zoë "failed"', search: "status=failed", viewsMax: 9 });
  const nowMs = T0;
  await setUp(store, [], { ...ACCOUNT, id: "acc_3" });
  await store.setAccountState({ accountId: "acc_3", state: "suspended", by: ADA, nowMs });
  const destination = makeDestinationSetup({ id: "dst_ordered", oneAtATime: true });
  const webhook = { ...webhookToSave().webhook, id: "whk_ordered" };
  await store.saveWebhook(webhookToSave({ webhook, destination, webhooksMax: 9 }));
  const deliveries = [due("dlv_7", destination.id)];
  await accept(store, [makeEvent(7, { configVersion: await loadVersion(store), deliveries })], T0 + 5);
}

async function addAsked(store: Store): Promise<void> {
  const destination = makeDestinationSetup({ id: "dst_asked", url: PULL_URL });
  const webhook = { ...webhookToSave().webhook, id: "whk_asked" };
  await store.saveWebhook(webhookToSave({ webhook, destination }));
  const token = { tokenHash: "hash", by: ADA, nowMs: T0 };
  await store.putPullToken({ accountId, destinationId: destination.id, ...token });
}

/** Waiting, retrying, delivered and failed ones; one that somebody holds. */
async function acceptSome(store: Store, others: number): Promise<void> {
  const configVersion = await loadVersion(store);
  const body = `{"t":"é 漢字 \u{1f514} \\u0000 \\"quoted\\" \\\\ \u2028","x":"${"x".repeat(500)}"}`;
  const all = Array.from({ length: others }, (_, n) => makeEvent(10_000 + n, { configVersion, body: `{"n":${n}}` }));
  for (let from = 0; from < all.length; from += 500) await accept(store, all.slice(from, from + 500), T0 + 1);
  const deliveries = (n: number) => [held(`dlv_${n}_a`, "dst_a"), due(`dlv_${n}_b`, "dst_b")];
  const traceContext = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=value";
  const traced = { configVersion, body, traceContext };
  const fired = [1, 2, 3, 4].map((n) => makeEvent(n, { ...traced, deliveries: deliveries(n) }));
  await accept(store, fired, T0 + 2);
  const conversation = { type: "chat_conversation_completed", assistantId: "assistant of dst_b" } as const;
  const notSent = '[0,["dst_alert","plan"]]';
  const deliveries5 = [due("dlv_5", "dst_b")];
  await accept(store, [makeEvent(5, { configVersion, ...conversation, notSent, deliveries: deliveries5 })], T0 + 3);
  const theirs = { accountId: OTHER.id, configVersion: await loadVersion(store, OTHER.id) };
  await accept(store, [makeEvent(6, { ...theirs, deliveries: [held("dlv_6", "dst_other")] })], T0 + 4);
}

/** Attempts with everything that can come back. */
async function deliverSome(store: Store): Promise<void> {
  const settle = (deliveryId: string, parts: Partial<Settlement>, nowMs = T0 + 50) =>
    store.settleAttemptsIfClaimed({ nowMs, settlements: [makeSettlement(deliveryId, parts)] });
  const response = { status: 503, headers: { "x-a": "1" }, body: new Uint8Array([0, 255, 10, 92]), bodyCut: true };
  await store.keepBodyText({ accountId, ...TEXT, nowMs: T0 + 50 });
  const sent = { textId: TEXT.id, sha256: "cd".repeat(32) };
  await settle("dlv_1_a", { attempt: { ...makeAttempt(1, { outcome: { kind: "response", response } }), sent } });
  const dueAtMs = NOW + 5_000;
  const tls = { kind: "tls_error", code: "ERR_TLS", message: "a \\ b" } as const;
  const tried = { ...makeAttempt(1, { outcome: tls }), sent };
  await settle("dlv_2_a", { attempt: tried, next: { state: "pending", dueAtMs } });
  await settle("dlv_3_a", { attempt: makeAttempt(1, { outcome: { kind: "timeout", phase: "headers" } }), ...FAILED });
  const empty = { kind: "response", response: { status: 200, headers: {}, body: bytes(""), bodyCut: false } } as const;
  const attempt6 = makeAttempt(1, { outcome: empty, startedAtMs: T0 + minutesMs(3) });
  await settle("dlv_6", { accountId: OTHER.id, attempt: attempt6 });
}

const FAILED = { next: { state: "failed" } } as const;

async function decideThings(store: Store): Promise<void> {
  const by = { accountId, by: ADA, nowMs: NOW };
  await store.setDestinationState({ ...by, destinationId: "dst_b", state: "paused", reason: "a \\ reason" });
  await requestOneResend(store, { ...by, deliveryId: "dlv_3_a" });
  const replay = { filter: { states: ["failed"] }, deliveriesMax: 50, ratePerSecond: 0.125 } as const;
  await store.createReplay({ ...by, ...replay, id: "rpl_1", startPaused: false });
  await store.createReplay({ ...by, ...replay, id: "rpl_2", startPaused: true });
  await store.stepReplays({ nowMs: NOW + 10_000, deliveriesMax: 10 });
}

async function signIn(store: Store): Promise<void> {
  const link = { accountId, person: "ana@example.com", role: "viewer", expiresAtMs: NOW, nowMs: T0 } as const;
  await store.createSignInLink({ ...link, tokenHash: "used" });
  await store.createSignInLink({ ...link, tokenHash: "fresh" });
  await store.createSignInLink({ ...link, tokenHash: "ended", person: "eve" });
  await store.endSessions({ accountId, which: { kind: "person", person: "eve" }, by: ADA, nowMs: T0 + 1 });
  const session = {
    sessionHash: "session",
    sessionId: "ses_1",
    replacedHash: null,
    expiresAtMs: NOW + minutesMs(60),
    nowMs: T0 + 1,
  };
  await store.openSession({ tokenHash: "used", ...session });
  for (const keyOf of [accountId, null]) {
    const key = { id: "rdk_1", name: "é", kind: "manage" as const, tokenHash: `key of ${keyOf ?? "all"}` };
    await store.addReadKey({ accountId: keyOf, key, by: ADA, nowMs: T0 });
    await store.noteReadKeyUse({ accountId: keyOf, id: key.id, nowMs: T0 + 1 });
  }
  await store.saveSettingUnlessThere({ name: "first_start_at", value: "2026-11-20T12:00:00.000Z" });
  await store.saveDeclaration({ type: "order.paid", declaration: '{"title":"é \\u0000"}', nowMs: NOW });
}

/** A store's answers to all questions that show what it holds. Changes nothing. */
export async function describeInstallation(store: Store): Promise<unknown> {
  const accounts = await Promise.all([accountId, OTHER.id].map((id) => store.loadAccount({ accountId: id })));
  const ofAccount = { accountId, before: null, limit: 100 } as const;
  const types = ["demo_viewed", "chat_conversation_completed"] as const;
  const events = await Promise.all(types.map((type) => store.listEvents({ ...ofAccount, type })));
  const reported = { accountId, withDeleted: true, nowMs: NOW, waitingMax: 5 };
  const destinations = await store.loadDestinations(reported);
  const changes = destinations.map(({ id }) => store.listDestinationChanges({ accountId, destinationId: id }));
  const log = await listLog(store);
  const deliveries = [...log, { id: "dlv_test" }].map(({ id }) => store.loadDelivery({ accountId, deliveryId: id }));
  const counts = { accountId, fromMs: T0 - minutesMs(60), toMs: NOW, bucketMs: minutesMs(1) };
  const figures = ([{}, { joined: "destinations" }, { joined: "answers" }] as const).map(async (joined) =>
    sorted(await store.countAttempts({ ...counts, ...joined })),
  );
  const session = { sessionHash: "session", isUse: false, nowMs: T0 + 2 };
  return {
    accounts,
    events,
    destinations: sorted(destinations.map(withoutNewer)),
    tags: destinations.map(({ id, tags }) => `${id} ${tags.join(" ")}`).toSorted(),
    changes: await Promise.all(changes),
    log,
    deliveries: await Promise.all(deliveries),
    figures: await Promise.all(figures),
    audit: await store.listAudit(ofAccount),
    replays: await store.listReplays({ accountId }),
    views: await store.listViews({ accountId }),
    mail: (await store.loadRecipients({ accountId })).mailAddresses,
    channels: (await store.loadRecipients({ accountId })).channels,
    link: await store.followMailLink({ tokenHash: "link of ops@acme.example", action: "look", nowMs: NOW }),
    session: await store.loadSession(session),
    signedIn: await store.listSessions({ ...ofAccount, nowMs: T0 + 2 }),
    event: await store.loadEvent({ accountId, type: "demo_viewed", sourceId: uuid(1) }),
    waiting: (await store.countWaiting({ nowMs: NOW })).waiting,
    firstStart: await store.loadSetting({ name: "first_start_at" }),
    texts: await store.loadBodyTexts({ accountId, ids: [TEXT.id] }),
    declarations: await store.listDeclarations({ typesMax: 200 }),
  };
}

/** Its next steps with what it holds. Changes it. */
export async function continueInstallation(store: Store): Promise<unknown> {
  const nowMs = NOW + minutesMs(1);
  const link = {
    sessionHash: "another",
    sessionId: "ses_2",
    replacedHash: null,
    expiresAtMs: NOW,
    nowMs: T0 + 1,
  };
  const links = ["used", "ended", "fresh"];
  const signedIn = await Promise.all(links.map((hash) => store.openSession({ tokenHash: hash, ...link })));
  const messages = [
    await claimMessages(store, "email", { nowMs }),
    await claimMessages(store, "channel", { nowMs }),
    await claimMessages(store, "operator", { nowMs, messagesMax: 99 }),
  ];
  const limits = {
    deliveriesMax: 100,
    perDestinationMax: 100,
    perAccountMax: 100,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 10 ** 9,
  };
  const claimed = await store.claimDueDeliveries({ nowMs, claim: claimAt(nowMs), ...limits });
  const configVersion = await loadVersion(store);
  const again = await accept(store, [makeEvent(1, { configVersion }), makeEvent(20_000, { configVersion })], nowMs);
  await store.writeAudit({ accountId, nowMs, by: ADA, action: "signed_in", subject: "" });
  const [entry] = await store.listAudit({ accountId, before: null, limit: 1 });
  const [newest] = await store.listEvents({ accountId, type: "demo_viewed", before: null, limit: 1 });
  return { signedIn, messages, claimed: sorted(claimed), again, entry, newest };
}

async function listLog(store: Store): Promise<{ readonly id: string }[]> {
  const rows = [];
  let before: ListDeliveries["before"] = null;
  do {
    const page = await store.listDeliveries({ accountId, withTests: true, limit: 5, before });
    rows.push(...page.deliveries);
    before = page.next;
  } while (before !== null);
  return rows;
}

/**
 * Tags stand by themselves: 1.0.0 had none, and a line of all fields is compared whole. Nor did it say since when
 * something waits, and the ids of tests have no time.
 */
function withoutNewer(destination: ReportedDestination): object {
  const { tags: _, oldestWaitingAtMs: __, ...others } = destination;
  return others;
}

/** In no order of a store's own, neither of rows nor of their fields. */
const sorted = (rows: readonly object[]): string[] => rows.map(listFields).toSorted();

const listFields = (row: object): string =>
  Object.entries(row)
    .map((field) => JSON.stringify(field))
    .toSorted()
    .join(" ");
