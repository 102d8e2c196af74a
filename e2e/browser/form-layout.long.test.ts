import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type Who, setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

/** `last` is what arrives last in the form: nothing moves by itself when it is there. */
const FORMS = [
  { what: "an alert", path: "/settings/alerts/new", action: "Test webhook", last: "Back to alerts" },
  {
    what: "an assistant's webhook",
    path: "/assistants/bot/integrations",
    action: "Send test webhook",
    last: "There are no conversations yet to try this on.",
  },
] as const;

async function openForm({ path, last }: (typeof FORMS)[number], who: Who) {
  const visit = await stage.open(path, { ...who, assistants: ["bot"] });
  const { page } = visit;
  await page.getByText(last).waitFor();
  await page.getByLabel("Webhook URL").fill(`${receiver.url}/hook`);
  return visit;
}

async function readBox(control: Locator) {
  const box = await control.boundingBox();
  assert.ok(box !== null, "it is drawn");
  return { top: box.y, left: box.x, bottom: box.y + box.height, right: box.x + box.width };
}

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
const told = (page: Page) => page.getByText("This was a test. It was not retried").locator("xpath=../..");

/**
 * The part of the focused control that another element covers, in words; empty when all of it is seen. Its own tooltip
 * may lie on it where the text moved meanwhile: Escape takes it away (WCAG 2.4.11, note 2).
 */
const COVERED = `(() => {
  const control = document.activeElement;
  const { left, top, right, bottom } = control.getBoundingClientRect();
  const x = (left + right) / 2;
  const hidden = [top + 1, bottom - 1].filter((y) => {
    const seen = y < 0 || y > innerHeight ? null : document.elementFromPoint(x, y);
    if (seen === null) return true;
    if (seen.closest("[role=tooltip]")?.id === control.getAttribute("aria-describedby")) return false;
    return !control.contains(seen) && !seen.contains(control) && seen.closest("label, li") === null;
  });
  const name = control.tagName + " " + (control.getAttribute("aria-label") ?? control.id ?? "");
  return hidden.length === 0 || bottom - top > innerHeight / 2 ? "" : name + " " + top + "–" + bottom;
})()`;

for (const form of FORMS) {
  describe(`the form of ${form.what}`, () => {
    test("has the test and its result beside it where there is room, and below it where there is none", async () => {
      receiver.script = () => ({ status: 503 });
      await using wide = await openForm(form, { width: 1280 });
      await wide.page.getByRole("button", { name: form.action }).click();
      const url = await readBox(wide.page.getByLabel("Webhook URL"));
      const result = await readBox(told(wide.page));
      assert.ok(result.left > url.right, "beside");
      assert.ok(result.bottom < 900, "in view");
      await assertSound(wide.page);
      await using slim = await openForm(form, { width: 900 });
      await slim.page.getByRole("button", { name: form.action }).click();
      const below = await readBox(told(slim.page));
      assert.ok(below.top > (await readBox(slim.page.getByLabel("Webhook URL"))).bottom, "below");
    });

    for (const look of [
      { width: 1280, height: 700, scheme: "dark" },
      { width: 320, height: 568, scheme: "light" },
    ] as const) {
      test(`keeps Save in view and covers no control that has the focus, ${look.width} px`, async () => {
        receiver.script = () => ({ status: 401, body: "x".repeat(2000) });
        await using visit = await openForm(form, look);
        const { page } = visit;
        await page.getByRole("button", { name: form.action }).click();
        const result = await readBox(told(page));
        const bar = await readBox(save(page));
        assert.ok(result.bottom <= bar.top, "the result has arrived in view");
        await page.evaluate("scrollTo(0, 0)");
        await page.getByRole("heading", { level: 1 }).focus();
        for (let pressed = 0; pressed < 60; pressed += 1) {
          await page.keyboard.press("Tab");
          const { top, bottom } = await readBox(save(page));
          assert.ok(top >= 0 && bottom <= look.height, `Save stands at ${top}–${bottom}`);
          assert.equal(await page.evaluate<string>(COVERED), "");
          if (await save(page).and(page.locator(":focus")).isVisible()) break;
        }
        await assertFocused(save(page));
        await assertSound(page);
      });
    }

    test("leaves Save where it was when a test has answered", async () => {
      receiver.script = () => ({ status: 401, body: "x".repeat(2000) });
      await using visit = await openForm(form, { width: 1440, height: 900 });
      const { page } = visit;
      const before = await readBox(save(page));
      await page.getByRole("button", { name: form.action }).click();
      await told(page).waitFor();
      assert.deepEqual(await readBox(save(page)), before);
      await assertSound(page);
    });

    test("makes an earlier result quiet while another test runs", async () => {
      receiver.script = () => ({ status: 500 });
      await using visit = await openForm(form, {});
      const { page } = visit;
      await page.getByRole("button", { name: form.action }).click();
      await page.getByText("Your endpoint had an error.").waitFor();
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route("**/test", async (route) => {
        await promise;
        await route.continue();
      });
      receiver.script = () => ({});
      await page.getByRole("button", { name: form.action }).click();
      await page.getByText(/^Earlier test, .*: 500 Internal Server Error/).waitFor();
      await page.getByRole("status").getByText("Sending a test and waiting for the answer…").waitFor();
      assert.equal(await page.getByText("Your endpoint had an error.").count(), 0);
      await assertSound(page);
      resolve();
      await page.getByText("Your endpoint accepted the test.").waitFor();
      assert.equal(await page.getByText(/^Earlier test/).count(), 0);
    });
  });
}
