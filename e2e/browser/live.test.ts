import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator, Page, Route } from "playwright-core";
import { eventually } from "../../test/kit/wait.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS, indexAll, putAlert } from "../../test/kit/browser/webhooks.ts";
import { deliveryRows, untilRows } from "../../test/kit/browser/log-page.ts";

const { stage, receiver } = await setStageWithReceiver({ changes: { schedule: TWO_ATTEMPTS } });

const liveWord = (page: Page) =>
  page
    .getByRole("status")
    .filter({ hasText: /^Live$/ })
    .first();
const live = (page: Page) => liveWord(page).waitFor();

/** Puts the page's clock forward until it is so: a try that is under way sets its next timer when it has failed. */
async function forwardUntil(page: Page, byMs: number, what: Locator): Promise<void> {
  await eventually("the page says so", async () => {
    await page.clock.fastForward(byMs);
    return await what.isVisible();
  });
}

/** The page gets its first answer to the call only once it is released; what came meanwhile is not in it. */
async function holdFirst(page: Page, call: RegExp) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let isFirst = true;
  await page.route(call, async (route) => {
    if (!isFirst) return await route.continue();
    isFirst = false;
    const old = await route.fetch();
    answer();
    await released;
    await route.fulfill({ response: old });
  });
  return { answered, release };
}

