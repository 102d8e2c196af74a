import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { AccountView, DestinationView } from "../accounts/account-view.ts";
import type { DemoAlert } from "../domain/alert.ts";
import type { Conditions } from "../domain/conditions.ts";
import type { WantedEvents, WantedType } from "../domain/webhook.ts";
import { CHAT_CONVERSATION_SAMPLES } from "../events/chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES } from "../events/demo-viewed.ts";
import type { RoutingFacts } from "../events/event-type.ts";
import { route } from "./route.ts";
import { makeAccount, makeAlert, makeDestinationView } from "../../test/kit/make.ts";
import { eventType } from "../../test/kit/event-type.ts";

const APP_URL = "https://app.example.com";

const destination = (id: string, state: DestinationView["state"] = "on"): DestinationView =>
  makeDestinationView({ id, url: `https://${id}.example/`, state });
const owner = { revision: 1, changed: null };
const alert = (place: number, changes: Partial<DemoAlert> = {}): AccountView["alerts"][number] => ({
  ...owner,
  alert: makeAlert({ id: `alr_${place}`, name: `Alert ${place}`, ...changes }),
  destination: destination(`dst_${place}`),
});
const view = (parts: Partial<AccountView>): AccountView => ({
  account: makeAccount({ appUrl: APP_URL }),
  isSuspended: false,
  configVersion: 1,
  secrets: { current: "whsec_a", previous: null } as unknown as AccountView["secrets"],
  alerts: [],
  assistants: new Map(),
  webhooks: [],
  destinations: new Map(),
  ...parts,
});

const parse = (type: "demo_viewed" | "chat_conversation_completed", record: object): RoutingFacts => {
  const parsed = eventType(type).parse(JSON.stringify(record));
  assert.ok(parsed.ok);
  return parsed.value.facts;
};
const session = (changes: object = {}) => parse("demo_viewed", { ...DEMO_VIEWED_SAMPLES.knownLead, ...changes });
const chat = (changes: object = {}) =>
  parse("chat_conversation_completed", { ...CHAT_CONVERSATION_SAMPLES.textChat, ...changes });

const FROM_LINKEDIN: Conditions = {
  join: "all",
  list: [{ field: "utm_params.utm_source", operator: "is", value: "linkedin" }],
};

function sentTo(given: AccountView, facts: RoutingFacts) {
  const { destinations, notSent } = route(given, facts);
  return { to: destinations.map(({ id }) => id), not: notSent.webhooks.map(({ reason }) => reason.kind) };
}

test("an alert with conditions fires for the sessions that they hold for", () => {
  const given = view({ alerts: [alert(1, { intentLevels: ["high"], conditions: FROM_LINKEDIN })] });
  const linkedin = { utm_params: { utm_source: "LinkedIn" } };
  assert.deepEqual(sentTo(given, session(linkedin)), { to: ["dst_1"], not: [] });
  assert.deepEqual(sentTo(given, session()), { to: [], not: ["conditions"] });
  assert.deepEqual(sentTo(given, session({ ...linkedin, intent_level: "low" })), { to: [], not: ["intent_levels"] });
});

test("an assistant's webhook with conditions gets the conversations that they hold for", () => {
  const conditions: Conditions = {
    join: "any",
    list: [
      { field: "extracted_variables.team_size", operator: "at_least", value: "50" },
      { field: "topics", operator: "contains", value: "security" },
    ],
  };
  const assistants = new Map([
    ["website-assistant", { ...owner, name: "A", conditions, destination: destination("dst_a") }],
  ]);
  const given = view({ assistants });
  assert.deepEqual(sentTo(given, chat()), { to: [], not: ["conditions"] });
  assert.deepEqual(sentTo(given, chat({ topics: ["Security review"] })).to, ["dst_a"]);
  assert.deepEqual(sentTo(given, chat({ extracted_variables: { team_size: 50 } })).to, ["dst_a"]);
});

