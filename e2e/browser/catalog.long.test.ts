import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { toDeclaration } from "../../src/events/declared/declared.kit.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { assertSound, REFUSED } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
});
after(() => stage[Symbol.asyncDispose]());

describe("the event catalog", () => {
  test("shows fields, sample, schema and type of both events, each under its own address", async () => {
    await using visit = await stage.open("/events");
    const { page } = visit;
    const fields = page.getByRole("region", { name: "Fields of demo_viewed" });
    await fields.getByText("Session identifier.").waitFor();
    await page.getByRole("tab", { name: "chat_conversation_completed" }).click();
    await page.getByRole("region", { name: "Fields of chat_conversation_completed" }).waitFor();
    await page.waitForURL((url) => url.pathname === "/events/chat_conversation_completed");
    await page.getByRole("tab", { name: "TypeScript" }).click();
    await page.getByText(/messages_count: number/).waitFor();
    await page.getByRole("tab", { name: "JSON Schema" }).click();
    await page
      .getByText(/"extracted_variables"/)
      .first()
      .waitFor();
    const tools = page.getByRole("link", { name: "AsyncAPI" });
    const answer = await page.context().request.get((await tools.getAttribute("href")) ?? "");
    assert.equal(((await answer.json()) as { asyncapi: string }).asyncapi, "3.0.0");
  });

  test("names who sends an event, with the way there", async () => {
    const accountId = "cataloguer";
    await stage.dashboard.putAccount(accountId);
    const alert = { accountId, name: "Leads <b>", url: "http://127.0.0.1:9/hook" };
    await createAlert(stage.dashboard.app.accounts, alert);
    await using visit = await stage.open("/events/demo_viewed", { accountId });
    await visit.page.getByRole("link", { name: "Leads <b>" }).click();
    await visit.page.getByRole("heading", { level: 1, name: "Leads <b>" }).waitFor();
  });
});

test("two hundred types are a list with a search, and one is open, in the catalog and in the playground", async () => {
  const declared = Array.from({ length: 200 }, (_, n) => toDeclaration({ type: `other_${n}`, title: `Other ${n}` }));
  const paid = toDeclaration({ type: "order.paid", title: "Order paid", exampleText: '{"id":"12345678901234567890"}' });
  const types = createEventTypes([...declared.slice(1), paid]);
  await using many = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" }, changes: { types } });
  for (const width of [320, 1280]) {
    await using visit = await many.open("/events", { width, height: 720 });
    const { page } = visit;
    await page.getByRole("region", { name: "Fields of demo_viewed" }).waitFor();
    const list = page.getByRole("list", { name: "Event types" });
    assert.equal(await list.getByRole("listitem").count(), 202);
    await page.getByRole("searchbox", { name: "Search event types" }).fill("paid order");
    await page.getByText("1 of 202").waitFor();
    await list.getByRole("button", { name: "Order paid" }).click();
    await page.waitForURL((url) => url.pathname === "/events/order.paid");
    await page.getByRole("region", { name: "Fields of order.paid" }).getByText('"12345678901234567890"').waitFor();
    assert.equal(await page.getByRole("region", { name: /^Fields of/ }).count(), 1);
    await page.getByText("Nothing sends it yet. Webhooks send it:").waitFor();
    await page.getByRole("searchbox", { name: "Search event types" }).fill("nowhere");
    await page.getByText("No type has these words.").waitFor();
    await assertSound(page);
    await page.goto(new URL("/playground?event=order.paid", page.url()).href);
    await page.getByRole("button", { name: "Send event" }).click();
    await page.getByText("Accepted: 0 deliveries").waitFor();
    await assertSound(page);
  }
});

describe("the playground", () => {
  test("sends a session once, and says of a repeat that it is known", async () => {
    await using visit = await stage.open("/playground");
    const { page } = visit;
    await page.getByRole("button", { name: "Send session" }).click();
    await page.getByText("Accepted: 0 deliveries").waitFor();
    await page.getByText("Nothing is set up to send it").waitFor();
    await page.getByRole("button", { name: "Send session" }).click();
    await page.getByText("This session is known already").waitFor();
    await page.getByRole("link", { name: "See it" }).click();
    await page.waitForURL(/\/audience\/sessions\//);
  });

  test("lists what is wrong with a record by its fields", async () => {
    await using visit = await stage.open("/playground?event=chat_conversation_completed", { expected: REFUSED });
    const { page } = visit;
    await page.getByLabel("Record").fill('{"id": "not-a-uuid", "intent_level": "huge"}');
    await page.getByRole("button", { name: "Send conversation" }).click();
    await page.getByRole("listitem").filter({ hasText: "id" }).first().waitFor();
    await page.getByRole("listitem").filter({ hasText: "intent_level" }).first().waitFor();
    assert.equal(await page.getByLabel("Record").getAttribute("aria-invalid"), "true");
  });

  test("is not there unless the operator switched it on", async () => {
    await using plain = await setStage();
    await using visit = await plain.open("/");
    await visit.page.getByRole("link", { name: "Deliveries" }).waitFor();
    assert.equal(await visit.page.getByRole("link", { name: "Playground" }).count(), 0);
  });
});