describe("the log follows what happens", () => {
  test("at the top new rows appear by themselves, and change in place", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    receiver.script = async ({ path }) => {
      if (path === "/slow") await answered;
      return {};
    };
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/slow` });
    await live(page);
    await stage.dashboard.postSession(1, {}, accountId);
    await deliveryRows(page).getByText("Waiting", { exact: true }).waitFor();
    answer();
    await deliveryRows(page).getByText("Delivered", { exact: true }).waitFor();
    assert.equal(await deliveryRows(page).count(), 1);
  });

  test("with a delivery open they wait behind a button, and the rows stay where they are", async () => {
    receiver.script = () => ({});
    await using visit = await stage.open("/deliveries", { width: 1400 });
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/held` });
    await live(page);
    await stage.dashboard.postSession(1, {}, accountId);
    await deliveryRows(page)
      .getByRole("link", { name: /Demo viewed/ })
      .first()
      .click();
    await page.getByText("Attempt 1", { exact: true }).waitFor();
    const address = page.url();
    const findPlace = async () => (await deliveryRows(page).first().boundingBox())?.y;
    const place = await findPlace();
    await stage.dashboard.postSession(2, {}, accountId);
    await stage.dashboard.postSession(3, {}, accountId);
    await page.getByText("2 new", { exact: true }).waitFor();
    assert.equal(await deliveryRows(page).count(), 1);
    assert.equal(await findPlace(), place);
    await assertSound(page);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await untilRows(page, 3);
    assert.equal(page.url(), address, "the delivery stays open");
    assert.equal(await page.getByText(/\d new/).count(), 0);
  });

  test("scrolled down nothing moves either, and Show leads to the top", async () => {
    receiver.script = () => ({});
    await using visit = await stage.open("/deliveries", { height: 500 });
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/scrolled` });
    for (let number = 1; number <= 20; number += 1) await stage.dashboard.postSession(number, {}, accountId);
    await untilRows(page, 20);
    await page.mouse.move(700, 300);
    await page.mouse.wheel(0, 900);
    await eventually("the page is scrolled", async () => (await page.evaluate<number>("scrollY")) > 400);
    await live(page);
    await stage.dashboard.postSession(21, {}, accountId);
    await page.getByText("1 new", { exact: true }).waitFor();
    assert.equal(await deliveryRows(page).count(), 20);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await untilRows(page, 21);
    await eventually("the page is at its top", async () => (await page.evaluate("scrollY")) === 0);
  });

  test("an open delivery shows its next attempt as it happens", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let attempts = 0;
    receiver.script = async () => {
      attempts += 1;
      if (attempts === 1) return { status: 503 };
      await answered;
      return {};
    };
    await using visit = await stage.open("/deliveries", { width: 1400 });
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/followed` });
    await stage.dashboard.postSession(1, {}, accountId);
    await deliveryRows(page)
      .getByRole("link", { name: /Demo viewed/ })
      .first()
      .click();
    await page.getByText("Your endpoint answered 503.").waitFor();
    answer();
    await page.getByText("Your endpoint accepted it on attempt 2").waitFor();
  });

  test("without the stream it says so, and asks", async () => {
    receiver.script = () => ({});
    await using visit = await stage.open("/deliveries", { expected: [/ERR_FAILED/] });
    const { page, accountId } = visit;
    await page.clock.install();
    // The window's own stream, as on Android: what a worker asks for passes the test by.
    await page.addInitScript("delete globalThis.SharedWorker");
    await page.route(/dashboard\/live/, (route) => route.abort());
    await page.goto(`${stage.dashboard.url}/deliveries`);
    await page.getByText("Reconnecting").first().waitFor();
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/polled` });
    await stage.dashboard.postSession(1, {}, accountId);
    await forwardUntil(page, 2_000, page.getByText("Not live").first());
    await stage.dashboard.postSession(2, {}, accountId);
    await forwardUntil(page, 15_000, deliveryRows(page).nth(1));
    await page.unroute(/dashboard\/live/);
    await forwardUntil(page, 15_000, liveWord(page));
  });
});

describe("windows of one browser", () => {
  /** More than the six connections that a browser has for a server over HTTP/1.1. */
  const WINDOWS = 9;

  test("share one stream, so that the ninth loads and follows like the first", async () => {
    receiver.script = () => ({});
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/windows` });
    await live(page);
    const windows = [page];
    while (windows.length < WINDOWS) {
      const next = await page.context().newPage();
      windows.push(next);
      await next.goto(`${stage.dashboard.url}/deliveries`);
      await live(next);
    }
    await stage.dashboard.postSession(1, {}, accountId);
    for (const each of windows) await untilRows(each, 1);
    // The stream goes on without the window that opened it.
    await page.close();
    await stage.dashboard.postSession(2, {}, accountId);
    for (const each of windows.slice(1)) await untilRows(each, 2);
  });

  const NO_WORKERS = {
    "its script is not there any more": 'super(url + "-of-an-older-version.js", options)',
    "the browser refuses it": 'throw new DOMException("The operation is insecure.", "SecurityError")',
  };
  for (const [why, constructor] of Object.entries(NO_WORKERS)) {
    test(`follow by streams of their own when the shared one is not to be had: ${why}`, async () => {
      receiver.script = () => ({});
      await using visit = await stage.open("/deliveries", { expected: [/404/] });
      const { page, accountId } = visit;
      await page.addInitScript(`globalThis.SharedWorker = class extends SharedWorker {
        constructor(url, options) { ${constructor}; }
      }`);
      await page.reload();
      await live(page);
      await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/own` });
      await stage.dashboard.postSession(1, {}, accountId);
      await untilRows(page, 1);
    });
  }
});

test("times are the service's where the reader's clock is ten minutes ahead, in another zone", async () => {
  receiver.script = () => ({});
  await using visit = await stage.open("/deliveries", { timeZone: "Asia/Kolkata" });
  const { page, accountId } = visit;
  await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/ahead` });
  await stage.dashboard.postSession(1, {}, accountId);
  await page.clock.install({ time: Date.now() + 600_000 });
  await page.goto(`${stage.dashboard.url}/deliveries`);
  await untilRows(page, 1);
  const time = deliveryRows(page).locator("time").first();
  await eventually("it was just now", async () => /now|\d+ s/.test((await time.textContent()) ?? ""));
});

