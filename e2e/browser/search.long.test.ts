import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { saveAssistantWebhook } from "../../src/accounts/save-assistant-webhook.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { indexAll, putAlert } from "../../test/kit/browser/webhooks.ts";
import { eventually } from "../../test/kit/wait.ts";
import { ADA, toValue, uuid } from "../../test/kit/world/world.ts";

const { stage, receiver } = await setStageWithReceiver();

const LEAD = { id: uuid(900), email: "jane@acme.example", first_name: "Jané", last_name: "Müller" };
const COMPANY = { company_name: "Acme Rockets", company_domain: "acme.example" };
const MESSAGES = [
  { role: "assistant", text: "Hello!" },
  { role: "user", text: "Does <b>single sign-on</b> cost extra?" },
];

/** Jane's session and conversation, each with its webhook, among others. */
async function fill(accountId: string): Promise<void> {
  const { dashboard } = stage;
  await putAlert(dashboard, accountId, { url: `${receiver.url}/search` });
  const webhook = makeWebhookForm({ url: `${receiver.url}/search` });
  const saved = { accountId, assistantId: "helper", revision: null, webhook, by: ADA };
  toValue(await saveAssistantWebhook(dashboard.app.accounts, saved));
  await dashboard.postSession(1, { name: "Product tour", lead: LEAD, buyer_reveal: COMPANY }, accountId);
  await dashboard.postSession(2, { name: "Security overview", lead: null, buyer_reveal: null }, accountId);
  const chat = { assistant_id: "helper", messages: MESSAGES, conversation_summary: "Asked about prices." };
  await dashboard.postConversation(3, { ...chat, lead: LEAD }, accountId);
  await indexAll(dashboard);
}

/** Types it, and the list follows, until it is found. Escape empties both. */
async function searchUntil(page: Page, label: string, { text, row }: { text: string; row: RegExp }): Promise<void> {
  const box = page.getByLabel(label);
  await eventually(`"${text}" finds ${row}`, async () => {
    await box.press("Escape");
    await page.waitForURL((url) => url.hash === "");
    assert.equal(await box.inputValue(), "");
    await box.fill(text);
    await page.waitForURL((url) => url.search === "" && new URLSearchParams(url.hash.slice(1)).get("q") === text);
    return (await page.getByRole("row", { name: row }).count()) > 0;
  });
}

const marks = async (page: Page): Promise<string[]> => await page.locator("mark").allTextContents();

describe("“the webhook of jane@acme.example did not arrive”", () => {
  const SEARCHES: readonly [text: string, row: RegExp, marked: RegExp][] = [
    ["jane@acme.example", /Jané Müller .*Product tour/, /^jane@acme\.example$/],
    ["muller", /Jané Müller .*Product tour/, /^Müller$/],
    ["acme rock", /Jané Müller .*Product tour/, /^(Acme|Rockets)$/],
    ["sign-on", /Asked about prices/, /^sign-on$/],
  ];

  test("one search finds it by e-mail, name, company or a word of the transcript, and says why", async () => {
    await using visit = await stage.open("/deliveries", { assistants: ["helper"] });
    const { page, accountId } = visit;
    await fill(accountId);
    for (const [text, row, marked] of SEARCHES) {
      await searchUntil(page, "Search deliveries", { text, row });
      // The rows of the search before stay until this one is answered.
      await eventually(`“${text}” is marked, and only it`, async () => {
        const found = await marks(page);
        return found.length > 0 && found.every((word) => marked.test(word));
      });
      assert.equal(await page.getByRole("row", { name: /Security overview/ }).count(), 0);
    }
    // A name is marked where it stands, and not said a second time.
    await searchUntil(page, "Search deliveries", { text: "muller", row: /Jané Müller/ });
    await page.locator("mark").first().waitFor();
    assert.equal(await page.getByText("Visitor:").count(), 0);
    await searchUntil(page, "Search deliveries", { text: "sign-on", row: /Asked about prices/ });
    // Markup of a visitor's message is text.
    await page.getByText("Does <b>single sign-on</b> cost extra?").waitFor();
    await assertSound(page);
    await page.getByRole("link", { name: /Asked about prices/ }).click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
  });

  test("sessions and conversations are searched too, on a phone and in the dark", async () => {
    await using visit = await stage.open("/audience/sessions", { assistants: ["helper"], width: 320, scheme: "dark" });
    const { page, accountId } = visit;
    await fill(accountId);
    await searchUntil(page, "Search sessions", { text: "jane@acme.example", row: /Product tour/ });
    // The row stood there before the search, too; a page that begins with the search has it from the answer alone.
    await eventually("the answer marks what matched", async () => {
      await page.reload();
      const answer = page
        .getByRole("row", { name: /Product tour/ })
        .or(page.getByRole("heading", { name: /No sessions/ }));
      await answer.first().waitFor();
      return (await marks(page)).length > 0;
    });
    assert.deepEqual(await marks(page), ["jane@acme.example"]);
    await assertSound(page);
    await page.goto(`${stage.dashboard.url}/assistants/helper`);
    await searchUntil(page, "Search conversations", { text: "single sign", row: /Asked about prices/ });
    await assertSound(page);
    await page.goto(`${stage.dashboard.url}/audience/sessions?q=zebra`);
    await page.getByRole("heading", { name: "No sessions match" }).waitFor();
  });

  for (const look of [{}, { width: 320, scheme: "dark" }] as const) {
    test(`“Not sent” lists what a webhook did not get, with the reason (${look.width ?? 1280} px)`, async () => {
      await using visit = await stage.open("/audience/sessions", { assistants: ["helper"], ...look });
      const { page, accountId } = visit;
      await fill(accountId);
      const { accounts } = stage.dashboard.app;
      await createAlert(accounts, { accountId, name: "Hot leads", url: receiver.url, intentLevels: ["high"] });
      await stage.dashboard.postSession(4, { name: "Late look", intent_level: "low", lead: LEAD }, accountId);
      await page.getByRole("link", { name: /Late look/ }).waitFor();
      await page.getByRole("button", { name: "Not sent" }).click();
      await page.getByRole("button", { name: "To some webhook" }).click();
      const table = page.getByRole("table", { name: "Sessions, newest first" });
      await table.getByText("Not sent to Hot leads: intent_level is low, and the alert wants high.").waitFor();
      await eventually("only that one is left", async () => (await table.locator("tbody tr").count()) === 1);
      await assertSound(page);
      await page.reload();
      await table.getByText("Not sent to Hot leads").waitFor();
      await page.goto(`${stage.dashboard.url}/assistants/helper`);
      await page.getByRole("button", { name: "Not sent" }).click();
      await page.getByRole("button", { name: "To some webhook" }).click();
      await page.getByText("Every conversation of this assistant went to every webhook that there was.").waitFor();
      await assertSound(page);
    });
  }

  test("a session that no webhook was sent for is named where the log finds nothing", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await stage.dashboard.postSession(1, { name: "Product tour", lead: LEAD }, accountId);
    const box = page.getByLabel("Search deliveries");
    await eventually("the session is named", async () => {
      await page.reload();
      await box.fill("jane@acme.example");
      await box.press("Enter");
      await page.getByRole("heading", { name: "No deliveries match" }).waitFor();
      return await page.getByText("1 session matches, but no webhook was sent for it.").isVisible();
    });
    await assertSound(page);
    await page.getByRole("link", { name: "Jané Müller · Product tour" }).click();
    await page.getByRole("heading", { level: 1, name: "Product tour" }).waitFor();
  });
});
