import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertFocused } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

/** More than any page has on the way to what is wanted. */
const STOPS_MAX = 80;

const isFocused = async (control: Locator): Promise<boolean> =>
  (await control.and(control.page().locator(":focus")).count()) === 1;

/** Tab, as somebody without a pointer gets there. */
async function tabTo(control: Locator): Promise<void> {
  await control.waitFor();
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    if (await isFocused(control)) return;
    await control.page().keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${String(control)}`);
}

async function press(control: Locator, key = "Enter"): Promise<void> {
  await tabTo(control);
  await control.page().keyboard.press(key);
}

async function typeInto(control: Locator, text: string): Promise<void> {
  await tabTo(control);
  await control.page().keyboard.type(text);
}

async function createAndTest(page: Page): Promise<void> {
  await press(page.getByRole("link", { name: "Create the first alert" }));
  await typeInto(page.getByLabel("Webhook URL"), `${receiver.url}/keys`);
  const testing = page.getByRole("button", { name: "Test webhook" });
  await press(testing);
  await page.getByText("Your endpoint accepted the test.").waitFor();
  await assertFocused(testing);
  await press(page.getByRole("button", { name: "Save", exact: true }));
  await page.getByText("Saved.", { exact: true }).waitFor();
}

test("the keyboard alone creates an alert, tests it, saves it, finds its delivery and sends it again", async () => {
  await using visit = await stage.open("/settings/alerts");
  const { page, accountId } = visit;
  await createAndTest(page);
  const sent = receiver.requests.length;
  await stage.dashboard.postSession(1, {}, accountId);
  await receiver.received(sent + 1);

  await press(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Deliveries" }));
  await page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
  await press(page.getByRole("row", { name: /Delivered/ }).getByRole("link", { name: "Demo viewed" }));
  await page.getByText(/Your endpoint accepted it on the first attempt/).waitFor();
  await press(page.getByRole("button", { name: "Send again", exact: true }));
  const asked = page.getByRole("alertdialog");
  await asked.waitFor();
  await assertFocused(asked.getByRole("button", { name: "Cancel" }));
  await press(asked.getByRole("button", { name: /again/ }));
  await receiver.received(sent + 2);
  const [first, second] = receiver.requests.slice(sent);
  assert.equal(second?.headers["webhook-id"], first?.headers["webhook-id"]);
  assert.deepEqual(second?.body, first?.body);
});