test("news that comes while a list is on its way for the first time are not lost with the old answer", async () => {
  await using ana = await stage.open("/deliveries");
  const { page, accountId } = ana;
  await live(page);
  const { answered, release } = await holdFirst(page, /\/dashboard\/signed-in$/);
  await page.getByRole("link", { name: "Account" }).click();
  await answered;
  const told = page.waitForRequest(/\/dashboard\/session$/);
  await using bo = await stage.open("/healthz", { accountId, person: "bo@example.com" });
  await Promise.all([told, bo.page.title()]);
  release();
  await page.getByRole("region", { name: "Who is signed in, newest first" }).getByText("bo@example.com").waitFor();
});

test("deliveries that come faster than the list is answered neither hold it up nor pile up questions", async () => {
  receiver.script = () => ({});
  await using visit = await stage.open("/deliveries");
  const { page, accountId } = visit;
  await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/faster` });
  await live(page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await live(other);
  await page.bringToFront();
  await page.clock.install();
  const open: Route[] = [];
  await page.route(/\/dashboard\/deliveries$/, (route) => void open.push(route));
  for (let number = 1; number <= 4; number += 1) {
    await stage.dashboard.postSession(number, {}, accountId);
    // The browser's windows share a stream: the other one is told when this one is.
    await untilRows(other, number);
    await page.clock.fastForward(1_100);
    await eventually("it is asked", async () => open.length > 0);
  }
  assert.equal(open.length, 1, "one question, for all four");
  await open[0]?.continue();
  await deliveryRows(page).first().waitFor();
  await eventually("one more is asked after it", async () => open.length === 2);
  await open[1]?.continue();
  await untilRows(page, 4);
  assert.equal(open.length, 2);
});

test("an open search for the value of a field is asked again after half a minute, however much comes", async () => {
  receiver.script = () => ({});
  await using visit = await stage.open("/healthz");
  const { page, accountId } = visit;
  await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/search` });
  await page.goto(`${stage.dashboard.url}/deliveries?q=name:Tour`);
  await live(page);
  await page.getByRole("heading", { name: "No deliveries match" }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${stage.dashboard.url}/deliveries`);
  await live(other);
  await page.bringToFront();
  await page.clock.install();
  let asked = 0;
  page.on("request", (request) => (asked += Number(request.url().endsWith("/dashboard/deliveries"))));
  await stage.dashboard.postSession(1, { name: "Tour" }, accountId);
  // The browser's windows share a stream: the other one is told when this one is.
  await deliveryRows(other).getByText("Delivered", { exact: true }).waitFor();
  await indexAll(stage.dashboard);
  await page.clock.fastForward(10_000);
  // A question of these ten seconds would have been seen by now.
  await page.evaluate("fetch('/healthz').then(({ status }) => status)");
  assert.equal(asked, 0);
  await page.clock.fastForward(21_000);
  await deliveryRows(page).getByText("Delivered", { exact: true }).waitFor();
  assert.equal(asked, 1);
});

describe("a row that comes while the list is on its way for the first time is not lost with the old answer", () => {
  const LISTS = { Deliveries: /\/dashboard\/deliveries$/, Sessions: /\/dashboard\/sessions$/ };
  for (const [name, route] of Object.entries(LISTS)) {
    test(name, async () => {
      receiver.script = () => ({});
      await using visit = await stage.open("/settings/account");
      const { page, accountId } = visit;
      await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/${name}` });
      await live(page);
      await page.clock.install();
      const { answered, release } = await holdFirst(page, route);
      await page.getByRole("link", { name, exact: true }).click();
      await answered;
      // The first success of a webhook is told behind its delivery.
      const told = page.waitForRequest(/\/dashboard\/destinations$/);
      await stage.dashboard.postSession(1, {}, accountId);
      await told;
      await page.clock.fastForward(3_000);
      release();
      await page
        .getByRole("table", { name: `${name}, newest first` })
        .getByRole("link")
        .first()
        .waitFor();
    });
  }
});
