import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { REFUSED, assertFocused, assertSound, assertSoundNow } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS, putAlert, untilInLog } from "../../test/kit/browser/webhooks.ts";
import { deliveryRows, filterBy, untilRows } from "../../test/kit/browser/log-page.ts";

let stage: Stage;
let good: Receiver;
let bad: Receiver;
before(async () => {
  stage = await setStage({ changes: { schedule: TWO_ATTEMPTS } });
  good = await startReceiver();
  bad = await startReceiver({ status: 503 });
  await putMixed();
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await good[Symbol.asyncDispose]();
  await bad[Symbol.asyncDispose]();
});

/** An account with a good and a failing destination, and two sessions sent to both; tests only look at it. */
const MIXED = "mixed";
let badId = "";

async function putMixed(): Promise<void> {
  await stage.dashboard.putAccount(MIXED);
  await putAlert(stage.dashboard, MIXED, { name: "Good leads", url: `${good.url}/in` });
  badId = await putAlert(stage.dashboard, MIXED, { name: "Bad leads", url: `${bad.url}/in` });
  await stage.dashboard.postSessions(2, MIXED);
  await untilInLog(stage.dashboard, MIXED, { status: "failed", count: 2 });
  await untilInLog(stage.dashboard, MIXED, { status: "delivered", count: 2 });
}

/**
 * Whether Chromium has a tab with this address. Its own list is asked, and no `page` event awaited: on a busy machine
 * one tab in a hundred opens and loads without a `Page.frameNavigated`, for which Playwright waits before it tells of
 * the tab.
 */
async function hasTab(page: Page, address: string): Promise<boolean> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  if (session === undefined) return false;
  const { targetInfos } = await session.send("Target.getTargets");
  await session.detach();
  return targetInfos.some(({ type, url }) => type === "page" && url === address);
}

const SEEN_WHOLE = `[...document.querySelectorAll("tbody tr")]
  .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`;

/** The log of that account. */
const openMixed = (path: string, options: Parameters<Stage["open"]>[1] = {}) =>
  stage.open(path, { accountId: MIXED, ...options });

