/** A webhook that is well is paused where it is set up, and turned on again there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { setDestinationState } from "../../src/accounts/set-destination-state.ts";
import { ADA, toValue } from "../../test/kit/world/world.ts";
import { REFUSED, assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, type Who, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { createAlert, giveWebhook } from "../../test/kit/world/alerts.ts";

const { stage, receiver } = await setStageWithReceiver();

/** The page asks for its alert once more when it hears that something has changed, and it is gone by then. */
const GONE = REFUSED;

/** The page of a paused alert for which one delivery waits, and that nothing was cancelled for. */
async function openPaused(who: Who = {}): Promise<SignedIn> {
  const visit = await stage.open("/settings/alerts", who);
  const { accountId, page } = visit;
  const { accounts } = stage.dashboard.app;
  const { id, destinationId } = await createAlert(accounts, { accountId, name: "Leads", url: `${receiver.url}/held` });
  const paused = { accountId, destinationId, state: "paused", reason: "paused", by: ADA } as const;
  toValue(await setDestinationState(accounts, paused));
  await stage.dashboard.postSession(1, {}, accountId);
  await page.goto(`${stage.dashboard.url}/settings/alerts/${id}`);
  return visit;
}

async function pauseWebhook(page: Page): Promise<void> {
  const dialog = page.getByRole("alertdialog", { name: /Pause the webhook/ });
  await dialog.getByRole("button", { name: "Pause webhook" }).click();
  await page.getByText(/its webhooks to .* are paused/).waitFor();
}

test("a chat assistant's webhook is paused and turned on by the button beside its deliveries", async () => {
  await using visit = await stage.open("/assistants", { assistants: ["website"] });
  const { page, accountId } = visit;
  const url = `${receiver.url}/chat`;
  await giveWebhook(stage.dashboard.app.accounts, { accountId, assistantId: "website", url });
  await page.goto(`${stage.dashboard.url}/assistants/website/integrations`);
  const card = page.getByRole("region", { name: "Webhook", exact: true });
  await card.getByRole("button", { name: "Pause…" }).click();
  await pauseWebhook(page);
  const turnOn = card.getByRole("button", { name: "Turn on…" });
  await assertFocused(turnOn);
  await assertSound(page);
  await turnOn.click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn on without a test" }).click();
  await card.getByRole("button", { name: "Pause…" }).waitFor();
});

test("the question before it is turned on counts what waits now, and then it is on its way", async () => {
  await using visit = await openPaused();
  const { page, accountId } = visit;
  await page
    .getByText(/1 delivery waits/)
    .first()
    .waitFor();
  await stage.dashboard.postSession(2, {}, accountId);
  await stage.dashboard.postSession(3, {}, accountId);
  await page.getByRole("button", { name: "Turn on…" }).click();
  await page.getByRole("dialog").getByText("3 deliveries wait. What should happen to them?").waitFor();
  await assertSound(page);
  await page.getByRole("dialog").getByRole("button", { name: "Turn on without a test" }).click();
  await page.getByText("3 deliveries are on their way").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Send again what failed…" }).count(), 0, "nothing has failed");
});

test("an alert is paused, and deleted, by the menu of its page", async () => {
  await using visit = await stage.open("/settings/alerts", { expected: GONE });
  const { page, accountId } = visit;
  const alert = { accountId, name: "Leads", url: `${receiver.url}/leads` };
  const { id } = await createAlert(stage.dashboard.app.accounts, alert);
  await page.goto(`${stage.dashboard.url}/settings/alerts/${id}`);
  const menu = page.getByRole("button", { name: "Actions for Leads" });
  await menu.click();
  assert.deepEqual(await page.getByRole("menuitem").allTextContents(), ["Duplicate", "Pause…", "Delete…"]);
  await assertSound(page);
  await page.getByRole("menuitem", { name: "Pause…" }).click();
  await pauseWebhook(page);
  await menu.click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete alert" }).click();
  await page.waitForURL((address) => address.pathname === "/settings/alerts");
  await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
});

test("a link that asks whether to pause asks once, and nothing where there is nothing to pause", async () => {
  await using visit = await openPaused();
  const { page } = visit;
  await page.goto(`${page.url()}?pause=1`);
  await page.waitForURL((address) => address.search === "");
  await page.getByRole("button", { name: "Turn on…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn on without a test" }).click();
  await page.getByRole("button", { name: "Pause…" }).waitFor();
  assert.equal(await page.getByRole("alertdialog").count(), 0);
  await page.goto(`${page.url()}?pause=1`);
  await page.getByRole("alertdialog", { name: "Pause the webhook of “Leads”?" }).waitFor();
  assert.equal(new URL(page.url()).search, "");
});

for (const width of [390, 320]) {
  test(`a dialog’s buttons fit into ${width} px, and the lowest one, where a thumb falls, is Cancel`, async () => {
    await using visit = await openPaused({ width, scheme: "dark" });
    const { page } = visit;
    await page.getByRole("button", { name: "Turn on…" }).click();
    await assertCancelIsLowest(page.getByRole("dialog"), 3);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Actions for Leads" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await assertCancelIsLowest(page.getByRole("alertdialog"), 2);
    await assertSound(page);
  });
}

async function assertCancelIsLowest(dialog: Locator, buttons: number): Promise<void> {
  const found = dialog.locator("footer").getByRole("button");
  await found.nth(buttons - 1).waitFor();
  const around = await dialog.boundingBox();
  const boxes = await Promise.all((await found.all()).map(async (button) => await button.boundingBox()));
  const places = boxes.map((box) => box ?? assert.fail("it is not shown"));
  assert.ok(around !== null && places.length === buttons);
  for (const { x, width } of places) assert.ok(x >= around.x && x + width <= around.x + around.width);
  const cancel = await dialog.getByRole("button", { name: "Cancel" }).boundingBox();
  assert.equal(cancel?.y, Math.max(...places.map(({ y }) => y)));
}
