/** Webhooks whose body is not the event: what goes out, and what the log shows of it after everything has changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { ACCOUNT, ADA, answer, createWorld, HOOK, session, toValue, type World } from "../../test/kit/world/world.ts";
import type { SavedAlert } from "../../test/kit/world/alerts.ts";
import { saveWebhook } from "../accounts/save-webhook.ts";
import { makeAgain } from "../bodies/sent-body.ts";
import type { Outcome } from "../domain/attempt.ts";
import type { WebhookForm } from "../domain/webhook-form.ts";
import { eventType } from "../../test/kit/event-type.ts";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { createEventTypes, type EventTypes } from "../events/event-types.ts";
import { daysMs, secondsMs } from "../lib/duration.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { MADE_CHARS_MAX, MadeBodies } from "./made-bodies.ts";
import { resend, startReplay } from "./resend.ts";
import { sendTest } from "./test-delivery.ts";

const TEMPLATE =
  '{"email": "{{lead.email|unknown}}", "id": "{{webhook_id}}", "at": "{{accepted_at}}", "all": "{{payload}}"}';
const OTHER_TEMPLATE = '{"v": 2, "email": "{{lead.email|unknown}}"}';
const templated = (template = TEMPLATE): Partial<WebhookForm> => ({ body: "template", template });

/** A world with an alert whose webhook sends such a body. */
async function createWith(webhook: Partial<WebhookForm>, options: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld(options);
  await world.setUpAccount();
  const saved = toValue(await world.setUpAlert({ webhook: makeWebhookForm({ url: HOOK, ...webhook }) }));
  return { world, saved };
}

const change = async (
  world: World,
  { id, revision }: Omit<SavedAlert, "destinationId">,
  webhook: Partial<WebhookForm>,
) =>
  toValue(
    await world.setUpAlert({
      existing: { id, revision },
      webhook: makeWebhookForm({ url: HOOK, ...webhook }),
    }),
  );

interface Shown {
  readonly shown: readonly (string | null)[];
  readonly isSame: boolean;
}

/** What the log shows of a delivery's attempts, in their order. */
async function show({ store }: World, deliveryId: string): Promise<Shown> {
  const delivery = await store.loadDelivery({ accountId: ACCOUNT, deliveryId });
  assert.ok(delivery !== null);
  const all = delivery.attempts.map(({ sent = null }) => sent);
  const ids = [...new Set(all.flatMap((sent) => (sent === null ? [] : [sent.textId])))];
  const texts = await store.loadBodyTexts({ accountId: ACCOUNT, ids });
  const made = all.map((sent) => {
    if (sent === null) return { body: delivery.body, differs: false };
    const text = texts.find(({ id }) => id === sent.textId);
    return makeAgain(sent, text, delivery);
  });
  return { shown: made.map((each) => each?.body ?? null), isSame: made.every((each) => each?.differs === false) };
}

/** By webhook-id, in the order in which they were sent. */
const listSent = ({ sent }: World): Map<string, string[]> =>
  new Map(
    [...Map.groupBy(sent, ({ request }) => request.headers["webhook-id"] ?? "")].map(([id, all]) => [
      id,
      all.map(({ request }) => Buffer.from(request.bytes).toString()),
    ]),
  );

async function assertShownAsSent(world: World): Promise<void> {
  for (const [id, bodies] of listSent(world)) {
    assert.deepEqual(await show(world, id), { shown: bodies, isSame: true });
  }
}

test("an event goes as it is unless its webhook wants another body, and keeps no text", async () => {
  const { world } = await createWith({});
  await world.acceptOne(session(1));
  await world.run();
  const [id = ""] = listSent(world).keys();
  const delivery = await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: id });
  assert.equal(world.sent[0]?.request.body, delivery?.body);
  assert.ok(!Object.hasOwn(delivery?.attempts[0] ?? {}, "sent"));
});

test("a template's body is sent and signed, with the delivery's own id and instant in it", async () => {
  const { world } = await createWith(templated());
  const { eventId } = await world.acceptOne(session(1));
  await world.run();
  const { request } = world.sent[0] ?? assert.fail();
  const made = JSON.parse(request.body) as Record<string, unknown>;
  const delivery = await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: String(made["id"]) });
  assert.equal(made["id"], request.headers["webhook-id"]);
  assert.equal(made["at"], new Date(world.clock.nowMs()).toISOString());
  assert.deepEqual(made["all"], JSON.parse(delivery?.body ?? ""));
  assert.equal(delivery?.eventId, eventId);
  assert.equal(request.headers["content-length"], String(Buffer.byteLength(request.body)));
  await assertShownAsSent(world);
});

