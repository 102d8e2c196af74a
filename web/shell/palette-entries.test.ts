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
  canPause: false,
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
  hasAllOwners: true,
  events: [],
  hasEvents: false,
  hasSessions: true,
};

const find = (text: string, known: Partial<Known> = {}): string[] =>
  findEntries(text, { ...KNOWN, ...known }).entries.map(({ label, detail, href }) => `${label} | ${detail} | ${href}`);

test("without a text it offers the pages and what can be begun", () => {
  const begun = "New alert | Action | /settings/alerts/new";
  assert.deepEqual(find("  "), ["Overview | Page | /", "Alerts | Settings | /settings/alerts", begun]);
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

test("pages of the settings are found by that word too", () => {
  assert.equal(find("settings")[0], "Alerts | Settings | /settings/alerts");
  assert.equal(find("setting al")[0], "Alerts | Settings | /settings/alerts");
});

test("what sends can be paused by its name, where somebody may; its page asks before", () => {
  const pausable = { mark: "a.example/in", canPause: true };
  const owners = [owner("a1", "CRM", pausable), owner("a2", "CRM"), owner("a3", "Paul", { canPause: true })];
  const [crm, paul] = [
    "Pause CRM… | Alert · a.example/in | /settings/alerts/a1?pause=1",
    "Pause Paul… | Alert | /settings/alerts/a3?pause=1",
  ];
  assert.deepEqual(find("pause", { owners }).slice(0, 2), [crm, paul]);
  assert.deepEqual(find("pause crm", { owners }).slice(0, 2), [
    crm,
    "Deliveries with “pause crm” | Search | /deliveries?q=pause+crm",
  ]);
  assert.deepEqual(find("pau", { owners }).slice(0, 3), ["Paul | Alert | /settings/alerts/a3", crm, paul]);
  assert.equal(
    find("crm", { owners }).some((line) => line.includes("Pause")),
    false,
  );
});

test("what stands first is not sure before the lists are there, unless they cannot put anything before it", () => {
  const cold = { ...KNOWN, owners: [], hasAllOwners: false };
  for (const text of ["crm", "jane"]) assert.equal(findEntries(text, cold).isSure, false, text);
  for (const text of ["", "overv", "jane@acme.example", "dlv_01ab"])
    assert.equal(findEntries(text, cold).isSure, true, text);
  assert.equal(findEntries("crm", KNOWN).isSure, true);
});
