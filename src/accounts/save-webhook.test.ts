import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { ACCOUNT, ADA, createWorld, HOOK, session, toValue } from "../../test/kit/world/world.ts";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { createEventTypes } from "../events/event-types.ts";
import { deleteWebhook, saveWebhook, type WantedEventsForm, type WebhookDraft } from "./save-webhook.ts";

const TYPES = createEventTypes([
  toDeclaration({ type: "lead_identified" }),
  toDeclaration({ type: "order.paid", plan: "growth" }),
]);
const SCORE = { join: "all", list: [{ field: "id", operator: "is", value: "7" }] } as const;

async function createWebhookWorld() {
  const world = await createWorld();
  await world.setUpAccount();
  const accounts = { ...world.accounts, types: TYPES };
  const save = (events: WantedEventsForm, parts: Partial<WebhookDraft> = {}) => {
    const draft = { accountId: ACCOUNT, existing: null, webhook: makeWebhookForm({ url: HOOK }), by: ADA };
    return saveWebhook(accounts, { ...draft, settings: { name: "CRM", events }, ...parts });
  };
  const load = async () => (await accounts.accounts.load(ACCOUNT, 0))?.webhooks ?? [];
  return { world, accounts, save, load };
}

const codeOf = (result: Awaited<ReturnType<typeof saveWebhook>>): string => (result.ok ? "saved" : result.error.code);

test("a webhook is saved with the types that it wants and their conditions, and keeps its destination", async () => {
  const { save, load } = await createWebhookWorld();
  const saved = toValue(await save([{ type: "lead_identified", conditions: SCORE }, { type: "demo_viewed" }]));
  const [first] = await load();
  const events = [
    { type: "lead_identified", conditions: SCORE },
    { type: "demo_viewed", conditions: null },
  ];
  assert.deepEqual(first?.webhook, { id: saved.id, name: "CRM", events });
  assert.match(saved.id, /^whk_/);
  // Conditions that the form leaves out stay, and those of a type that is taken out go with it.
  toValue(
    await save([{ type: "lead_identified" }], { existing: saved, webhook: makeWebhookForm({ url: `${HOOK}/2` }) }),
  );
  const [second] = await load();
  assert.deepEqual(second?.webhook.events, [{ type: "lead_identified", conditions: SCORE }]);
  assert.deepEqual([second.destination.id, second.destination.url], [first?.destination.id, `${HOOK}/2`]);
  toValue(await save("all", { existing: { id: saved.id, revision: 2 } }));
  assert.equal((await load())[0]?.webhook.events, "all");
  // All of them were wanted, and none of these by its name.
  const third = { id: saved.id, revision: 3 };
  assert.equal(codeOf(await save([{ type: "lead_identifed" }], { existing: third })), "invalid_event_types");
  assert.equal(codeOf(await save([{ type: "order.paid" }], { existing: third })), "plan_too_low");
});

test("a group is saved on any plan, and is no leave for a type of it that the plan has not", async () => {
  const { save, load } = await createWebhookWorld();
  const existing = toValue(await save([{ type: "order.*" }, { type: "lead_identified" }]));
  const listed = (await load())[0]?.webhook.events;
  assert.deepEqual(listed === "all" ? listed : listed?.map(({ type, conditions }) => [type, conditions]), [
    ["order.*", null],
    ["lead_identified", null],
  ]);
  const gated = await save([{ type: "order.*" }, { type: "order.paid" }], { existing });
  assert.equal(codeOf(gated), "plan_too_low");
  const undeclared = await save([{ type: "order.*" }, { type: "order.pad" }], { existing });
  assert.equal(codeOf(undeclared), "invalid_event_types");
});

