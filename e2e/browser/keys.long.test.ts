import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { deliveryRows, findRequests, untilRows } from "../../test/kit/browser/log-page.ts";
import { assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS, indexAll, putAlert } from "../../test/kit/browser/webhooks.ts";
import { eventually } from "../../test/kit/wait.ts";

let stage: Stage;
let receiver: Receiver;
before(async () => {
  stage = await setStage({ changes: { schedule: TWO_ATTEMPTS } });
  receiver = await startReceiver();
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** The log of an account of its own with five deliveries that arrived. */
async function openLog(options: Parameters<Stage["open"]>[1] = {}) {
  const visit = await stage.open("/deliveries", options);
  receiver.script = () => ({});
  await putAlert(stage.dashboard, visit.accountId, { url: `${receiver.url}/keys`, name: "To the CRM" });
  await stage.dashboard.postSessions(5, visit.accountId);
  await untilRows(visit.page, 5);
  await deliveryRows(visit.page).getByText("Delivered", { exact: true }).nth(4).waitFor();
  await eventually("keys are listened to", async () => {
    await visit.page.keyboard.press("?");
    return await help(visit.page).isVisible();
  });
  await visit.page.keyboard.press("Escape");
  return visit;
}

const help = (page: Page) => page.getByRole("dialog", { name: "Keyboard" });
const rowLink = (page: Page, at: number) => deliveryRows(page).nth(at).locator("a[data-row]");
const selected = (page: Page) => deliveryRows(page).getByRole("checkbox", { checked: true });
const bar = (page: Page) => page.getByRole("region", { name: "Selected deliveries" });

describe("single keys", () => {
  test("go to the search, from row to row, open and close, and are listed by a question mark", async () => {
    await using visit = await openLog({ width: 1400 });
    const { page } = visit;
    await page.keyboard.press("j");
    await assertFocused(rowLink(page, 0));
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await assertFocused(rowLink(page, 1));
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Delivery" }).getByText("What happened").waitFor();
    const opened = page.url();
    await page.keyboard.press("j");
    await eventually("the next one is open", () => page.url() !== opened);
    await page.keyboard.press("k");
    await eventually("the one before is open again", () => page.url() === opened);
    await page.keyboard.press("Escape");
    await assertFocused(rowLink(page, 1));

    await page.keyboard.press("/");
    await assertFocused(page.getByRole("searchbox", { name: "Search deliveries" }));
    await page.keyboard.type("jx?/");
    assert.equal(await page.getByRole("searchbox").inputValue(), "jx?/", "somebody who types gets what is typed");
    assert.equal(await help(page).count(), 0);
  });

  test("do nothing once they are turned off, in the account's settings or in their own dialog", async () => {
    await using visit = await openLog();
    const { page } = visit;
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("switch", { name: "Single-key shortcuts" }).click();
    await page.getByRole("link", { name: "Deliveries" }).click();
    await untilRows(page, 5);
    for (const key of ["?", "j", "x"]) await page.keyboard.press(key);
    assert.equal(await help(page).count(), 0);
    await assertFocused(page.getByRole("link", { name: "Deliveries" }));
    // Firefox has its own search at this key: what matters is that ours leaves it alone.
    await page.keyboard.press("/");
    assert.equal(await page.getByRole("searchbox").and(page.locator(":focus")).count(), 0);
    await page.goto(`${stage.dashboard.url}/settings/account`);
    await page.getByRole("button", { name: "Show all keys" }).click();
    await help(page).getByRole("switch", { name: "Single-key shortcuts" }).click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await help(page).waitFor();
  });

  for (const look of [
    { scheme: "light", width: 1280 },
    { scheme: "dark", width: 320 },
  ] as const) {
    test(`their dialog and the account's page are sound (${look.scheme}, ${look.width} px)`, async () => {
      await using visit = await openLog(look);
      const { page } = visit;
      await page.keyboard.press("?");
      await help(page).waitFor();
      await assertSound(page);
      await page.keyboard.press("Escape");
      await page.goto(`${stage.dashboard.url}/settings/account`);
      await page.getByRole("switch", { name: "Single-key shortcuts" }).waitFor();
      await assertSound(page);
    });
  }
});

describe("a selection", () => {
  test("is made with the keyboard alone and sent again", async () => {
    await using visit = await openLog();
    const { page } = visit;
    const count = receiver.requests.length;
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await bar(page).getByText("2 selected").waitFor();
    await assertFocused(rowLink(page, 1));
    await assertSound(page);
    await bar(page).getByRole("button", { name: "Send again" }).focus();
    await page.keyboard.press("Enter");
    const asked = page.getByRole("alertdialog", { name: "Send 2 deliveries again?" });
    await asked.getByText("Your endpoint already accepted 2 of them.").waitFor();
    await assertFocused(asked.getByRole("button", { name: "Cancel" }));
    await assertSound(page);
    await asked.getByRole("button", { name: "Send again" }).press("Enter");
    await receiver.received(count + 2);
    await page.getByText("2 deliveries queued to be sent again").waitFor();
    await bar(page).waitFor({ state: "detached" });
    assert.equal(await selected(page).count(), 0);
    const sent = receiver.requests.slice(count).map(({ headers }) => headers["webhook-id"]);
    const shown = await Promise.all([0, 1].map((at) => rowLink(page, at).getAttribute("href")));
    assert.deepEqual(new Set(sent), new Set(shown.map((href) => href?.split("/").at(-1))));
  });

  test("takes a range with Shift, the whole page by the head, and ends with Clear, Esc or a filter", async () => {
    await using visit = await openLog({ scheme: "dark" });
    const { page } = visit;
    const boxes = deliveryRows(page).getByRole("checkbox");
    await boxes.nth(1).click();
    await boxes.nth(3).click({ modifiers: ["Shift"] });
    assert.equal(await selected(page).count(), 3);
    await bar(page).getByRole("button", { name: "Clear" }).click();
    assert.equal(await selected(page).count(), 0);
    await page.getByRole("checkbox", { name: "Select all rows of this page" }).click();
    await bar(page).getByText("5 selected").waitFor();
    await assertSound(page);
    await rowLink(page, 0).focus();
    await page.keyboard.press("Escape");
    await bar(page).waitFor({ state: "detached" });
    await boxes.first().click();
    await page.getByRole("button", { name: "Show tests" }).click();
    await bar(page).waitFor({ state: "detached" });
  });

  test("holds the rows where they are: a new one waits behind Show", async () => {
    await using visit = await openLog();
    const { page, accountId } = visit;
    await deliveryRows(page).getByRole("checkbox").first().click();
    await stage.dashboard.postSession(6, {}, accountId);
    await page.getByText("1 new", { exact: true }).waitFor();
    assert.equal(await deliveryRows(page).count(), 5);
    assert.equal(await selected(page).count(), 1);
  });

  test("says of each delivery that is refused why", async () => {
    await using visit = await openLog();
    const { page } = visit;
    await page.getByRole("checkbox", { name: "Select all rows of this page" }).click();
    const nowMs = Date.now();
    const ages = { attemptBodiesBeforeMs: 0, rowsBeforeMs: 0, rowsMax: 1_000 };
    await stage.dashboard.app.store.purge({ nowMs, payloadsBeforeMs: nowMs + 1, ...ages });
    await bar(page).getByRole("button", { name: "Send again" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Send again" }).click();
    const told = page.getByRole("dialog", { name: "5 deliveries were not sent again" });
    // As the row called it when it was chosen, though the payload is gone since.
    await told
      .getByText(/\S to To the CRM$/)
      .first()
      .waitFor();
    await told
      .getByText(/payload/)
      .first()
      .waitFor();
    await assertSound(page);
  });

  test("of all that match takes one press, with the number before it, and sends those of a search alone", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    const { dashboard } = stage;
    await putAlert(dashboard, accountId, { url: `${receiver.url}/many` });
    await dashboard.postSessions(3, accountId);
    for (let number = 100; number < 155; number += 1) {
      await dashboard.postSession(number, { name: "Pricing demo" }, accountId);
    }
    const many = () => findRequests(receiver, "/many").length;
    await eventually("all were sent", async () => many() === 58);
    await indexAll(dashboard);
    await eventually("the search finds a page", async () => {
      await page.goto(`${dashboard.url}/deliveries?q=pricing`);
      await page
        .getByText(/^(No deliveries match|\d+\+? deliver)/)
        .first()
        .waitFor();
      return (await page.getByText("55 deliveries").count()) === 1;
    });
    await page.getByRole("checkbox", { name: "Select all rows of this page" }).click();
    await bar(page).getByRole("button", { name: "Select all 55 that match" }).click();
    await bar(page).getByText("55 selected").waitFor();
    await assertSound(page);
    await bar(page).getByRole("button", { name: "Send again" }).click();
    const asked = page.getByRole("alertdialog", { name: "Send 55 deliveries again?" });
    await asked.getByText("Your endpoint already accepted 55 of them.").waitFor();
    await asked.getByRole("button", { name: "Send again" }).click();
    await page.getByText("55 deliveries queued to be sent again").waitFor();
    await eventually("those of the search go out again", async () => many() === 113);
    const names = findRequests(receiver, "/many")
      .slice(58)
      .map(({ body }) => JSON.parse(body.toString()).name);
    assert.deepEqual(new Set(names), new Set(["Pricing demo"]));
  });

  test("is made on a phone too, while somebody selects", async () => {
    await using visit = await openLog({ width: 320, scheme: "dark" });
    const { page } = visit;
    const count = receiver.requests.length;
    assert.equal(await page.getByRole("checkbox").count(), 0);
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await deliveryRows(page).getByRole("checkbox").nth(1).click();
    await bar(page).getByText("1 selected").waitFor();
    await assertSound(page);
    await bar(page).getByRole("button", { name: "All on this page" }).click();
    await bar(page).getByText("5 selected").waitFor();
    await assertSound(page);
    await bar(page).getByRole("button", { name: "Send again" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Send again" }).click();
    await receiver.received(count + 5);
    await bar(page).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("checkbox").count(), 0);
  });

  test("is not offered to somebody who may only look", async () => {
    await using visit = await openLog({ role: "viewer" });
    assert.equal(await visit.page.getByRole("checkbox").count(), 0);
  });
});
