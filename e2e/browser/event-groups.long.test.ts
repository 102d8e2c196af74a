/** Two hundred event types by the first word of their names: a webhook takes `order.*`, or all that a search finds. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { toDeclaration } from "../../src/events/declared/declared.kit.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const WORDS = ["order", "invoice", "parcel", "user"];
const PER_WORD = 48;
const declared = WORDS.flatMap((word) =>
  Array.from({ length: PER_WORD }, (_, n) => toDeclaration({ type: `${word}.step_${n}`, title: `${word} step ${n}` })),
);

const { stage, receiver } = await setStageWithReceiver({
  changes: { types: createEventTypes([...declared, toDeclaration({ type: "lead_identified", title: "Lead" })]) },
});

const folder = process.env["HANDS_PICTURES"];

const chosen = async (page: Page): Promise<string[]> =>
  await page.getByRole("list", { name: "Chosen events" }).getByRole("code").allTextContents();

describe("a webhook's picker", () => {
  test("takes a whole group in three clicks and a URL, also for later types", async (context) => {
    await using visit = await stage.open("/settings/webhooks", { width: 1440 });
    const { page, accountId } = visit;
    let clicks = 0;
    const click = async (role: "link" | "button", name: string): Promise<void> => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).click();
    };
    await click("link", "Create the first webhook");
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/orders`);
    await click("button", "All 48 of order.*");
    await page.getByText("48 types now, and those that are declared later.").waitFor();
    await assertSound(page);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/picker-1440.png`, fullPage: true });
    await click("button", "Save");
    await page.waitForURL(/\/settings\/webhooks\/whk_/);
    context.diagnostic(`${clicks} clicks and one field`);
    assert.ok(clicks <= 3, `${clicks} clicks`);
    const view = await stage.dashboard.app.accounts.accounts.loadAnew(accountId);
    assert.deepEqual(view?.webhooks[0]?.webhook.events, [{ type: "order.*", conditions: null }]);
    await page.goto(`${stage.dashboard.url}/settings/webhooks`);
    await page.getByRole("row", { name: /order\.\*/ }).waitFor();
  });

  test("adds all that a search finds, and a group of what is chosen whole is not offered again", async () => {
    await using visit = await stage.open("/settings/webhooks/new", { width: 1440 });
    const { page } = visit;
    const search = page.getByRole("searchbox", { name: "Find an event type" });
    await search.fill("parcel step_1");
    const all = page.getByRole("button", { name: "Add all 11 found" });
    await all.focus();
    await page.keyboard.press("Enter");
    assert.equal((await chosen(page)).length, 11);
    await assertFocused(search);
    await search.fill("");
    await page.getByRole("button", { name: "All 48 of parcel.*" }).click();
    assert.equal(await page.getByRole("button", { name: "All 48 of parcel.*" }).count(), 0);
    assert.equal((await chosen(page)).length, 12);
    await assertSound(page);
  });
});

for (const { width, scheme } of [
  { width: 390, scheme: "dark" },
  { width: 320, scheme: "light" },
] as const) {
  test(`picker and catalog have room at ${width} px`, async () => {
    await using visit = await stage.open("/settings/webhooks/new", { width, scheme });
    const { page } = visit;
    await page.getByRole("button", { name: "All 48 of invoice.*" }).click();
    await assertSound(page);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/picker-${width}.png`, fullPage: true });
    await page.goto(`${stage.dashboard.url}/events/order.step_3`);
    await page.getByRole("list", { name: "Event types" }).getByText("order.* · 48").waitFor();
    await assertSound(page);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/catalog-${width}.png` });
  });
}
