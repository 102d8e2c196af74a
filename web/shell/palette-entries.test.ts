import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRow } from "../../src/dashboard/contract/deliveries.ts";
import { BUILT_IN_TYPES } from "../../src/events/event-types.ts";
import { knowEventTypes } from "../parts/event-words.ts";
import { findEntries, type Known, type MarkedOwner } from "./palette-entries.ts";

knowEventTypes(BUILT_IN_TYPES.all);

const JANE: EventRow = {
  sourceId: "s1",
  eventId: "evt_1",
  type: "demo_viewed",
  assistantId: null,
  acceptedAtMs: 0,
  about: { who: "Jane Roe", what: "Product tour" },
  intentLevel: "",
  deliveries: { total: 1, delivered: 1, failed: 0 },
  isPurged: false,
};

const owner = (id: string, name: string, parts: Partial<MarkedOwner> = {}): MarkedOwner => ({
  kind: "alert",
  id,
  name,
  mark: undefined,
  ...parts,
});

const KNOWN: Known = {
  places: [
    { href: "/", label: "Overview" },
    { href: "/settings/alerts", label: "Alerts" },
  ],
  actions: [{ href: "/settings/alerts/new", label: "New alert" }],
  owners: [
    owner("a1", "CRM", { mark: "a.example/in" }),
    owner("a2", "CRM", { mark: "b.example/in" }),
    owner("c1", "Receptionist", { kind: "assistant" }),
  ],
  events: [],
  hasEvents: false,
  hasSessions: true,
};

const find = (text: string, known: Partial<Known> = {}): string[] =>
  findEntries(text, { ...KNOWN, ...known }).map(({ label, detail, href }) => `${label} | ${detail} | ${href}`);

test("without a text it offers the pages and what can be begun", () => {
  const begun = "New alert | Action | /settings/alerts/new";
  assert.deepEqual(find("  "), ["Overview | Page | /", "Alerts | Page | /settings/alerts", begun]);
  assert.equal(find("new al")[0], begun);
});

test("an address is a person, and what is no address yet is none", () => {
  assert.equal(find("jane+a@acme.example")[0], "jane+a@acme.example | Person | /people#email=jane%2Ba%40acme.example");
  assert.deepEqual(
    find("jane@acme").filter((line) => line.includes("Person")),
    [],
  );
});

test("what somebody has set up stands in the order of its names, as people count", () => {
  const owners = [owner("a10", "Team 10"), owner("a2", "Team 2"), owner("a1", "Team 1")];
  assert.deepEqual(
    find("team", { owners })
      .slice(0, 3)
      .map((line) => line.split(" | ")[0]),
    ["Team 1", "Team 2", "Team 10"],
  );
});

test("what has one name is told apart, and found by what tells it apart", () => {
  const searches = (q: string): string[] => [
    `Deliveries with “${q}” | Search | /deliveries?q=${q}`,
    `Sessions with “${q}” | Search | /audience/sessions?q=${q}`,
  ];
  assert.deepEqual(find("crm"), [
    "CRM | Alert · a.example/in | /settings/alerts/a1",
    "CRM | Alert · b.example/in | /settings/alerts/a2",
    ...searches("crm"),
  ]);
  assert.equal(find("crm b.ex")[0], "CRM | Alert · b.example/in | /settings/alerts/a2");
  assert.equal(find("recep")[0], "Receptionist | Chat assistant | /assistants/c1/webhook");
});

test("a person comes first, then what the service has found, and lists are searched for the text", () => {
  const found = find("jane@acme.example", { events: [JANE], hasEvents: true });
  assert.deepEqual(found, [
    "jane@acme.example | Person | /people#email=jane%40acme.example",
    "Jane Roe | Session · Product tour · 1 delivered | /audience/sessions/s1",
    "Deliveries with “jane@acme.example” | Search | /deliveries?q=jane%40acme.example",
    "Sessions with “jane@acme.example” | Search | /audience/sessions?q=jane%40acme.example",
    "Events with “jane@acme.example” | Search | /audience/events?q=jane%40acme.example",
  ]);
});

test("an event of the product’s own is called by its key where nobody is known, and says its type", () => {
  const order: EventRow = { ...JANE, type: "order.paid", sourceId: "A-17", about: { who: null, what: "ups" } };
  assert.equal(
    find("a-17", { events: [order] })[0],
    "A-17 | order.paid · ups · 1 delivered | /audience/events/order.paid/A-17",
  );
});

test("the id of a delivery, or of a test as its receiver has it, leads to its page", () => {
  assert.equal(find(" DLV_01ab ")[0], "dlv_01ab | Delivery | /deliveries/dlv_01ab");
  assert.equal(find("test_dlv_01ab")[0], "dlv_01ab | Delivery | /deliveries/dlv_01ab");
});
