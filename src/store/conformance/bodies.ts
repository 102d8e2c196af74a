/** Promises about bodies that are not the event: what an attempt says of them, and how long their texts stay. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { daysMs } from "../../lib/duration.ts";
import type { KeptBodyText } from "../contract/bodies.ts";
import type { Settlement } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";
import { eraseAll } from "./erasing.ts";
import {
  ACCOUNT,
  accept,
  alertToSave,
  claimIds,
  held,
  inStore,
  makeAttempt,
  makeEvent,
  makeSettlement,
  OUR_FAULT,
  type OpenStore,
  purgeNow,
  purgeStep,
  requestOneResend,
  ADA,
  setUp,
  T0,
  TEST_DELIVERY,
  webhookToSave,
} from "./world.ts";

const accountId = ACCOUNT.id;
const OTHER = { ...ACCOUNT, id: "acc_2" };

export const TEXT: KeptBodyText = {
  id: "0f".repeat(16),
  text: '{"kind":"template","template":"{\\"é\\":\\"{{x}}\\"}"}',
};
const SENT = { textId: TEXT.id, sha256: "ab".repeat(32) };

const load = (store: Store, deliveryId = "dlv_1") => store.loadDelivery({ accountId, deliveryId });

const listSent = async (store: Store, deliveryId = "dlv_1") =>
  (await load(store, deliveryId))?.attempts.map(({ sent }) => sent);

const keep = (store: Store, nowMs: number, text = TEXT) => store.keepBodyText({ accountId, ...text, nowMs });

const loadTexts = async (store: Store, ids = [TEXT.id]) =>
  (await store.loadBodyTexts({ accountId, ids })).toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** The only attempt of `dlv_1`, with its text kept before. */
async function deliver(store: Store, atMs: number, parts: Settle = {}): Promise<void> {
  const configVersion = await setUp(store, ["dst_a"]);
  await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })], atMs);
  await keep(store, atMs);
  await settle(store, { atMs, ...parts });
}

async function settle(store: Store, { atMs = T0, number = 1, deliveryId = "dlv_1", ...parts }: Settle): Promise<void> {
  const attempt = { ...makeAttempt(number, { startedAtMs: atMs }), sent: SENT };
  const settlement = makeSettlement(deliveryId, { attempt, ...parts });
  const [settled] = await store.settleAttemptsIfClaimed({ nowMs: atMs, settlements: [settlement] });
  assert.equal(settled?.kind, "settled");
}

interface Settle extends Partial<Omit<Settlement, "attempt">> {
  readonly atMs?: number;
  readonly number?: number;
  readonly deliveryId?: string;
}

export function describeBodies(open: OpenStore): void {
  describe("bodies", () => {
    describeSettings(open);
    describeSent(open);
    describeTexts(open);
  });
}

function describeSettings(open: OpenStore): void {
  const test = inStore(open);
  test("a webhook's body and template are kept as they were saved, whoever owns it", async (store) => {
    await setUp(store, []);
    const template = { body: "template", template: '{"é": "{{lead.email}}"}' } as const;
    const chat = { body: "slack", template: null } as const;
    const { destination: ofAlert } = alertToSave();
    const { destination: ofWebhook } = webhookToSave();
    assert.equal(
      (await store.saveAlert(alertToSave({ destination: ofAlert && { ...ofAlert, ...template } }))).kind,
      "saved",
    );
    assert.equal((await store.saveWebhook(webhookToSave({ destination: { ...ofWebhook, ...chat } }))).kind, "saved");
    const account = await store.loadAccount({ accountId });
    const saved = [account?.alerts[0]?.destination, account?.webhooks[0]?.destination];
    assert.deepEqual(
      saved.map((destination) => ({ body: destination?.body, template: destination?.template })),
      [template, chat],
    );
  });
}