describe("a webhook that an event does not go to", () => {
  const reasons: readonly (readonly [kind: string, view: AccountView])[] = [
    ["plan", view({ account: { ...view({}).account, plan: "free" }, alerts: [alert(1)] })],
    ["toggle_off", view({ alerts: [alert(1, { webhooksOn: false })] })],
    ["demos", view({ alerts: [alert(1, { demos: ["Other"] })] })],
    ["intent_levels", view({ alerts: [alert(1, { intentLevels: ["low"] })] })],
    ["conditions", view({ alerts: [alert(1, { conditions: FROM_LINKEDIN })] })],
  ];
  for (const [kind, given] of reasons) {
    test(`has its reason: ${kind}`, () => assert.deepEqual(sentTo(given, session()), { to: [], not: [kind] }));
  }

  test("is named when the visitor is not one that the alert is for", () => {
    const given = view({ alerts: [alert(1, { audience: "known_lead" })] });
    assert.deepEqual(sentTo(given, session({ lead: null })), { to: [], not: ["audience"] });
  });

  test("is not a webhook that was never set up, nor one that is paused", () => {
    const paused = { ...alert(1), destination: destination("dst_1", "paused") };
    const given = view({ alerts: [paused, { ...alert(2, { webhooksOn: false }), destination: null }] });
    assert.deepEqual(sentTo(given, session()), { to: ["dst_1"], not: [] });
  });

  test("is one of ten that are named; the others are counted", () => {
    const alerts = Array.from({ length: 500 }, (_, place) => alert(place, { conditions: FROM_LINKEDIN }));
    const { notSent } = route(view({ alerts }), session());
    assert.deepEqual([notSent.webhooks.length, notSent.more], [10, 490]);
  });
});

test("an account without conditions has no object made of its records", () => {
  const facts: RoutingFacts = { ...session(), toPayload: () => assert.fail("made an object") };
  const given = view({ alerts: [alert(1), alert(2, { demos: ["Other"] })] });
  assert.deepEqual(sentTo(given, facts), { to: ["dst_1"], not: ["demos"] });
});

test("conditions make one object of a record, however many there are", () => {
  const given = session();
  let made = 0;
  const facts: RoutingFacts = {
    ...given,
    toPayload(account) {
      made += 1;
      return given.toPayload(account);
    },
  };
  const alerts = Array.from({ length: 50 }, (_, place) => alert(place, { conditions: FROM_LINKEDIN }));
  route(view({ alerts }), facts);
  assert.equal(made, 1);
});

describe("a routing that was decided before", () => {
  const alerts = [
    alert(1, { demos: ["Tour"], audience: "known_lead" }),
    alert(2, { intentLevels: ["high"], audience: "known_lead_or_company" }),
    alert(3, { demos: ["Tour", "Other"], intentLevels: ["low", "high"] }),
    alert(4, { webhooksOn: false }),
  ];
  const { lead, buyer_reveal: company } = DEMO_VIEWED_SAMPLES.knownLead;
  const someSession = fc.record({
    name: fc.constantFrom("Tour", "Other", "Third"),
    intent_level: fc.constantFrom("low", "high", "none"),
    lead: fc.constantFrom(null, lead),
    buyer_reveal: fc.constantFrom(null, company),
  });

  test("is the one that would be decided anew, whatever sessions came before", () => {
    const given = view({ alerts });
    fc.assert(
      fc.property(someSession, (is) => assert.deepEqual(route(given, session(is)), route({ ...given }, session(is)))),
    );
  });

  test("serves every session with the same facts, which are all that it depends on", () => {
    const given = view({ alerts });
    const facts = session();
    assert.ok(facts.session !== null);
    assert.deepEqual(Object.keys(facts.session).toSorted(), ["demoName", "hasCompany", "hasLead", "intentLevel"]);
    assert.equal(route(given, facts), route(given, session({ time_spent: 1, utm_params: { utm_source: "x" } })));
  });

  test("holds for one version of the account", () => {
    const given = view({ alerts });
    assert.deepEqual(sentTo(given, session({ name: "Tour", intent_level: "none" })).to, ["dst_1"]);
    const later = view({ alerts: [alert(9, { demos: ["Tour"] })], configVersion: 2 });
    assert.deepEqual(sentTo(later, session({ name: "Tour", intent_level: "none" })).to, ["dst_9"]);
  });

  test("is dropped when there are too many, and decided again", () => {
    const given = view({ alerts: [alert(1, { demos: ["Demo 7"] })] });
    const first = route(given, session({ name: "Demo 7" }));
    for (let n = 8; n < 1_100; n += 1) assert.deepEqual(sentTo(given, session({ name: `Demo ${n}` })).to, []);
    const again = route(given, session({ name: "Demo 7" }));
    assert.notEqual(again, first);
    assert.deepEqual(again, first);
  });
});