describe("a webhook that cannot be saved", () => {
  const REFUSED: Readonly<Record<string, readonly [WantedEventsForm, string, RegExp]>> = {
    "wants nothing": [[], "events", /at least one event type, or be all$/],
    "wants a type that nobody declares": [[{ type: "lead_identifed" }], "events[0].type", /lead_identified\?$/],
    "wants a group without a type": [
      [{ type: "oder.*" }],
      "events[0].type",
      /begins with "oder\.": did you mean order\.\*\?$/,
    ],
    "wants every type by a group": [[{ type: "*" }], "events[0].type", /There is no event type/],
    "has conditions on a group": [
      [{ type: "order.*", conditions: { join: "all", list: [{ field: "id", operator: "known" }] } }],
      "events[0].conditions",
      /must be left out for a group/,
    ],
    "wants a type twice": [[{ type: "demo_viewed" }, { type: "demo_viewed" }], "events[1].type", /twice/],
    "has a condition on a field that the type has not": [
      [{ type: "lead_identified", conditions: { join: "all", list: [{ field: "demo", operator: "known" }] } }],
      "events[0].conditions.list[0].field",
      /none of the payload of lead_identified/,
    ],
  };
  for (const [name, [events, path, message]] of Object.entries(REFUSED)) {
    test(name, async () => {
      const { save, load } = await createWebhookWorld();
      const refused = await save(events);
      assert.equal(codeOf(refused), "invalid_event_types");
      const [error, ...others] = refused.ok ? [] : (refused.error.errors ?? []);
      assert.deepEqual([error?.path, others], [path, []]);
      assert.match(error?.message ?? "", message);
      assert.deepEqual(await load(), []);
    });
  }

  test("has a URL that cannot be used, or is of an account that does not exist", async () => {
    const { save } = await createWebhookWorld();
    assert.equal(codeOf(await save("all", { webhook: makeWebhookForm({ url: "ftp://x" }) })), "invalid_webhook_url");
    assert.equal(codeOf(await save("all", { accountId: "nobody" })), "account_not_found");
  });

  test("was changed by another person, or is deleted", async () => {
    const { save, accounts } = await createWebhookWorld();
    const existing = toValue(await save("all"));
    toValue(await save("all", { existing }));
    const late = await save("all", { existing });
    assert.match(late.ok ? "" : late.error.detail, /^\S+ changed this webhook at .* to see the change\.$/);
    const deletion = { accountId: ACCOUNT, id: existing.id, revision: 2, by: ADA };
    toValue(await deleteWebhook(accounts, deletion));
    const again = await deleteWebhook(accounts, deletion);
    assert.equal(again.ok ? "" : again.error.code, "webhook_not_found");
    assert.equal(codeOf(await save("all", { existing: { id: existing.id, revision: 2 } })), "webhook_not_found");
  });

  test("is one more than an account may have", async () => {
    const { save } = await createWebhookWorld();
    for (let count = 0; count < 100; count += 1) toValue(await save("all"));
    assert.equal(codeOf(await save("all")), "webhook_limit_reached");
  });
});

test("a type above the plan is refused where it is newly wanted, by its name, and stays where it was", async () => {
  const { world, save, load } = await createWebhookWorld();
  const refused = await save([{ type: "demo_viewed" }, { type: "order.paid" }]);
  assert.deepEqual(refused.ok ? null : refused.error, {
    code: "plan_too_low",
    detail: "Webhooks on order.paid need the Growth plan or higher; this account is on the starter plan.",
  });
  await world.setUpAccount("growth");
  const existing = toValue(await save([{ type: "order.paid" }]));
  await world.setUpAccount("free");
  toValue(await save([{ type: "order.paid", conditions: SCORE }], { existing }));
  const second = { id: existing.id, revision: 2 };
  assert.equal(
    codeOf(await save([{ type: "order.paid" }, { type: "demo_viewed" }], { existing: second })),
    "plan_too_low",
  );
  assert.deepEqual((await load())[0]?.webhook.events, [{ type: "order.paid", conditions: SCORE }]);
  // Every type on any plan: each event asks for its own.
  toValue(await save("all", { existing: second }));
});

