/** What a reader sees while scripts are on their way, and what is loaded before and after it is wanted. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { REFUSED } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { eventually } from "../../test/kit/wait.ts";

let stage: Stage;
before(async () => {
  stage = await setStage();
});
after(() => stage[Symbol.asyncDispose]());

const APPLICATION = /assets\/main-[^/]*\.js$/;

/** Goes there with the application's script held back; the returned function lets it come. */
async function holdApplication(page: Page, path: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<Route>();
  await page.route(APPLICATION, (route) => held.resolve(route));
  await page.goto(`${stage.dashboard.url}${path}`, { waitUntil: "commit" });
  const route = await held.promise;
  return async () => await route.continue();
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
    await using visit = await stage.open("/settings/account");
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

  test("somebody who is not signed in is not shown a frame for long", async () => {
    await using visit = await stage.browser.visit(`${stage.dashboard.url}/healthz`, { expected: REFUSED });
    const { page } = visit;
    const release = await holdApplication(page, "/deliveries");
    await page.locator("#still").waitFor({ state: "detached" });
    await release();
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);
  });
});

describe("other pages", () => {
  const CODE = /\/assets\/[^/]*\.js$/;

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