function describeSent(open: OpenStore): void {
  const test = inStore(open);
  test("an attempt says what was sent, and nothing where that was the event", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    await settle(store, {});
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_2")] });
    const attempt = { ...makeAttempt(1, { startedAtMs: T0 }), sent: SENT };
    assert.deepEqual((await load(store))?.attempts, [attempt]);
    assert.deepEqual((await load(store, "dlv_2"))?.attempts, [makeAttempt(1)]);
  });

  test("each attempt says it by itself, before and after the delivery is sent again", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const deliveries = [held("dlv_1", "dst_a"), held("dlv_2", "dst_a")];
    await accept(store, [makeEvent(1, { configVersion, deliveries })]);
    await settle(store, {});
    await settle(store, { deliveryId: "dlv_2", next: { state: "pending", dueAtMs: T0 + 1 } });
    await requestOneResend(store, { accountId, deliveryId: "dlv_1", by: ADA, nowMs: T0 + 1 });
    assert.deepEqual(await listSent(store), [SENT]);
    assert.equal((await claimIds(store, T0 + 1)).length, 2);
    // The owner has chosen the event meanwhile.
    const plain = ["dlv_1", "dlv_2"].map((id) => makeSettlement(id, { attempt: makeAttempt(2) }));
    await store.settleAttemptsIfClaimed({ nowMs: T0 + 2, settlements: plain });
    assert.deepEqual(await listSent(store), [SENT, undefined]);
    assert.deepEqual(await listSent(store, "dlv_2"), [SENT, undefined]);
  });

  test("a test says it too", async (store) => {
    await setUp(store, ["dst_a"]);
    await store.recordTestDelivery({ ...TEST_DELIVERY, attempt: { ...TEST_DELIVERY.attempt, sent: SENT } });
    assert.deepEqual(await listSent(store, TEST_DELIVERY.deliveryId), [SENT]);
  });

  test("a body that could not be made is an outcome that says nothing about the destination", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
    const outcome = { kind: "body_error", message: "It would have more than 256 KiB." } as const;
    const failed = makeSettlement("dlv_1", { attempt: makeAttempt(1, { outcome }), next: { state: "failed" } });
    const [settled] = await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [failed] });
    assert.deepEqual(settled, { kind: "settled", heldUntilMs: 0, turnedOff: null });
    const delivery = await load(store);
    assert.deepEqual([delivery?.state, delivery?.attempts], ["failed", [failed.attempt]]);
    const account = await store.loadAccount({ accountId });
    assert.equal(account?.assistants[0]?.destination?.failingSinceMs, null);
  });

  test("erasing a person takes what was sent of their events, and of no other", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const about = (email: string) => `{"event":"demo_viewed","lead":{"email":"${email}"}}`;
    const fired = ["jane.doe@example.com", "john@example.com"].map((email, n) =>
      makeEvent(n, { configVersion, body: about(email), deliveries: [held(`dlv_${n}`, "dst_a")] }),
    );
    await accept(store, fired);
    for (const deliveryId of ["dlv_0", "dlv_1"]) await settle(store, { deliveryId });
    await eraseAll(store);
    assert.deepEqual([await listSent(store, "dlv_0"), await listSent(store, "dlv_1")], [[undefined], [SENT]]);
  });

  test("erasing takes it also where nothing was answered", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    const body = '{"lead":{"email":"jane.doe@example.com"}}';
    await accept(store, [makeEvent(1, { configVersion, body, deliveries: [held("dlv_1", "dst_a")] })]);
    const attempt = { ...makeAttempt(1, { outcome: OUR_FAULT }), sent: SENT };
    const unanswered = makeSettlement("dlv_1", { attempt, next: { state: "failed" } });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [unanswered] });
    await eraseAll(store);
    assert.deepEqual(await listSent(store), [undefined]);
  });
}

function describeTexts(open: OpenStore): void {
  const test = inStore(open);
  /** Long ago: retention makes tables for the days that come, by the server's own clock. */
  const THEN = T0 - daysMs(300);
  const purge = (store: Store, rowsBeforeMs: number) => purgeNow(store, T0, rowsBeforeMs);

  test("a text is kept once, for its account alone", async (store) => {
    await setUp(store, []);
    await setUp(store, [], OTHER);
    const another = { id: "1e".repeat(16), text: "{}" };
    await keep(store, T0);
    await keep(store, T0 + 1);
    await keep(store, T0, another);
    assert.deepEqual(await loadTexts(store, [TEXT.id, another.id, "unknown"]), [TEXT, another]);
    assert.deepEqual(await store.loadBodyTexts({ accountId: OTHER.id, ids: [TEXT.id] }), []);
    assert.deepEqual(await loadTexts(store, []), []);
  });

  test("a text goes with the last attempt that can name it", async (store) => {
    await deliver(store, THEN);
    await purge(store, THEN);
    assert.deepEqual([await listSent(store), await loadTexts(store)], [[SENT], [TEXT]]);
    // The rows go first; a text may have been used for a day after it was kept last.
    await purge(store, THEN + daysMs(1));
    assert.deepEqual([await load(store), await loadTexts(store)], [null, [TEXT]]);
    await purge(store, THEN + daysMs(3));
    assert.deepEqual(await loadTexts(store), []);
  });

  test("a text that is used again stays, and an earlier call that comes late changes nothing", async (store) => {
    await setUp(store, []);
    await keep(store, THEN);
    await keep(store, THEN + daysMs(60));
    await keep(store, THEN + daysMs(1));
    await purge(store, THEN + daysMs(61));
    assert.deepEqual(await loadTexts(store), [TEXT]);
    await purge(store, THEN + daysMs(63));
    assert.deepEqual(await loadTexts(store), []);
  });

  test("a text stays while an older event is there, whose attempts name it and which still waits", async (store) => {
    await deliver(store, THEN, { next: { state: "pending", dueAtMs: T0 } });
    await purge(store, T0 - daysMs(1));
    assert.deepEqual([await listSent(store), await loadTexts(store)], [[SENT], [TEXT]]);
  });

  test("a step lets no more of them go than it may", async (store) => {
    await setUp(store, []);
    for (const n of [1, 2, 3]) await keep(store, THEN, { id: `text ${n}`, text: "{}" });
    const step = () => purgeStep(store, { nowMs: T0, rowsBeforeMs: T0, rowsMax: 2 });
    const ids = ["text 1", "text 2", "text 3"];
    while ((await loadTexts(store, ids)).length === 3) await step();
    assert.equal((await loadTexts(store, ids)).length, 1);
  });
}
