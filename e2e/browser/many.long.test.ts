/** An account with 62 webhooks stays calm: what is seen first, how one is found, and one host that is down. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { createAlert, createAssistant } from "../../test/kit/world/alerts.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { assertSound, settled } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { indexAll, untilInLog } from "../../test/kit/browser/webhooks.ts";
import { eventually } from "../../test/kit/wait.ts";

const accountId = "many";
const SESSIONS = 8;
const DOWN = 9;
/** A demo that nobody views. */
const NEVER = { demos: ["Nobody's demo"] };

const { stage, receiver } = await setStageWithReceiver();
const well = await startReceiver();
after(() => well[Symbol.asyncDispose]());

before(async () => {
  receiver.script = () => ({ status: 503 });
  const { accounts, store } = stage.dashboard.app;
  await stage.dashboard.putAccount(accountId);
  const add = async (name: string, url: string, rest = {}): Promise<unknown> =>
    await createAlert(accounts, { accountId, name, url, ...rest });
  for (let number = 1; number <= DOWN; number += 1) await add(`Warehouse ${number}`, `${receiver.url}/in/${number}`);
  await add("CRM sync", `${well.url}/crm/leads`);
  await add("CRM sync", `${well.url}/crm/companies`);
  await add(`Long${"word".repeat(20)}`, `${well.url}/long`, NEVER);
  for (let number = 1; number <= 48; number += 1) await add(`Team ${number}`, `${well.url}/team/${number}`, NEVER);
  for (const assistantId of ["bot-2", "bot-10"]) {
    await createAssistant(accounts, { accountId, assistantId, url: `${well.url}/${assistantId}` });
  }
  await stage.dashboard.postSessions(SESSIONS, accountId);
  await untilInLog(stage.dashboard, accountId, { status: "delivered", count: 2 * SESSIONS });
  await eventually("nine webhooks fail", async () => {
    const incidents = await store.listIncidents({ accountId, sinceMs: 0, limit: 2 * DOWN });
    return incidents.length === DOWN;
  });
  await indexAll(stage.dashboard);
});

const heightOf = (page: Page): Promise<number> => page.evaluate<number>("document.documentElement.scrollHeight");

