import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { REFUSED } from "../../test/kit/browser/page-facts.ts";
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