describe("the log", () => {
  test("an account without deliveries is told what they are, and no match is told apart", async () => {
    await using visit = await stage.open("/deliveries");
    const { page } = visit;
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
    await page.getByRole("link", { name: "Set up an alert" }).waitFor();
    await assertSound(page);
    for (const name of ["Status", "Filters", "Send again…"]) {
      assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, `${name} has nothing to act on`);
    }
    await page.goto(`${stage.dashboard.url}/deliveries?status=failed`);
    await page.getByRole("heading", { name: "No deliveries match these filters" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
  });

  test("each row says who and what first, then event, status, webhook, response, attempts and time", async () => {
    await using visit = await openMixed("/deliveries", { width: 1_440 });
    await untilRows(visit.page, 4);
    const rows = (await deliveryRows(visit.page).allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
    const took = String.raw`(?:< 1|[\d.]+) m?s`;
    const name = (webhook: string, status: string) =>
      `Ada Lovelace Product tour Demo viewed to ${webhook}, ${status.toLowerCase()} Demo viewed ${status} ${webhook}`;
    for (const [webhook, status, outcome] of [
      ["Good leads", "Delivered", `200 · ${took} 1 of 2`],
      ["Bad leads", "Failed", `503 · ${took} 2 of 2`],
    ] as const) {
      const wanted = new RegExp(`^${name(webhook, status)} ${outcome} .*(now|ago)$`);
      assert.equal(rows.filter((text) => wanted.test(text)).length, 2, `${String(wanted)} in ${rows.join("\n")}`);
    }
    await visit.page.getByText("4 deliveries", { exact: true }).waitFor();
  });

  test("filters are in the address: they survive reload, and Back takes them away", async () => {
    await using visit = await openMixed("/deliveries");
    const { page } = visit;
    // The focus stays on the filter: readers of the screen are told what it found.
    const told = (text: string) => page.getByRole("status").filter({ hasText: text });
    await filterBy(page, "Status", "Failed");
    await untilRows(page, 2);
    await told("Deliveries, newest first: 2 rows").waitFor();
    await filterBy(page, "Webhook", "Good leads");
    await page.getByRole("heading", { name: "No deliveries match these filters" }).waitFor();
    await told("No deliveries match these filters").waitFor();
    await filterBy(page, "Webhook", "Bad leads");
    await untilRows(page, 2);
    await filterBy(page, "Response", "5xx, endpoint error");
    await filterBy(page, "Time", "Last hour");
    await page.waitForURL((url) => url.searchParams.has("range"));
    await untilRows(page, 2);
    const address = new URL(page.url());
    assert.deepEqual(Object.fromEntries(address.searchParams), {
      status: "failed",
      destination: badId,
      response: "5xx",
      range: "1h",
    });

    await page.reload();
    await untilRows(page, 2);
    const values = ["Status: Failed", "Webhook: Bad leads", "Response: 5xx", "Time: Last hour"];
    for (const value of values) {
      await page.getByText(value, { exact: true }).first().waitFor();
      assert.equal(await page.getByText(value, { exact: true }).count(), 1, "it stands once");
    }

    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("range"));
    await page.getByRole("button", { name: "Remove the filter Status: Failed" }).click();
    await page.waitForURL((url) => !url.searchParams.has("status"));
    await page.getByRole("button", { name: "Clear filters" }).click();
    await untilRows(page, 4);
    await page.waitForURL((url) => url.search === "");
  });

  test("by keyboard a filter opens with the focus in it, arrow keys choose, and Escape gives it back", async () => {
    await using visit = await openMixed("/deliveries");
    const { page } = visit;
    await untilRows(page, 4);
    const button = page.getByRole("button", { name: /^Event\b/ });
    await button.focus();
    await page.keyboard.press("Enter");
    const choices = page.getByRole("dialog", { name: "Event" }).getByRole("button");
    await assertFocused(choices.first());
    await page.keyboard.press("ArrowDown");
    await assertFocused(choices.nth(1));
    await page.keyboard.press("ArrowUp");
    await assertFocused(choices.first());
    await page.keyboard.press("Escape");
    await assertFocused(button);
  });

  test("one status, a time in between and an id are filters too", async () => {
    await using visit = await openMixed("/deliveries");
    const { page } = visit;
    await page.getByRole("button", { name: "Response", exact: true }).click();
    await page.getByLabel("Status code").fill("503");
    await untilRows(page, 2);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove the filter Response: 503" }).click();
    await untilRows(page, 4);
    await page.getByRole("button", { name: "Time", exact: true }).click();
    await page.getByLabel("Until").fill("1 Jan 2020");
    await page.keyboard.press("Enter");
    await page.getByText("Time: until 1 Jan 2020, 00:00").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "No deliveries match these filters" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await untilRows(page, 4);
    const href =
      (await deliveryRows(page)
        .first()
        .getByRole("link", { name: /Demo viewed/ })
        .getAttribute("href")) ?? "";
    await page.getByLabel("Search deliveries").fill(href.split("/").at(-1) ?? "");
    await untilRows(page, 1);
  });

  test("a value in a row narrows the list to it", async () => {
    await using visit = await openMixed("/deliveries");
    const { page } = visit;
    const failed = deliveryRows(page).filter({ hasText: "Failed" }).first();
    const narrow = failed.getByRole("link", { name: "Only where response is 503" });
    await failed.hover();
    const opacity = `getComputedStyle(document.querySelector("tr:hover td a[tabindex='-1']")).opacity`;
    await eventually("it is there for the pointer", async () => (await page.evaluate(opacity)) === "1");
    await narrow.click();
    await untilRows(page, 2);
    await page.waitForURL((url) => url.searchParams.get("response") === "503");
  });

  test("what cannot be read in the address is named, with the way out", async () => {
    await using visit = await stage.open("/deliveries?response=lots", { expected: REFUSED });
    const { page } = visit;
    await page.getByRole("heading", { name: "The filters in the address can’t be read" }).waitFor();
    await page.getByText("can be 2xx, 3xx, 4xx, 5xx, none, or a code such as 503").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
  });

  test("a list that cannot be loaded says why, and is tried again", async () => {
    await using visit = await openMixed("/deliveries", { expected: [/status of 500/] });
    const { page } = visit;
    await untilRows(page, 4);
    const refusal = { code: "internal_error", detail: "Something went wrong on our side." };
    await page.route(/dashboard\/deliveries/, (route) => route.fulfill({ status: 500, json: refusal }));
    await filterBy(page, "Status", "Delivered");
    await page.getByRole("heading", { name: "We couldn’t load deliveries" }).waitFor();
    await page.getByText(refusal.detail).waitFor();
    await page.unroute(/dashboard\/deliveries/);
    await page.getByRole("button", { name: "Try again" }).click();
    await untilRows(page, 2);
  });

  for (const scheme of ["light", "dark"] as const) {
    test(`while other rows are on the way, the ones before stay readable (${scheme})`, async () => {
      await using visit = await openMixed("/deliveries", { scheme });
      const { page } = visit;
      await untilRows(page, 4);
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      await page.route(/dashboard\/deliveries/, async (route) => {
        await held;
        await route.continue();
      });
      await filterBy(page, "Status", "Delivered");
      await page.locator("table[aria-busy=true]").waitFor();
      await assertSoundNow(page);
      release();
      await untilRows(page, 2);
      assert.equal(await page.locator("table[aria-busy=true]").count(), 0);
    });
  }

  test("the head stays in sight; pages go on with Older and back with Newest, in the address", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${good.url}/many` });
    await stage.dashboard.postSessions(55, accountId);
    await page.goto(`${stage.dashboard.url}/deliveries`);
    await untilRows(page, 50);
    await page.getByText("55 deliveries").waitFor();
    await page.setViewportSize({ width: 1_440, height: 900 });
    await eventually("18 rows or more are seen whole", async () => (await page.evaluate<number>(SEEN_WHOLE)) >= 18);
    await page.mouse.move(700, 300);
    await page.mouse.wheel(0, 900);
    await eventually("the page is scrolled", async () => (await page.evaluate<number>("scrollY")) > 800);
    assert.equal((await page.getByRole("columnheader", { name: "About" }).boundingBox())?.y, 0);
    await page.getByRole("link", { name: "Older" }).click();
    await untilRows(page, 5);
    await page.getByText("55 deliveries").waitFor();
    await page.reload();
    await untilRows(page, 5);
    assert.equal(await page.getByRole("link", { name: "Older" }).count(), 0);
    await page.getByRole("link", { name: "Newest" }).click();
    await untilRows(page, 50);
  });

  test("a row is a real link: the middle button opens the delivery in another tab", async () => {
    await using visit = await openMixed("/deliveries");
    const { page } = visit;
    await untilRows(page, 4);
    const link = deliveryRows(page)
      .first()
      .getByRole("link", { name: /Demo viewed/ });
    const address = new URL((await link.getAttribute("href")) ?? "", page.url()).href;
    assert.match(address, /\/deliveries\/dlv_/);
    assert.equal(await hasTab(page, address), false);
    await link.click({ button: "middle" });
    await eventually("a tab with the delivery", () => hasTab(page, address));
    assert.match(page.url(), /\/deliveries$/);
    // The address by itself, as a new tab shows it without a row behind it.
    await page.goto(address);
    await page.getByRole("heading", { name: "What happened" }).waitFor();
  });

  test("on a phone a row takes three lines and no more", async () => {
    await using visit = await openMixed("/deliveries", { width: 320 });
    await untilRows(visit.page, 4);
    for (const row of await deliveryRows(visit.page).all()) {
      const height = (await row.boundingBox())?.height ?? 0;
      assert.ok(height > 60 && height < 80, `${height} px`);
    }
  });

  for (const options of [
    { scheme: "light", width: 1280 },
    { scheme: "dark", width: 1280 },
    { scheme: "light", width: 800 },
    { scheme: "dark", width: 320 },
  ] as const) {
    test(`is sound in ${options.scheme} at ${options.width} px, filters and menus open`, async () => {
      await using visit = await openMixed("/deliveries?status=failed,delivered", options);
      const { page } = visit;
      await untilRows(page, 4);
      if (options.width < 1024) await page.getByRole("button", { name: "Filters", exact: true }).click();
      await assertSound(page);
      for (const filter of ["Status", "Event", "Webhook", "Response", "Time", "View"]) {
        await page.getByRole("button", { name: new RegExp(`^${filter}\\b`) }).click();
        await page.getByRole("dialog", { name: filter }).waitFor();
        await assertSound(page);
        await page.keyboard.press("Escape");
        await assertFocused(page.getByRole("button", { name: new RegExp(`^${filter}\\b`) }));
      }
      const isMenu = options.width < 896;
      if (isMenu) await page.getByRole("button", { name: "Send again and export" }).click();
      await page.getByRole(isMenu ? "menuitem" : "button", { name: "Sent again lately" }).click();
      await page.getByRole("heading", { name: "Nothing was sent in bulk yet" }).waitFor();
      await assertSound(page);
    });
  }
});
