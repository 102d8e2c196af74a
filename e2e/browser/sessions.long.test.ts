import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { saveAssistantWebhook } from "../../src/accounts/save-assistant-webhook.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { ADA, uuid, toValue } from "../../test/kit/world/world.ts";
import { REFUSED, assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { putAlert } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver();

describe("sessions", () => {
  test("are listed with what became of them, and lead to their deliveries and payload", async () => {
    await using visit = await stage.open("/audience/sessions");
    const { page, accountId } = visit;
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await assertSound(page);
    await stage.dashboard.postSession(1, { name: "Before any alert" }, accountId);
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/session` });
    await stage.dashboard.postSession(2, { name: "Product tour" }, accountId);
    await receiver.received(1);

    await page.reload();
    const table = page.getByRole("table", { name: "Sessions, newest first" });
    await table.getByRole("row", { name: /Ada Lovelace Before any alert .*None/ }).waitFor();
    await table.getByRole("row", { name: /Ada Lovelace Product tour .*1 delivered/ }).waitFor();
    await table.getByRole("link", { name: "Product tour" }).click();
    await page.getByRole("heading", { level: 1, name: "Product tour" }).waitFor();
    const body = receiver.requests.at(-1)?.body.toString("utf8") ?? "";
    await page.getByRole("tab", { name: "Payload" }).click();
    await page.getByRole("button", { name: "Show exact bytes" }).click();
    assert.equal(await page.getByRole("region", { name: "Body, exact bytes" }).textContent(), body);
    await assertSound(page);
    await page
      .getByRole("table", { name: "Deliveries of this session" })
      .getByRole("link", { name: /Demo viewed/ })
      .click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
  });

  test("the address that analytics_url names opens the session, in either case of its id", async () => {
    await using visit = await stage.open("/audience/sessions", { width: 320, scheme: "dark" });
    const { page, accountId } = visit;
    const id = "abcdef00-0000-4000-8000-00000000000a";
    await stage.dashboard.postSession(3, { id, name: "Security overview" }, accountId);
    for (const each of [id, id.toUpperCase()]) {
      await page.goto(`${stage.dashboard.url}/audience/sessions/${each}`);
      await page.getByRole("heading", { level: 1, name: "Security overview" }).waitFor();
    }
    await page.getByRole("heading", { name: "Nothing was sent" }).waitFor();
    await assertSound(page);
  });

  test("one that is not there says so", async () => {
    await using visit = await stage.open(`/audience/sessions/${uuid(99)}`, { expected: REFUSED });
    await visit.page.getByRole("heading", { name: "We couldn’t find this session" }).waitFor();
    await visit.page.getByRole("link", { name: "Back to Sessions" }).waitFor();
  });
});

test("a conversation has its page behind its assistant's list", async () => {
  await using visit = await stage.open("/assistants/helper", { assistants: ["helper"] });
  const { page, accountId } = visit;
  const webhook = makeWebhookForm({ url: `${receiver.url}/chat` });
  const saved = { accountId, assistantId: "helper", revision: null, webhook, by: ADA };
  toValue(await saveAssistantWebhook(stage.dashboard.app.accounts, saved));
  const summary = "The visitor asked about prices.";
  await stage.dashboard.postConversation(1, { assistant_id: "helper", conversation_summary: summary }, accountId);
  await page.reload();
  await page.getByRole("link", { name: summary }).click();
  await page.getByRole("heading", { level: 1, name: "Conversation" }).waitFor();
  await page.getByText(summary).first().waitFor();
  const table = page.getByRole("table", { name: "Deliveries of this conversation" });
  await table.getByText("Delivered", { exact: true }).waitFor();
  await assertSound(page);
  await table.getByRole("link", { name: /Chat completed/ }).click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await page.getByRole("link", { name: uuid(1) }).click();
  await page.getByRole("heading", { level: 1, name: "Conversation" }).waitFor();
});