describe("the Overview of 62 webhooks", () => {
  for (const { width, heightMax } of [
    { width: 1440, heightMax: 1_800 },
    { width: 390, heightMax: 3_000 },
    { width: 320, heightMax: 3_300 },
  ]) {
    test(`is at most ${heightMax} px high at ${width} px, with its figures first`, async (context) => {
      await using visit = await stage.open("/", { accountId, width });
      const { page } = visit;
      await page.getByRole("table", { name: /^The busiest webhooks/ }).waitFor();
      await page.getByRole("figure", { name: "Time to deliver" }).waitFor();
      await assertSound(page);
      const height = await heightOf(page);
      context.diagnostic(`${height} px`);
      assert.ok(height <= heightMax, `${height} px`);
      const top = async (text: string) => (await page.getByText(text).first().boundingBox())?.y ?? assert.fail(text);
      assert.ok((await top("Success rate")) < (await top("All 9 webhooks to")));
      assert.ok((await top("All 9 webhooks to")) < (await top("Busiest webhooks")));
    });
  }

  test("leads to all of them: found by a part of the path, narrowed, in the order of numbers", async () => {
    await using visit = await stage.open("/", { accountId, width: 1440 });
    const { page } = visit;
    await page.getByRole("link", { name: "All 62" }).click();
    const rows = page.getByRole("row");
    await page.getByRole("searchbox", { name: "Search webhooks" }).fill("/crm/comp");
    await eventually("one is found", async () => (await rows.count()) === 2);
    assert.match(page.url(), /#q=%2Fcrm%2Fcomp/);
    await page.reload();
    await rows.nth(1).getByText("CRM sync").waitFor();
    assert.equal(await rows.count(), 2);
    await page.getByRole("searchbox", { name: "Search webhooks" }).fill("nowhere");
    await page.getByText("Nothing has “nowhere” in its name or address.").waitFor();
    await assertSound(page);
    await page.getByRole("button", { name: "Show all 62" }).click();
    await page.getByRole("combobox", { name: "Show" }).selectOption({ label: "Failing (9)" });
    await eventually("nine fail", async () => (await rows.count()) === 1 + DOWN);
    await page.getByRole("combobox", { name: "Show" }).selectOption({ label: "All (62)" });
    await page.getByRole("combobox", { name: "Order" }).selectOption("name");
    await page.getByRole("searchbox", { name: "Search webhooks" }).fill("bot");
    await eventually("two are left", async () => (await rows.count()) === 3);
    const names = await rows.getByRole("link").allTextContents();
    assert.deepEqual(
      names.map((text) => text.split("127.0.0.1")[0]),
      ["bot-2", "bot-10"],
    );
  });

  test("tells webhooks of one name and host apart by their paths", async () => {
    await using visit = await stage.open("/destinations?q=crm", { accountId, width: 1440 });
    const { page } = visit;
    for (const path of ["/crm/leads", "/crm/companies"]) await page.getByRole("table").getByText(path).waitFor();
  });
});

test("lists are searched, and a row on a phone is low", async () => {
  await using visit = await stage.open("/settings/alerts", { accountId, width: 390 });
  const { page } = visit;
  const row = page.getByRole("row", { name: /Warehouse 1/ }).first();
  await row.waitFor();
  await settled(page);
  const { height = 999 } = (await row.boundingBox()) ?? {};
  assert.ok(height <= 130, `${height} px`);
  await assertSound(page);
  await page.getByRole("searchbox", { name: "Search alerts" }).fill("team 48");
  await eventually("one is found", async () => (await page.getByRole("row").count()) === 2);
});

test("the event catalog begins with its fields, and nothing is wider than the window", async () => {
  for (const width of [320, 390, 768, 1440]) {
    await using visit = await stage.open("/events/demo_viewed", { accountId, width });
    const { page } = visit;
    await page.getByText("Sent by 60 alerts").waitFor();
    const fields = await page.getByRole("heading", { name: "Fields" }).boundingBox();
    assert.ok((fields?.y ?? 9_999) < 500, `fields begin at ${fields?.y} px`);
    await assertSound(page);
    await page.getByText("Sent by 60 alerts").click();
    await page.getByRole("link", { name: "Warehouse 1", exact: true }).waitFor();
    await assertSound(page);
  }
});

test("a session that two webhooks of 60 got names the others in a fold", async () => {
  await using visit = await stage.open("/audience/sessions", { accountId });
  const { page } = visit;
  await page.getByRole("row").getByRole("link").first().click();
  await page.getByText("Not sent to 49 others").click();
  await page
    .getByText(/^Not sent to Team \d+/)
    .first()
    .waitFor();
  await assertSound(page);
});

test("one host that is down is one trouble, on every page, and one click sends everything", async () => {
  await using visit = await stage.open("/deliveries", { accountId, width: 1440 });
  const { page } = visit;
  const title = new RegExp(
    `^All ${DOWN} webhooks to 127\\.0\\.0\\.1:\\d+ are failing \\(503\\), ${DOWN * SESSIONS} wait$`,
  );
  const line = page.getByRole("region", { name: "Webhooks that need attention" });
  await line.getByText(title).first().click();
  await page.waitForURL(/\/destinations\?show=failing#q=127\.0\.0\.1%3A\d+\+503$/);
  await eventually("its nine are listed", async () => (await page.getByRole("row").count()) === 1 + DOWN);
  await page.goto(stage.dashboard.url);
  await page.getByText(title).waitFor();
  assert.equal(await page.getByText(/are failing/).count(), 1);
  await page.route(/\/send-waiting$/, async (route) => {
    receiver.script = () => ({});
    await route.continue();
  });
  const table = page.getByRole("table", { name: /^The busiest webhooks/ });
  const topBefore = (await table.boundingBox())?.y;
  await page.getByRole("button", { name: `Send now (${DOWN * SESSIONS})` }).click();
  await page
    .getByText(`All ${DOWN * SESSIONS} were sent.`)
    .first()
    .waitFor();
  await page.getByText("None of these webhooks to 127.0.0.1").waitFor();
  const figures = page.locator("dl > div").filter({ hasText: "Delivered" });
  await figures.getByText(String((DOWN + 2) * SESSIONS), { exact: true }).waitFor();
  assert.ok(
    Math.abs(((await table.boundingBox())?.y ?? 0) - (topBefore ?? 0)) <= 30,
    "nothing moves under the pointer",
  );
  await assertSound(page);
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("None of these webhooks to 127.0.0.1").waitFor({ state: "detached" });
});