describe("a webhook of its own", () => {
  const LEAD: RoutingFacts = {
    ...session(),
    type: "lead_identified",
    plan: null,
    session: null,
    toPayload: () => ({ id: "1", score: 80, event: "lead_identified" }),
  };
  const scored = (value: string): Conditions => ({
    join: "all",
    list: [{ field: "score", operator: "at_least", value }],
  });
  const webhook = (place: number, events: WantedEvents): AccountView["webhooks"][number] => ({
    ...owner,
    webhook: { id: `whk_${place}`, name: `Webhook ${place}`, events },
    destination: destination(`dst_w${place}`),
  });
  const wanting = (...types: string[]): WantedType[] => types.map((type) => ({ type, conditions: null }));

  test("gets the types that it lists, or all, and is not meant by the others", () => {
    const webhooks = [
      webhook(1, "all"),
      webhook(2, wanting("order.paid", "lead_identified")),
      webhook(3, wanting("order.paid")),
    ];
    assert.deepEqual(sentTo(view({ webhooks }), LEAD), { to: ["dst_w1", "dst_w2"], not: [] });
    assert.deepEqual(sentTo(view({ webhooks }), { ...LEAD, type: "undreamt" }), { to: ["dst_w1"], not: [] });
  });

  test("gets every type of a group, also one that is declared later; a listed type keeps its conditions", () => {
    const events = [...wanting("order.*"), { type: "order.paid", conditions: scored("90") }];
    const given = view({ webhooks: [webhook(1, events), webhook(2, wanting("order.item.*"))] });
    for (const type of ["order.created", "order.declared_later"]) {
      assert.deepEqual(sentTo(given, { ...LEAD, type }), { to: ["dst_w1"], not: [] });
    }
    assert.deepEqual(sentTo(given, { ...LEAD, type: "order.item.added" }).to, ["dst_w1", "dst_w2"]);
    assert.deepEqual(sentTo(given, { ...LEAD, type: "order.paid" }), { to: [], not: ["conditions"] });
    for (const type of ["order", "orders.paid", "lead_identified"]) {
      assert.deepEqual(sentTo(given, { ...LEAD, type }).to, [], type);
    }
  });

  test("has conditions of its own for each type", () => {
    const events = [
      { type: "lead_identified", conditions: scored("90") },
      { type: "order.paid", conditions: scored("80") },
    ];
    const given = view({ webhooks: [webhook(1, events)] });
    assert.deepEqual(sentTo(given, LEAD), { to: [], not: ["conditions"] });
    assert.deepEqual(sentTo(given, { ...LEAD, type: "order.paid" }), { to: ["dst_w1"], not: [] });
  });

  test("needs the type's plan, which is told only where the type is wanted", () => {
    const webhooks = [webhook(1, "all"), webhook(2, wanting("lead_identified")), webhook(3, wanting("order.paid"))];
    const account = { ...view({}).account, plan: "starter" } as const;
    const given = view({ account, webhooks });
    assert.deepEqual(sentTo(given, { ...LEAD, plan: "growth" }), { to: [], not: ["plan", "plan"] });
    assert.deepEqual(sentTo(given, { ...LEAD, plan: "starter" }).to, ["dst_w1", "dst_w2"]);
  });

  test("gets a session beside the alerts that fire for it, and a conversation beside its assistant", () => {
    const assistants = new Map([
      ["website-assistant", { ...owner, name: "A", conditions: null, destination: destination("dst_a") }],
    ]);
    const webhooks = [webhook(1, "all"), webhook(2, wanting("chat_conversation_completed"))];
    const given = view({ alerts: [alert(1), alert(2, { demos: ["Other"] })], assistants, webhooks });
    assert.deepEqual(sentTo(given, session()), { to: ["dst_1", "dst_w1"], not: ["demos"] });
    assert.deepEqual(sentTo(given, chat()), { to: ["dst_a", "dst_w1", "dst_w2"], not: [] });
    const free = { ...given, account: { ...given.account, plan: "free" } } as const;
    assert.deepEqual(sentTo(free, session()), { to: [], not: ["plan", "plan", "plan"] });
    assert.deepEqual(sentTo(free, chat()).to, ["dst_a", "dst_w1", "dst_w2"]);
  });

  test("with conditions on sessions has each session decided anew; those on another type change nothing", () => {
    const ofSessions = view({ webhooks: [webhook(1, [{ type: "demo_viewed", conditions: FROM_LINKEDIN }])] });
    const linkedin = { utm_params: { utm_source: "LinkedIn" } };
    assert.deepEqual(sentTo(ofSessions, session()), { to: [], not: ["conditions"] });
    assert.deepEqual(sentTo(ofSessions, session(linkedin)), { to: ["dst_w1"], not: [] });
    const events = [...wanting("demo_viewed"), { type: "lead_identified", conditions: scored("90") }];
    const ofLeads = view({ webhooks: [webhook(1, events)] });
    assert.equal(route(ofLeads, session()), route(ofLeads, session(linkedin)));
    assert.deepEqual(sentTo(ofLeads, LEAD), { to: [], not: ["conditions"] });
  });
});