test("a type that was wanted and is not declared any more stays, with its conditions, and does no harm", async () => {
  const { world, accounts, save, load } = await createWebhookWorld();
  const existing = toValue(await save([{ type: "lead_identified", conditions: SCORE }, { type: "demo_viewed" }]));
  const without = { ...accounts, types: createEventTypes([]) };
  const draft = { accountId: ACCOUNT, webhook: makeWebhookForm({ url: HOOK }), by: ADA };
  const events = [{ type: "lead_identified" }, { type: "demo_viewed" }];
  toValue(await saveWebhook(without, { ...draft, existing, settings: { name: "Renamed", events } }));
  const [saved] = await load();
  assert.deepEqual(saved?.webhook.events, [
    { type: "lead_identified", conditions: SCORE },
    { type: "demo_viewed", conditions: null },
  ]);
  toValue(await world.accept(session(1)));
  await world.run();
  assert.equal(world.sent.length, 1);
  const fresh = await saveWebhook(without, { ...draft, existing: null, settings: { name: "Other", events } });
  assert.equal(codeOf(fresh), "invalid_event_types");
});

test("an event goes to its alert and to the webhook, and deleting the webhook cancels what waits for it", async () => {
  const { world, accounts, save } = await createWebhookWorld();
  toValue(await world.setUpAlert());
  const { id, revision } = toValue(await save("all", { webhook: makeWebhookForm({ url: `${HOOK}/all` }) }));
  toValue(await world.accept(session(1)));
  await world.run();
  assert.deepEqual(world.sent.map(({ request }) => request.url.href).toSorted(), [HOOK, `${HOOK}/all`]);
  const [webhook] = (await accounts.accounts.load(ACCOUNT))?.webhooks ?? [];
  const pause = { accountId: ACCOUNT, destinationId: webhook?.destination.id ?? "", state: "paused" } as const;
  await accounts.store.setDestinationState({ ...pause, by: ADA, reason: "", nowMs: world.clock.nowMs() });
  accounts.accounts.forget(ACCOUNT);
  toValue(await world.accept(session(2), session(3)));
  await world.run();
  assert.equal(world.sent.length, 4);
  assert.deepEqual(toValue(await deleteWebhook(accounts, { accountId: ACCOUNT, id, revision, by: ADA })), {
    cancelled: 2,
  });
});

test("an event of a declared type goes to the webhooks that want it, with the reason where one does not", async () => {
  const { world, save, load } = await createWebhookWorld();
  toValue(await world.setUpAlert());
  toValue(
    await save([{ type: "lead_identified", conditions: SCORE }], { webhook: makeWebhookForm({ url: `${HOOK}/7` }) }),
  );
  toValue(await save("all", { webhook: makeWebhookForm({ url: `${HOOK}/all` }) }));
  toValue(await save([{ type: "demo_viewed" }], { webhook: makeWebhookForm({ url: `${HOOK}/demos` }) }));
  const lead = (id: string) => toValue(TYPES.find("lead_identified")?.parse(`{"id": "${id}"}`) ?? assert.fail());
  toValue(await world.accept(lead("7"), lead("8")));
  await world.run();
  const sent = world.sent.map(({ request }) => `${request.url.pathname} ${request.body}`);
  assert.deepEqual(sent.toSorted(), [
    '/in/7 {"id":"7","event":"lead_identified"}',
    '/in/all {"id":"7","event":"lead_identified"}',
    '/in/all {"id":"8","event":"lead_identified"}',
  ]);
  const listing = { accountId: ACCOUNT, type: "lead_identified", before: null, limit: 9 };
  const events = await world.store.listEvents(listing);
  const unmet = (await load()).find(({ destination }) => destination.url === `${HOOK}/7`)?.destination;
  const notSent = `[0,["${unmet?.id}","all",["id","is","7"]]]`;
  assert.deepEqual(
    events.map((event) => [event.sourceId, event.notSent]),
    [
      ["8", notSent],
      ["7", null],
    ],
  );
});

test("a webhook that is asked is saved without a URL, and takes nothing that only a request has", async () => {
  const { save, load } = await createWebhookWorld();
  const asked = makeWebhookForm({ url: "pull:" });
  toValue(await save("all", { webhook: asked }));
  assert.equal((await load())[0]?.destination.url, "pull:");
  const certificate = { chain: "x", key: "y" };
  const refused = await save("all", {
    webhook: { ...asked, ratePerSecond: 5, authentication: { oauth: null, certificate } },
  });
  assert.ok(!refused.ok);
  assert.deepEqual(
    refused.error.errors?.map(({ path }) => path),
    ["authentication", "ratePerSecond"],
  );
});
