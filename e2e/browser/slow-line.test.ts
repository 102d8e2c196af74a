/** What a reader sees while scripts are on their way, and what is loaded before and after it is wanted. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { REFUSED } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { findRequests } from "../../test/kit/browser/log-page.ts";
import { putAlert } from "../../test/kit/browser/webhooks.ts";
import { eventually } from "../../test/kit/wait.ts";

const { stage, receiver } = await setStageWithReceiver();

const APPLICATION = /assets\/main-[^/]*\.js$/;
const LIST = /assets\/list-[^/]*\.js$/;

/** Goes there with the application's script held back; the returned function lets it come. */
async function holdApplication(page: Page, path: string): Promise<() => Promise<void>> {
  const release = await holdScript(page, APPLICATION);
  await page.goto(`${stage.dashboard.url}${path}`, { waitUntil: "commit" });
  return release;
}

async function holdScript(page: Page, script: RegExp): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<Route>();
  await page.route(script, (route) => held.resolve(route));
  return async () => await (await held.promise).continue();
}

/** Each link with its address and where it stands, and the colour of the ground. */
const readFrame = async (page: Page): Promise<unknown> =>
  await page.evaluate(`({
    links: [...document.querySelectorAll("aside a")].map((link) => {
      const { x, y, width, height } = link.getBoundingClientRect();
      const { color, backgroundColor } = getComputedStyle(link);
      return [link.textContent, link.href, link.ariaCurrent, x, y, width, height, color, backgroundColor];
    }),
    ground: getComputedStyle(document.body).backgroundColor,
  })`);

describe("before the application has come", () => {
  for (const scheme of ["light", "dark"] as const) {
    test(`the frame is there as it will be, ${scheme}`, async () => {
      await using visit = await stage.open("/settings/account", { scheme });
      const { page } = visit;
      const release = await holdApplication(page, "/deliveries");
      await page.getByRole("link", { name: "Deliveries" }).waitFor();
      const drawn = await readFrame(page);
      assert.equal(await page.locator("#root > *").count(), 0);
      await release();
      await page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
      assert.equal(await page.locator("#still").count(), 0);
      assert.deepEqual(await readFrame(page), drawn);
    });
  }

  test("its first questions are asked, and the application takes their answers over", async () => {
    // No page of ours, whose own questions might come among these.
    await using visit = await stage.open("/healthz");
    const { page } = visit;
    // Once the stream is there the page asks again, because something may have happened in between.
    await page.route(/\/dashboard\/live$/, () => {});
    await page.addInitScript("delete globalThis.SharedWorker");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const release = await holdApplication(page, "/deliveries");
    const questions = ["/dashboard/deliveries", "/dashboard/destinations", "/dashboard/session"];
    const early = (): string[] => asked.filter((path) => path.startsWith("/dashboard/")).toSorted();
    await eventually("its first questions", () => early().length === questions.length);
    assert.deepEqual(early(), questions);
    await release();
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
    for (const path of questions) assert.equal(asked.filter((other) => other === path).length, 1, path);
  });

  test("an answer from before the live stream is not taken once it is open: nobody tells what it lacks", async () => {
    await using visit = await stage.open("/settings/account");
    const { page, accountId } = visit;
    const releaseList = await holdScript(page, LIST);
    const answered = page.waitForResponse(/\/dashboard\/deliveries$/);
    const release = await holdApplication(page, "/deliveries");
    await answered;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/early` });
    await stage.dashboard.postSession(1, {}, accountId);
    // It is delivered before the stream is open, and nothing more happens.
    await eventually("the webhook", () => findRequests(receiver, "/early").length === 1);
    await release();
    await page.getByText("Live", { exact: true }).first().waitFor();
    await releaseList();
    await page
      .getByRole("table")
      .getByRole("link", { name: /Demo viewed/ })
      .first()
      .waitFor();
  });

  test("somebody who is not signed in is not shown a frame for long", async () => {
    await using visit = await stage.browser.visit(`${stage.dashboard.url}/healthz`, { expected: REFUSED });
    await assertNoFrame(visit.page);
  });

  test("nor where that is known before the frame has been read", async () => {
    await using visit = await stage.browser.visit(`${stage.dashboard.url}/healthz`, { expected: REFUSED });
    // The first question is start.js's; its answer is there as soon as the script has run, before the frame is.
    await visit.page.addInitScript(`{
      const { fetch } = globalThis;
      globalThis.fetch = () => {
        globalThis.fetch = fetch;
        return Promise.resolve(Response.json({}, { status: 401 }));
      };
    }`);
    await assertNoFrame(visit.page);
  });

  async function assertNoFrame(page: Page): Promise<void> {
    const release = await holdApplication(page, "/deliveries");
    // Behind the frame, so that the frame has been read.
    await page.locator("#root").waitFor({ state: "attached" });
    await page.locator("#still").waitFor({ state: "hidden" });
    assert.equal(await page.getByRole("navigation").count(), 0);
    await release();
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);
  }
});

describe("other pages", () => {
  /** But for the last card of Verification, which nobody waits for. */
  const CODE = /\/assets\/(?!trial-card-)[^/]*\.js$/;

  test("are loaded ahead once nothing else is to do, and a click asks for no code", async () => {
    await using visit = await stage.open("/deliveries");
    const { page } = visit;
    // The last of routes.tsx.
    await page.waitForResponse(/assets\/not-found-/);
    const asked: string[] = [];
    page.on("request", (request) => CODE.test(request.url()) && asked.push(request.url()));
    for (const name of ["Sessions", "Assistants", "Alerts", "Verification"]) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
    }
    assert.deepEqual(asked, []);
  });
});