test("a template that is changed while 500 deliveries wait holds for what is sent from then on", async () => {
  const outage = { lasts: true };
  const { world, saved } = await createWith(templated(), { receiver: () => answer(outage.lasts ? 503 : 200) });
  for (let from = 1; from <= 500; from += 100) {
    toValue(await world.accept(...Array.from({ length: 100 }, (_, n) => session(from + n))));
  }
  await world.run();
  const before = world.sent.length;
  assert.ok(before >= 8, "some were tried");
  await change(world, saved, templated(OTHER_TEMPLATE));
  outage.lasts = false;
  for (let step = 0; step < 60; step += 1) {
    await world.clock.advance(secondsMs(30));
    await world.run();
  }
  const sent = listSent(world);
  assert.equal(sent.size, 500);
  assert.ok(world.sent.slice(0, before).every(({ request }) => request.body.startsWith('{"email"')));
  assert.ok(world.sent.slice(before).every(({ request }) => request.body.startsWith('{"v"')));
  await assertShownAsSent(world);
});

test("a resend and a replay a week later are shown as they went out, and so is what went before them", async () => {
  const { world, saved } = await createWith(templated());
  toValue(await world.accept(session(1), session(2)));
  await world.run();
  await change(world, saved, { body: "slack", template: null });
  await world.clock.advance(daysMs(7));
  const [first = "", second = ""] = listSent(world).keys();
  toValue(await resend(world, { accountId: ACCOUNT, deliveryId: first, by: ADA }));
  await world.run();
  await change(world, { ...saved, revision: saved.revision + 1 }, templated(OTHER_TEMPLATE));
  const filter = { states: ["delivered"] as const };
  toValue(await startReplay(world, { accountId: ACCOUNT, filter, ratePerSecond: 9, startPaused: false, by: ADA }));
  for (let step = 0; step < 4; step += 1) {
    await world.clock.advance(secondsMs(1));
    await world.housekeeping.step();
    await world.run();
  }
  const sent = listSent(world);
  assert.deepEqual([sent.get(first)?.length, sent.get(second)?.length], [3, 2]);
  assert.equal(new Set(sent.get(first)).size, 3, "each time another body");
  await change(world, { ...saved, revision: saved.revision + 2 }, {});
  await assertShownAsSent(world);
});

test("a type that is declared anew changes what is sent, and nothing of what the log shows", async () => {
  let declared = declare("Order paid", ["/who"]);
  const types: EventTypes = { ...declared, find: (type) => declared.find(type) };
  const world = await createWorld({ types });
  await world.setUpAccount();
  const webhook = makeWebhookForm({ url: HOOK, body: "teams" });
  const settings = { name: "Orders", events: "all" } as const;
  const draft = { accountId: ACCOUNT, existing: null, settings, webhook, by: ADA };
  const { id, revision } = toValue(await saveWebhook(world.accounts, draft));
  const record = (n: number) =>
    toValue(
      (declared.find("order_paid") ?? assert.fail()).parse(JSON.stringify({ id: String(n), who: "Ada", what: "B" })),
    );
  await world.acceptOne(record(1));
  await world.run();
  declared = declare("An order", ["/what"]);
  // As after a restart: no settings are held from before.
  toValue(await saveWebhook(world.accounts, { ...draft, existing: { id, revision } }));
  await world.acceptOne(record(2));
  await world.run();
  const [[one = ""] = [], [other = ""] = []] = [...listSent(world).values()];
  assert.match(one, /Order paid: Ada/);
  assert.match(other, /An order: B/);
  await assertShownAsSent(world);
});

const declare = (title: string, headline: readonly string[]): EventTypes => {
  const properties = { id: { type: "string" }, who: { type: "string" }, what: { type: "string" } } as const;
  return createEventTypes([
    toDeclaration({ type: "order_paid", title, headline, schema: { type: "object", required: ["id"], properties } }),
  ]);
};

/** More than a body may have of any event. */
const PLACES = Array.from({ length: 200 }, (_, n) => `"k${n}": "It is: {{payload}}"`);
const HUGE = `{${PLACES.join(", ")}}`;

const long = (n: number) => session(n, { referers: [`https://a.example/${"x".repeat(1_500)}`] });

