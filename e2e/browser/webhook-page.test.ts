/** A webhook's own page, before its form: what it is and how it does, and why it did not get an event. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { eventually } from "../../test/kit/wait.ts";
import { createAlert, createWebhook, giveWebhook } from "../../test/kit/world/alerts.ts";
import { uuid } from "../../test/kit/world/world.ts";

const { stage, receiver } = await setStageWithReceiver();
const { accounts } = stage.dashboard.app;

const JANE = {
  name: "Pricing demo",
  lead: { id: uuid(900), email: "jane@acme.example", first_name: "Jane", last_name: "Doe" },
};

/** A webhook called CRM that has sent some and met a failure, beside another that gets everything. */
async function setUp(accountId: string) {
  receiver.script = ({ path, body }) =>
    path === "/crm" && String(body).includes("refused") ? { status: 422, body: "no such field" } : {};
  const url = `${receiver.url}/crm`;
  const crm = await createAlert(accounts, { accountId, name: "CRM", url, intentLevels: ["high"] });
  await createAlert(accounts, { accountId, name: "Warehouse", url: `${receiver.url}/all` });
  const post = (number: number, changes: object) => stage.dashboard.postSession(number, { ...changes }, accountId);
  const before = receiver.requests.length;
  for (let number = 1; number <= 21; number += 1) await post(number, { intent_level: "high", name: "Product tour" });
  await post(31, { intent_level: "high", name: "refused" });
  await post(32, { ...JANE, intent_level: "low" });
  await receiver.received(before + 22 * 2 + 1);
  return crm;
}

/** Counts what a person does. */
function count() {
  const did = { clicks: 0, fields: 0 };
  return {
    did,
    async click(control: Locator): Promise<void> {
      did.clicks += 1;
      await control.click();
    },
    async fill(control: Locator, text: string): Promise<void> {
      did.fields += 1;
      await control.fill(text);
    },
  };
}

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const decisions = (page: Page) => page.getByRole("list", { name: "Decisions" });

