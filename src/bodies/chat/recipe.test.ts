/** What a message says of an event: by the recipe of a built-in type, and by one that a declaration gives. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toDeclaration } from "../../events/declared/declared.kit.ts";
import { createEventType } from "../../events/declared/create-event-type.ts";
import type { Declaration } from "../../events/declared/declaration.ts";
import { chatConversationCompleted } from "../../events/chat-conversation-completed.ts";
import { demoViewed } from "../../events/demo-viewed.ts";
import type { EventType } from "../../events/event-type.ts";
import type { JsonSchema } from "../../events/schema/keywords.ts";
import { createValues } from "../values.ts";
import { fillRecipe, recipeOf } from "./recipe.ts";

const fill = (type: EventType, body: object) =>
  fillRecipe(
    recipeOf(type, type.type),
    createValues({ body: JSON.stringify(body), webhookId: "dlv_1", acceptedAtMs: 0 }),
  );

const text = { type: "string" } as const;

const declare = (properties: Readonly<Record<string, JsonSchema>>, more: Partial<Declaration> = {}) =>
  createEventType(
    toDeclaration({
      type: "order_paid",
      title: "Order paid",
      schema: { type: "object", required: ["id"], properties: { id: text, ...properties } },
      ...more,
    }),
  );

describe("who a visitor is", () => {
  const rows: readonly (readonly [string, object])[] = [
    ["Demo viewed: Ada Lovelace", { lead: { first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" } }],
    ["Demo viewed: Ada", { lead: { first_name: "Ada", last_name: "", email: "ada@example.com" } }],
    ["Demo viewed: ada@example.com", { lead: { first_name: "", last_name: " ", email: "ada@example.com" } }],
    ["Demo viewed: Example Inc", { lead: null, buyer_reveal: { company_name: "Example Inc" } }],
    ["Demo viewed", { lead: null, buyer_reveal: { company_name: "", company_domain: "" } }],
    ["Demo viewed: Ada", { lead: { first_name: "          Ada", last_name: "", email: "ada@example.com" } }],
    ["Demo viewed", {}],
  ];
  for (const [headline, body] of rows) {
    test(`${headline} of ${JSON.stringify(body)}`, () => assert.equal(fill(demoViewed, body).headline, headline));
  }
});

test("facts of one name are alternatives, and one with nothing in it is left out", () => {
  const { facts } = fill(chatConversationCompleted, {
    lead: null,
    extracted_variables: { email: "ada@example.com", phone_number: "" },
    topics: ["pricing", "crm"],
    duration: 0,
  });
  assert.deepEqual(
    facts.map(({ name, value }) => `${name}: ${value}`),
    ["E-mail: ada@example.com", "Topics: pricing, crm", "Duration, s: 0"],
  );
});

describe("the time", () => {
  const at = (viewedAt: unknown) => fill(demoViewed, { viewed_at: viewedAt }).footer?.text ?? null;
  test("is told in UTC", () => assert.equal(at("2026-11-20T14:05:59.999+02:00"), "2026-11-20 12:05 UTC"));
  for (const none of [null, 7, "yesterday", "2026-11-20", "9999-99-99T00:00:00.000+00:00"]) {
    test(`is not told of ${JSON.stringify(none)}`, () => assert.equal(at(none), null));
  }
});

describe("a link", () => {
  const to = (url: unknown) => fill(demoViewed, { analytics_url: url }).link?.url ?? null;
  test("is one of the web, in a form that fits into each tool's markup", () => {
    assert.equal(to("https://app.example.com/a?b=c&d=e#f"), "https://app.example.com/a?b=c&d=e#f");
    assert.equal(to("https://app.example.com/a b|c>d)e"), "https://app.example.com/a%20b%7Cc%3Ed%29e");
    assert.equal(to(`https://[::1]:8080/"'`), "https://[::1]:8080/%22%27");
    assert.equal(to("http://localhost:3000"), "http://localhost:3000/");
  });
  for (const none of [null, "", "/audience", "javascript:alert(1)", "mailto:a@example.com", "https://a:b@c.example/"]) {
    test(`is not ${JSON.stringify(none)}`, () => assert.equal(to(none), null));
  }
  test("is not one that is longer than any page's", () =>
    assert.equal(to(`https://a.example/${"x".repeat(1_000)}`), null));
});

describe("a declared type", () => {
  test("has its first six single values, and none that is told already", () => {
    const type = declare(
      {
        at: { type: "string", format: "date-time" },
        customer: { type: "object", properties: { name: text, e_mail: { type: ["string", "null"] } } },
        items: { type: "array", items: { type: "object", properties: { sku: text } } },
        anything: true,
        total: { type: "number" },
        paid: { type: "boolean" },
        b: text,
        c: text,
        d: text,
        e: text,
      },
      { occurredAt: "/at", headline: ["/customer/name", "/items/0/sku"] },
    );
    const { facts, ...rest } = recipeOf(type, "order_paid");
    assert.deepEqual(facts, [
      ["Customer e mail", "customer.e_mail"],
      ["Total", "total"],
      ["Paid", "paid"],
      ["B", "b"],
      ["C", "c"],
      ["D", "d"],
    ]);
    const lines = [["customer.name"], ["items.0.sku"]];
    assert.deepEqual(rest, {
      title: "Order paid",
      noun: "event",
      who: lines,
      what: lines,
      link: null,
      occurredAt: "at",
    });
  });

  test("says the first text of its headline that is there, and the next one below it", () => {
    const type = declare({ a: text, b: text, c: text }, { headline: ["/a", "/b", "/c"] });
    const said = (body: object) => {
      const { headline, paragraphs } = fill(type, body);
      return [headline, ...paragraphs.map((each) => each.text)];
    };
    assert.deepEqual(said({ a: "A", b: "B", c: "C" }), ["Order paid: A", "B"]);
    assert.deepEqual(said({ b: "B", c: "C" }), ["Order paid: B", "C"]);
    assert.deepEqual(said({ c: "C" }), ["Order paid: C"]);
    assert.deepEqual(said({}), ["Order paid"]);
  });

  test("has a link where a name says that it is its own", () => {
    const linkOf = (properties: Readonly<Record<string, JsonSchema>>) => recipeOf(declare(properties), "").link;
    assert.equal(linkOf({ order_url: text, url: text, link: text }), "link");
    assert.equal(linkOf({ order_url: text, url: text }), "url");
    assert.equal(linkOf({ order_url: text }), "order_url");
    assert.equal(linkOf({ website: text, avatar_url: text, page: { type: "string", format: "uri" } }), null);
    assert.equal(linkOf({ link: { type: "object" } }), null);
  });

  test("that is not declared any more has its name", () => {
    const recipe = recipeOf(undefined, "order_paid");
    assert.deepEqual([recipe.title, recipe.noun, recipe.facts], ["order_paid", "event", []]);
  });

  test("can be kept as JSON, and filled from it with the same result", () => {
    for (const type of [demoViewed, chatConversationCompleted, declare({ a: text }, { headline: ["/a"] })]) {
      const recipe = recipeOf(type, type.type);
      assert.deepEqual(JSON.parse(JSON.stringify(recipe)), recipe);
    }
  });
});