test("a body that cannot be made has failed at once, harms no destination, and a resend makes it anew", async () => {
  const { world, saved } = await createWith(templated(HUGE));
  toValue(await world.accept(...Array.from({ length: 20 }, (_, n) => long(n + 1))));
  await world.run();
  assert.equal(world.sent.length, 0);
  assert.equal(world.told.attempts.length, 20, "no breaker has opened");
  const { deliveryId, verdict, result } = world.told.attempts[0] ?? assert.fail();
  assert.deepEqual([verdict.kind, result.outcome.kind], ["exhausted", "body_error"]);
  const failed = await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId });
  assert.deepEqual([failed?.state, failed?.attempts[0]?.url], ["failed", HOOK]);
  assert.match(JSON.stringify(failed?.attempts[0]?.result.outcome), /more than 256 KiB/);
  const view = await world.store.loadAccount({ accountId: ACCOUNT });
  assert.equal(view?.alerts[0]?.destination?.failingSinceMs, null);
  await change(world, saved, templated());
  toValue(await resend(world, { accountId: ACCOUNT, deliveryId, by: ADA }));
  await world.run();
  assert.equal((await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId }))?.state, "delivered");
  assert.equal(listSent(world).get(deliveryId)?.length, 1);
});

const SOURCE = { eventType: "demo_viewed", eventId: "evt_01m7wdafa00000000000000000", body: "{}" };
/** Makes 256 KiB of any event. */
const LARGE = { body: "template", template: `{"x": "${"y".repeat(8)}"}` } as const;

test("1,024 bodies of 256 KiB stay within the capacity, and one account leaves some to others", async () => {
  const { world } = await createWith({});
  const bodies = new MadeBodies({ store: world.store, types: world.accounts.types, clock: world.clock });
  const body = JSON.stringify({ x: "y".repeat(256 * 1024 - 20) });
  const settings = { ...LARGE, template: '{"x": "{{x}}"}' };
  let chars = 0;
  const made = Array.from({ length: 1_024 }, (_, n) => {
    const delivery = { ...SOURCE, id: `dlv_${n}`, accountId: `acct-${n < 900 ? 0 : n % 4}`, body };
    const each = bodies.make(settings, delivery);
    if (each === "full") return null;
    chars += toValue(each).body.length;
    return delivery;
  });
  assert.ok(chars > MADE_CHARS_MAX / 2 && chars <= MADE_CHARS_MAX + 256 * 1024, `${chars}`);
  assert.ok(made.slice(0, 900).filter((each) => each !== null).length <= 17, "one account has half at most");
  assert.ok(made.slice(900).some((each) => each !== null));
  for (const delivery of made) if (delivery !== null) bodies.release(delivery.id);
  const again = Array.from({ length: 16 }, (_, n) =>
    bodies.make(settings, { ...SOURCE, id: `again_${n}`, accountId: "acct-0", body }),
  );
  assert.ok(again.every((each) => each !== "full"));
});

test("a delivery whose body finds no capacity goes out when another's attempt has ended", async () => {
  const { world } = await createWith(templated());
  const body = JSON.stringify({ x: "y".repeat(256 * 1024 - 20) });
  const fill = Array.from({ length: 40 }, (_, n) => ({ ...SOURCE, id: `dlv_${n}`, accountId: ACCOUNT, body }));
  for (const each of fill) world.ctx.bodies.make({ ...LARGE, template: '{"x": "{{x}}"}' }, each);
  await world.acceptOne(session(1));
  await world.run();
  await world.clock.advance(secondsMs(2));
  assert.equal(world.sent.length, 0);
  for (const { id } of fill) world.ctx.bodies.release(id);
  await world.clock.advance(secondsMs(1));
  await world.run();
  assert.equal(world.sent.length, 1);
  await assertShownAsSent(world);
});

test("a delivery that waits for capacity for too long is given back, and is sent under its next claim", async () => {
  const { world } = await createWith(templated());
  const body = JSON.stringify({ x: "y".repeat(256 * 1024 - 20) });
  const fill = Array.from({ length: 40 }, (_, n) => ({ ...SOURCE, id: `dlv_${n}`, accountId: ACCOUNT, body }));
  for (const each of fill) world.ctx.bodies.make({ ...LARGE, template: '{"x": "{{x}}"}' }, each);
  await world.acceptOne(session(1));
  await world.run();
  await world.clock.advance(secondsMs(40));
  assert.equal(world.engine.lanes.load.counts().deliveries, 0);
  for (const { id } of fill) world.ctx.bodies.release(id);
  await world.run();
  assert.equal(world.sent.length, 1);
});