describe("the page of a webhook", () => {
  test("opens from its row, says how it does, and has its form one press away", async () => {
    await using visit = await stage.open("/settings/alerts", { width: 1440 });
    const { page, accountId } = visit;
    await setUp(accountId);
    await page.reload();
    const { click, did } = count();
    await click(page.getByRole("link", { name: "CRM" }));
    await page.getByRole("heading", { level: 1, name: "CRM" }).waitFor();
    await region(page, "What it is").getByText(`${receiver.url}/crm`).waitFor();
    const failures = region(page, "Last failures");
    await failures.getByText("no such field").waitFor();
    await failures.getByRole("button", { name: "Its body" }).click();
    await failures.getByText("refused").first().waitFor();
    await region(page, "By event type").getByText("Demo viewed").waitFor();
    await region(page, "Who did what").getByText("Created an alert").waitFor();
    await page.getByRole("heading", { name: "Answers over time" }).waitFor();
    await assertSound(page);
    const shown = await page.locator("dt", { hasText: "Success rate" }).locator("~ dd").first().textContent();
    await click(page.getByRole("link", { name: "Edit" }).first());
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), `${receiver.url}/crm`);
    assert.deepEqual(did, { clicks: 2, fields: 0 });
    await page.getByRole("link", { name: "CRM" }).first().click();
    await failures.getByRole("link", { name: "Send again…" }).click();
    await page.getByRole("dialog").getByText("1 delivery matches.").waitFor();
    await page.goto(`${stage.dashboard.url}/`);
    const row = page.getByRole("row", { name: /CRM/ });
    await row.getByText(shown ?? "", { exact: true }).waitFor();
    assert.match(shown ?? "", /%$/);
  });

  test("says what it would do with an event that is named", async () => {
    await using visit = await stage.open("/", {});
    const { page, accountId } = visit;
    const { id } = await setUp(accountId);
    await page.goto(`${stage.dashboard.url}/settings/alerts/${id}`);
    const { fill, did } = count();
    await decisions(page).getByRole("listitem").nth(9).waitFor();
    await fill(page.getByLabel("Find an event"), uuid(32));
    const why = "Would not be sent: intent_level is low, and the alert wants high.";
    await decisions(page).getByText(why).waitFor();
    await eventually("only that one", async () => (await decisions(page).getByRole("listitem").count()) === 1);
    assert.deepEqual(did, { clicks: 0, fields: 1 });
  });

  test("leads to what it did not get, in the list of the events that its kind may be sent", async () => {
    await using visit = await stage.open("/", { assistants: ["website"] });
    const { page, accountId } = visit;
    const { id } = await setUp(accountId);
    await stage.dashboard.postConversation(40, { assistant_id: "website" }, accountId);
    const own = await createWebhook(accounts, { accountId, name: "Own", url: receiver.url });
    await giveWebhook(accounts, { accountId, assistantId: "website", url: `${receiver.url}/chat` });
    const places = {
      [`/settings/alerts/${id}`]: { name: "Sessions, newest first", rows: 1 },
      "/assistants/website/webhook": { name: "Conversations, newest first", rows: 1 },
      [`/settings/webhooks/${own}`]: { name: "Events, newest first", rows: 24 },
    };
    for (const [path, { name, rows }] of Object.entries(places)) {
      await page.goto(`${stage.dashboard.url}${path}`);
      await page.getByRole("link", { name: "What it did not get" }).click();
      const list = page.getByRole("table", { name });
      await list.locator("tbody tr").first().waitFor();
      assert.equal(await list.locator("tbody tr").count(), rows, path);
    }
  });

  test("is tested and paused where it is looked at", async () => {
    await using visit = await stage.open("/assistants", { assistants: ["website"] });
    const { page, accountId } = visit;
    await giveWebhook(accounts, { accountId, assistantId: "website", url: `${receiver.url}/chat` });
    await page.goto(`${stage.dashboard.url}/assistants/website/webhook`);
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByText("Test: 200 OK").waitFor();
    await page.getByRole("button", { name: "Pause…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Pause webhook" }).click();
    await page.getByText(/its webhooks to .* are paused/).waitFor();
    await region(page, "Who did what").getByText("Paused a webhook").waitFor();
    await assertSound(page);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Webhook URL").waitFor();
    await page.goto(`${stage.dashboard.url}/assistants/website/integrations?incident=inc_1`);
    await region(page, "Incidents")
      .getByText(/^None so far/)
      .waitFor();
  });

  for (const look of [
    { width: 390, scheme: "dark" },
    { width: 320, scheme: "light" },
  ] as const) {
    test(`is sound at ${look.width} px with names that are written from the right`, async () => {
      await using visit = await stage.open("/", { assistants: ["website"], ...look });
      const { page, accountId } = visit;
      const url = `${receiver.url}/rtl`;
      const name = "شركة الأفق للتجارة והמכירות";
      const id = await createWebhook(accounts, { accountId, name, url });
      await stage.dashboard.postSession(
        1,
        { name: "דמו ארוך".repeat(9), lead: { id: uuid(901), email: "a@b.example", first_name: "ימית" } },
        accountId,
      );

      await page.goto(`${stage.dashboard.url}/settings/webhooks/${id}`);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await decisions(page).getByText("Would be sent.").waitFor();
      await assertSound(page);
    });
  }
});

test("why Jane did not go to CRM: one field and two clicks from the list, or one from its page", async () => {
  await using visit = await stage.open("/", {});
  const { page, accountId } = visit;
  const { id } = await setUp(accountId);
  const why = "Not sent to CRM: intent_level is low, and the alert wants high.";
  await page.goto(`${stage.dashboard.url}/audience/sessions`);
  const { click, fill, did } = count();
  await click(page.getByRole("button", { name: "Not sent", exact: true }));
  await click(page.getByRole("dialog", { name: "Not sent" }).getByRole("button", { name: "CRM" }));
  await fill(page.getByLabel("Search sessions"), "jane@acme.example");
  await page.getByText(why).waitFor();
  assert.equal(await page.getByRole("table").locator("tbody tr").count(), 1);
  assert.deepEqual(did, { clicks: 2, fields: 1 });
  await assertSound(page);
  await page.reload();
  await page.getByRole("button", { name: "Not sent: CRM", exact: true }).waitFor();
  await page.goto(`${stage.dashboard.url}/settings/alerts/${id}`);
  await page.getByRole("link", { name: "What it did not get" }).click();
  await page.getByText(why).waitFor();
});
