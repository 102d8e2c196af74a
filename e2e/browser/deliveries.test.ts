import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";
import { REFUSED, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS, putAlert } from "../../test/kit/browser/webhooks.ts";
import { deliveryRows, untilRows } from "../../test/kit/browser/log-page.ts";

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
  await eventually("two deliveries have failed", async () => {
    const failed = { accountId: MIXED, statuses: ["failed"], withTests: false, before: null, limit: 10 } as const;
    return (await stage.dashboard.app.accounts.store.listDeliveries(failed)).deliveries.length === 2;
  });
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
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await page.getByRole("heading", { name: "No deliveries match these filters" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
  });

  test("each row says status, event, destination, response, attempts and time", async () => {
    await using visit = await openMixed("/deliveries");
    await untilRows(visit.page, 4);
    const [first = "", second = ""] = (await deliveryRows(visit.page).allInnerTexts()).toSorted();
    const line = (text: string) => text.replace(/\s+/g, " ");
    assert.match(line(first), /^Delivered Demo viewed .*Good leads .*200 · (?:< 1|[\d.]+) m?s 1 of 2 .*(now|ago)$/);
    assert.match(line(second), /^Delivered /);
    const failed = (await deliveryRows(visit.page).allInnerTexts()).find((text) => text.startsWith("Failed")) ?? "";
    assert.match(line(failed), /^Failed Demo viewed .*Bad leads .*503 · (?:< 1|[\d.]+) m?s 2 of 2 /);
  });

  test("filters are in the address: they survive reload, and Back takes them away", async () => {
    await using visit = await openMixed("/deliveries");
    const { page } = visit;
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await untilRows(page, 2);
    await page.getByLabel("Destination", { exact: true }).selectOption({ label: "Good leads" });
    await page.getByRole("heading", { name: "No deliveries match these filters" }).waitFor();
    await page.getByLabel("Destination", { exact: true }).selectOption({ label: "Bad leads" });
    await untilRows(page, 2);
    await page.getByLabel("Response", { exact: true }).selectOption({ label: "5xx, endpoint error" });
    await page.getByLabel("Time", { exact: true }).selectOption({ label: "Last hour" });
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
    const chips = page.getByRole("list", { name: "Filters that are on" });
    const labels = ["Status: Failed", "Destination: Bad leads", "Response: 5xx", "Last hour"];
    for (const label of labels) await chips.getByText(label, { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Failed", exact: true }).getAttribute("aria-pressed"), "true");

    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("range"));
    await chips.getByRole("button", { name: "Remove the filter Status: Failed" }).click();
    await page.waitForURL((url) => !url.searchParams.has("status"));
    await page.getByRole("button", { name: "Clear filters" }).click();
    await untilRows(page, 4);
    assert.equal(new URL(page.url()).search, "");
  });

  test("one status, a time in between and an id are filters too", async () => {
    await using visit = await openMixed("/deliveries");
    const { page } = visit;
    await page.getByLabel("Response", { exact: true }).selectOption({ label: "One status" });
    await page.getByLabel("Status code").fill("503");
    await untilRows(page, 2);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await untilRows(page, 4);
    await page.getByLabel("Time", { exact: true }).selectOption({ label: "Between two times" });
    await page.getByLabel("Until").fill("2020-01-01T00:00");
    await page.getByRole("heading", { name: "No deliveries match these filters" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await untilRows(page, 4);
    const href =
      (await deliveryRows(page)
        .first()
        .getByRole("link", { name: /Demo viewed/ })
        .getAttribute("href")) ?? "";
    await page.getByLabel("Find by id").fill(href.split("/").at(-1) ?? "");
    await page.keyboard.press("Enter");
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
    assert.equal(new URL(page.url()).searchParams.get("response"), "503");
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
    await page.getByRole("button", { name: "Delivered", exact: true }).click();
    await page.getByRole("heading", { name: "We couldn’t load deliveries" }).waitFor();
    await page.getByText(refusal.detail).waitFor();
    await page.unroute(/dashboard\/deliveries/);
    await page.getByRole("button", { name: "Try again" }).click();
    await untilRows(page, 2);
  });

  test("pages go on with Older and back with Newest, in the address", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${good.url}/many` });
    await stage.dashboard.postSessions(55, accountId);
    await page.goto(`${stage.dashboard.url}/deliveries`);
    await untilRows(page, 50);
    await page.getByRole("link", { name: "Older" }).click();
    await untilRows(page, 5);
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
      if (options.width < 768) await page.getByRole("button", { name: "Filters", exact: true }).click();
      await assertSound(page);
      await page.getByRole("button", { name: "Recent replays" }).click();
      await page.getByRole("heading", { name: "No replays yet" }).waitFor();
      await assertSound(page);
    });
  }
});