test("a text is kept once a day, and again on the next, however many attempts are made of it", async () => {
  const { world } = await createWith(templated());
  const calls: string[] = [];
  const keepBodyText: World["store"]["keepBodyText"] = (params) => {
    calls.push(new Date(params.nowMs).toISOString().slice(0, 10));
    return world.store.keepBodyText(params);
  };
  const bodies = new MadeBodies({ store: { keepBodyText }, types: world.accounts.types, clock: world.clock });
  const { text } = toValue(
    bodies.make({ body: "template", template: "{}" }, madeOf("dlv_1")) as Exclude<
      ReturnType<typeof bodies.make>,
      "full"
    >,
  );
  await Promise.all([bodies.keep(ACCOUNT, text), bodies.keep(ACCOUNT, text)]);
  await bodies.keep(ACCOUNT, text);
  await bodies.keep("acct-2", text);
  await world.clock.advance(daysMs(1));
  await bodies.keep(ACCOUNT, text);
  assert.equal(calls.length, 3);
  assert.equal(new Set(calls).size, 2);
});

const madeOf = (id: string) => ({ ...SOURCE, id, accountId: ACCOUNT });

test("while the store is away an attempt waits with its text, and is not sent twice", async () => {
  const { world } = await createWith(templated());
  const away = { times: 3 };
  const keepBodyText: World["store"]["keepBodyText"] = (params) => {
    away.times -= 1;
    if (away.times >= 0) return Promise.reject(new StoreUnavailable("the disk is full"));
    return world.store.keepBodyText(params);
  };
  Object.assign(world.ctx, {
    bodies: new MadeBodies({ store: { keepBodyText }, types: world.accounts.types, clock: world.clock }),
  });
  await world.acceptOne(session(1));
  await world.run();
  assert.equal(world.told.attempts.length, 0);
  await world.clock.advance(secondsMs(2));
  await world.run();
  assert.deepEqual([world.sent.length, world.told.attempts.length, away.times], [1, 1, -1]);
  await assertShownAsSent(world);
});

test("a test sends what the form's body makes of the sample, and the log shows it", async () => {
  const { world } = await createWith({});
  const type = eventType("demo_viewed");
  const webhook = makeWebhookForm({ url: HOOK, ...templated() });
  const body = '{"event":"demo_viewed","lead":{"email":"a@b.example"}}';
  const draft = { accountId: ACCOUNT, saved: null, webhook, owner: "alert", type, body } as const;
  const { deliveryId, request } = toValue(await sendTest(world.ctx, draft));
  assert.equal((JSON.parse(request.body) as { id: string }).id, `test_${deliveryId}`);
  assert.equal(world.sent[0]?.request.body, request.body);
  assert.deepEqual(await show(world, deliveryId), { shown: [request.body], isSame: true });
  const huge = { ...draft, webhook: makeWebhookForm({ url: HOOK, ...templated(HUGE) }) };
  const unmade = toValue(await sendTest(world.ctx, { ...huge, body: JSON.stringify({ x: "x".repeat(4_000) }) }));
  assert.equal(unmade.result.outcome.kind, "body_error");
  assert.equal(world.sent.length, 1);
});

test("Discord's wait in its answer's body holds its webhook back as Retry-After does", async () => {
  const limited: Outcome = {
    kind: "response",
    response: {
      status: 429,
      headers: {},
      body: new TextEncoder().encode('{"message":"You are being rate limited.","retry_after":64.5,"global":false}'),
      bodyCut: false,
    },
  };
  const url = "https://discord.com/api/webhooks/1/token";
  const { world } = await createWith({ url, body: "discord" }, { receiver: () => limited });
  await world.acceptOne(session(1));
  await world.run();
  assert.equal(world.told.attempts[0]?.heldUntilMs, world.clock.nowMs() + 64_500);
});

test("a text that has gone with retention, and an event without its payload, leave nothing to show", async () => {
  const { world } = await createWith(templated());
  await world.acceptOne(session(1));
  await world.run();
  const [id = ""] = listSent(world).keys();
  const delivery = await world.store.loadDelivery({ accountId: ACCOUNT, deliveryId: id });
  const { sent = null } = delivery?.attempts[0] ?? assert.fail();
  assert.ok(delivery !== null && sent !== null);
  assert.equal(makeAgain(sent, undefined, delivery), null);
  const [text] = await world.store.loadBodyTexts({ accountId: ACCOUNT, ids: [sent.textId] });
  assert.equal(makeAgain(sent, text, { ...delivery, body: null }), null);
  assert.equal(makeAgain({ ...sent, sha256: "0" }, text, delivery)?.differs, true);
  await world.clock.advance(daysMs(94));
  while ((await world.housekeeping.step()) > 0);
  assert.deepEqual(await world.store.loadBodyTexts({ accountId: ACCOUNT, ids: [sent.textId] }), []);
});
