import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EventTypeWords } from "../../../src/dashboard/contract/session.ts";
import type { WebhookDetail } from "../../../src/dashboard/contract/webhooks.ts";
import { addCondition } from "../conditions/draft.ts";
import { eventsInWords } from "../owner/owner-words.ts";
import { errorsByField } from "../webhook/refusals.ts";
import {
  checkWanted,
  errorsInWanted,
  findTypes,
  findWantedTypes,
  idleWord,
  inWanted,
  listTestable,
  sendsWebhook,
  toBody,
  toState,
  wantType,
} from "./webhook-state.ts";
import { makeWebhookForm, makeWebhookSettings } from "../../../test/kit/make.ts";

const HIGH = { join: "all", list: [{ field: "lead.score", operator: "at_least", value: "80" }] } as const;

const SAVED: WebhookDetail = {
  id: "whk_1",
  name: "Leads to the CRM",
  events: [
    { type: "lead_identified", conditions: HIGH },
    { type: "form_submitted", conditions: null },
  ],
  destination: null,
  revision: 3,
  changed: null,
  webhook: makeWebhookSettings({
    url: "https://a.example/in",
    headers: [{ name: "X-Key", value: null, secret: true }],
  }),
};

const type = (name: string, title: string, changes: Partial<EventTypeWords> = {}): EventTypeWords => ({
  type: name,
  title,
  noun: "event",
  unnamed: title,
  page: "/events/:type/:id",
  owners: ["webhook"],
  hint: "",
  planGate: null,
  ...changes,
});

const GATE = "Webhooks on meeting_booked need the Growth plan or higher; this account is on the free plan.";
const TYPES = [
  type("lead_identified", "Lead identified", { hint: "A visitor got a name." }),
  type("form_submitted", "Form submitted"),
  type("meeting_booked", "Meeting booked", { planGate: GATE }),
];
const label = (name: string) => TYPES.find((each) => each.type === name)?.title ?? name;
const some = (...names: string[]) => ({
  ...SAVED,
  events: names.map((each) => ({ type: each, conditions: null })),
});

describe("what Save sends", () => {
  test("is what was saved while nothing is changed, without a secret that the page never had", () => {
    const { url, headers, ratePerSecond } = SAVED.webhook ?? assert.fail();
    assert.deepEqual(toBody(toState(SAVED, null)), {
      name: SAVED.name,
      events: SAVED.events,
      webhook: makeWebhookForm({ url, headers, ratePerSecond }),
    });
  });

  test("is every type where all are wanted, and the chosen ones again after that", () => {
    const state = toState(SAVED, null);
    const all = { ...state, wantsAll: true };
    assert.equal(toBody(all).events, "all");
    assert.notEqual(sendsWebhook(all), sendsWebhook(state));
    assert.deepEqual(toBody({ ...all, wantsAll: false }).events, SAVED.events);
  });

  test("does not change with the type that a test sends", () => {
    const state = toState(SAVED, null);
    const tested = { ...state, tested: "form_submitted" };
    assert.equal(sendsWebhook(tested), sendsWebhook(state));
    assert.equal(toState(SAVED, tested).tested, "form_submitted", "another version that is loaded keeps the choice");
  });
});

describe("what is wrong with the chosen types", () => {
  const empty = { ...toState(null, null), wantsAll: false };

  test("none is chosen", () => {
    assert.deepEqual(checkWanted(empty), { events: "Choose at least one event type, or all events." });
    assert.deepEqual(checkWanted({ ...empty, wantsAll: true }), {});
  });

  test("a condition is not filled in: it is told in its own type, and so is what the service refuses", () => {
    const second = wantType("form_submitted");
    const wanted = [wantType("lead_identified"), { ...second, conditions: addCondition(second.conditions) }];
    const found = checkWanted({ ...empty, wanted });
    assert.deepEqual(Object.keys(found), [inWanted(1, "condition:0:field"), inWanted(1, "condition:0:value")]);
    assert.deepEqual(errorsInWanted(found, 0), {});
    assert.equal(errorsInWanted(found, 1)["condition:0:value"], "Enter what to compare with.");

    const refused = errorsByField(
      [
        { path: "events[1].conditions.list[0].field", message: "is no field of form_submitted" },
        { path: "events[0].type", message: "has lead_identified twice: leave one out" },
        { path: "events", message: "must have at least one event type, or be all" },
        { path: "webhook.url", message: "must be an https: address" },
      ],
      [],
    );
    assert.deepEqual(Object.keys(refused).toSorted(), [
      "events",
      "events[0].type",
      "events[1].condition:0:field",
      "url",
    ]);
    assert.match(errorsInWanted(refused, 1)["condition:0:field"] ?? "", /^This is no field of form_submitted\.$/);
  });
});

describe("types", () => {
  test("a test offers the wanted ones that the plan has, or all of these while none can be sent", () => {
    const names = (state: Parameters<typeof listTestable>[0]) => listTestable(state, TYPES).map((each) => each.type);
    const state = toState(SAVED, null);
    assert.deepEqual(names({ ...state, wanted: [wantType("form_submitted")] }), ["form_submitted"]);
    assert.deepEqual(names({ ...state, wanted: [wantType("form_submitted"), wantType("lead_identified")] }), [
      "form_submitted",
      "lead_identified",
    ]);
    for (const wanted of [[], [wantType("meeting_booked")], [wantType("gone")]]) {
      assert.deepEqual(names({ ...state, wanted }), ["lead_identified", "form_submitted"]);
    }
    assert.deepEqual(names({ ...state, wantsAll: true }), ["lead_identified", "form_submitted"]);
  });

  test("a group is its types of now, for tests, bodies and a list's words", () => {
    const types = ["order.paid", "order.created", "orders", "lead"].map((name) => type(name, name));
    const state = { ...toState(SAVED, null), wanted: [wantType("lead"), wantType("order.*"), wantType("order.paid")] };
    const expected = ["lead", "order.paid", "order.created"];
    assert.deepEqual(
      listTestable(state, types).map((each) => each.type),
      expected,
    );
    assert.deepEqual(findWantedTypes(state, types), [...expected, "order.paid"]);
    assert.equal(eventsInWords(some("order.*"), label), "order.*");
    assert.equal(idleWord(some("order.*"), types), null);
    assert.equal(idleWord(some("refund.*"), types), "Events not declared");
  });

  test("every typed word is looked for in title, name and description", () => {
    const find = (typed: string) => findTypes(TYPES, typed).map((each) => each.type);
    assert.deepEqual(find(""), ["lead_identified", "form_submitted", "meeting_booked"]);
    assert.deepEqual(find("form_sub"), ["form_submitted"]);
    assert.deepEqual(find("Name VISITOR"), ["lead_identified"]);
    assert.deepEqual(find("lead submitted"), []);
  });

  test("a list says which events in a few words", () => {
    assert.equal(eventsInWords({ ...SAVED, events: "all" }, label), "All events");
    assert.equal(eventsInWords(some("lead_identified"), label), "Lead identified");
    assert.equal(eventsInWords(some("gone"), label), "gone");
    assert.equal(eventsInWords(SAVED, label), "Lead identified and 1 more");
  });

  test("a webhook that gets nothing says why", () => {
    assert.equal(idleWord({ ...SAVED, events: "all" }, TYPES), null);
    assert.equal(idleWord(some("meeting_booked", "form_submitted"), TYPES), null);
    assert.equal(idleWord(some("meeting_booked", "gone"), TYPES), "Paused by the plan");
    assert.equal(idleWord(some("gone"), TYPES), "Events not declared");
  });
});
