import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { uuid } from "../../test/kit/world/world.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { putAlert } from "../../test/kit/browser/webhooks.ts";
import { giveWebhook } from "../../test/kit/world/alerts.ts";

const { stage, receiver } = await setStageWithReceiver();

const LOOKS = [
  { scheme: "light", width: 1280 },
  { scheme: "dark", width: 1280 },
  { scheme: "dark", width: 320 },
] as const;

const MESSAGES = [
  { role: "assistant", text: "Hello! What brings you here?" },
  { role: "user", text: "Does it work with our CRM?" },
  { role: "user", text: "<b>And</b> in three languages?" },
  { role: "assistant", text: "It does." },
];

const factOf = async (page: Page, name: string): Promise<string> =>
  (await page.locator("dt", { hasText: name }).first().locator("xpath=following-sibling::dd").innerText()).trim();

describe("a conversation's page", () => {
  for (const look of LOOKS) {
    test(`shows it as one, beside its webhooks (${look.scheme}, ${look.width} px)`, async () => {
      await using visit = await stage.open("/", { ...look, assistants: ["helper"] });
      const { page, accountId } = visit;
      await giveWebhook(stage.dashboard.app.accounts, {
        accountId,
        assistantId: "helper",
        url: `${receiver.url}/chat`,
      });
      const variables = { visitor_name: "Ada", qualified: true, team_size: 40 };
      const record = { assistant_id: "helper", mode: "voice", messages: MESSAGES, extracted_variables: variables };
      await stage.dashboard.postConversation(1, record, accountId);
      await page.goto(`${stage.dashboard.url}/assistants/helper/conversations/${uuid(1)}`);
      await page.getByRole("heading", { level: 1, name: "Conversation with Ada Lovelace" }).waitFor();
      await page
        .getByRole("table", { name: "Deliveries of this conversation" })
        .getByText("Delivered", { exact: true })
        .waitFor();

      const said = await page.getByRole("list", { name: "Messages" }).getByRole("listitem").allInnerTexts();
      assert.deepEqual(
        said.map((text) => text.split("\n").filter((line) => line !== "" && line !== "AL")),
        [
          ["helper", "Hello! What brings you here?"],
          ["Ada Lovelace", "Does it work with our CRM?", "<b>And</b> in three languages?"],
          ["helper", "It does."],
        ],
      );
      const names = ["Mode", "Messages", "Duration", "Qualified", "Phone", "team_size", "Domain"];
      const facts = await Promise.all(names.map((name) => factOf(page, name)));
      assert.deepEqual(facts, ["Voice", "4 messages", "1 min 35 s", "Yes", "Not extracted", "40", "example.com"]);
      await page.getByRole("list", { name: "Topics" }).getByText("pricing").waitFor();
      await assertSound(page);

      await page.getByRole("tab", { name: "Payload" }).click();
      await page.getByRole("region", { name: "Body" }).getByText('"transcript"').waitFor();
      await page.reload();
      await page.getByRole("region", { name: "Body" }).waitFor();
      await assertSound(page);
    });
  }

  test("with hundreds of messages shows the first of them, and the rest when asked", async () => {
    await using visit = await stage.open("/", { assistants: ["helper"] });
    const { page, accountId } = visit;
    const messages = Array.from({ length: 250 }, (_, index) => MESSAGES[index % 2]);
    await stage.dashboard.postConversation(2, { assistant_id: "helper", messages }, accountId);
    await page.goto(`${stage.dashboard.url}/assistants/helper/conversations/${uuid(2)}`);
    const said = page.getByRole("list", { name: "Messages" }).getByRole("listitem");
    await page.getByRole("button", { name: "Show 50 more messages" }).click();
    await said.nth(249).waitFor();
    await page.getByRole("heading", { name: "Nothing was sent" }).waitFor();
  });
});

describe("a session's page", () => {
  for (const look of LOOKS) {
    test(`shows what the visitor did, beside its webhooks (${look.scheme}, ${look.width} px)`, async () => {
      await using visit = await stage.open("/", look);
      const { page, accountId } = visit;
      await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/session`, name: "To the CRM" });
      await stage.dashboard.postSession(3, { cta_opened: "javascript:alert(1)" }, accountId);
      await page.goto(`${stage.dashboard.url}/audience/sessions/${uuid(3)}`);
      await page.getByText("Seen by Ada Lovelace, Example Analytics, Lisbon, Lisboa, Portugal").waitFor();
      const names = ["Completion", "Time spent", "Intent", "Checklist", "utm_source", "Employees"];
      const facts = await Promise.all(names.map((name) => factOf(page, name)));
      assert.deepEqual(facts, ["72.5 %", "3 min 4 s", "High", "Done", "newsletter", "51 - 200"]);
      await page.getByRole("link", { name: "example.com/pricing" }).waitFor();
      // An address that could run something is no link.
      await page.getByText("javascript:alert(1)").waitFor();
      assert.equal(await page.getByRole("link", { name: /javascript/ }).count(), 0);
      await assertSound(page);
      const deliveries = page.getByRole("table", { name: "Deliveries of this session" });
      await deliveries
        .getByRole("row", { name: /To the CRM .*200 .*Delivered/ })
        .getByRole("link")
        .click();
      await page.getByRole("heading", { name: "What happened" }).waitFor();
    });
  }

  test("says that its payload was deleted, and keeps what became of its webhooks", async () => {
    await using visit = await stage.open("/");
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/old` });
    await stage.dashboard.postSession(4, {}, accountId);
    await page.goto(`${stage.dashboard.url}/audience/sessions/${uuid(4)}`);
    const deliveries = page.getByRole("table", { name: "Deliveries of this session" });
    await deliveries.getByText("Delivered", { exact: true }).waitFor();
    const nowMs = Date.now();
    await stage.dashboard.app.store.purge({
      nowMs,
      payloadsBeforeMs: nowMs + 1,
      attemptBodiesBeforeMs: 0,
      rowsBeforeMs: 0,
      rowsMax: 1_000,
    });
    await page.reload();
    await page.getByRole("heading", { name: "The payload was deleted" }).waitFor();
    await page.getByRole("heading", { level: 1, name: uuid(4) }).waitFor();
    await deliveries.getByText("Delivered", { exact: true }).waitFor();
    await assertSound(page);
  });
});
