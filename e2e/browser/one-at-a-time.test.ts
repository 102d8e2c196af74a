/** An alert's webhook is told to get one at a time; what holds it is seen above its form, and skipped there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

const fold = (page: Page) => page.getByRole("button", { name: "Authentication, rate and order" });
const tick = (page: Page) => page.getByRole("checkbox", { name: "One at a time" });

test("one at a time: ticked, saved, held by a failure, and skipped", async () => {
  await using visit = await stage.open("/settings/alerts/new");
  const { page, accountId } = visit;
  let refused: string | undefined;
  receiver.script = ({ headers }) => {
    refused ??= headers["webhook-id"];
    return { status: headers["webhook-id"] === refused ? 503 : 200 };
  };
  await page.getByLabel("Name", { exact: true }).fill("Ledger");
  await page.getByLabel("Webhook URL").fill(`${receiver.url}/ledger`);
  await fold(page).click();
  await tick(page).check();
  await assertSound(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  assert.equal(await page.getByText(/One at a time: one delivery holds/).count(), 0);

  for (const n of [1, 2, 3]) await stage.dashboard.postSession(n, {}, accountId);
  await page.getByText(/One at a time: one delivery holds all others since/).waitFor();
  await page.getByText(/\d+ attempts? failed.* 2 others wait behind it\./).waitFor();
  await assertSound(page);
  await page.getByRole("link", { name: "View it" }).waitFor();
  await page.getByRole("button", { name: "Skip this one…" }).click();
  const question = page.getByRole("alertdialog", { name: "Skip this delivery?" });
  await assertSound(page);
  await question.getByRole("button", { name: "Skip delivery" }).click();
  await question.waitFor({ state: "detached" });
  await page.getByText(/One at a time: one delivery holds/).waitFor({ state: "detached" });
  await receiver.received(3);
  const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
  assert.equal(new Set(ids.filter((id) => id !== refused)).size, 2);

  await page.reload();
  // It is open where something in it is used.
  await fold(page).and(page.locator("[aria-expanded=true]")).waitFor();
  assert.ok(await tick(page).isChecked());
  await page.goto(`${stage.dashboard.url}/settings/activity`);
  await page.getByText("Skipped a delivery that others waited for").first().waitFor();
});
