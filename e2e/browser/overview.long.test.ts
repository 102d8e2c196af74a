/** The overview's figures in an outage, and the stretch of time that it shows first. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { putAlert, untilIncident, untilInLog } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver();

test("an outage with everything overdue is 0 %, not 100 %, and the banner says the same number", async () => {
  receiver.script = () => ({ status: 503 });
  await using visit = await stage.open("/deliveries");
  const { page, accountId } = visit;
  await createAlert(stage.dashboard.app.accounts, { accountId, name: "New leads", url: `${receiver.url}/down` });
  await stage.dashboard.postSessions(25, accountId);
  await untilIncident(stage.dashboard, accountId);
  await page.goto(stage.dashboard.url);
  await page
    .getByText(/25 deliveries wait/)
    .first()
    .waitFor();
  const figure = page.locator("dl > div").filter({ hasText: "Success rate" });
  await figure.getByText("0 %").waitFor();
  await figure.getByText("25 overdue").waitFor();
  await page
    .getByRole("row", { name: /New leads/ })
    .getByText("0 %")
    .waitFor();
  assert.equal(await page.getByText("No figure for the period before").count(), 0);
  assert.equal(await page.getByText(/^Times are /).count(), 1);
  const attempts = page.getByRole("slider", { name: /^Attempts/ });
  await attempts.focus();
  await page.keyboard.press("End");
  assert.match((await attempts.getAttribute("aria-valuetext")) ?? "", /, during an incident: Delivered 0/);
  await assertSound(page);

  await figure.getByText("Success rate").focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await page
    .getByRole("tooltip")
    .getByText(/failed for good or is overdue/)
    .waitFor();
});

test("on a phone a banner folds beside its title, and its actions stand below", async () => {
  receiver.script = () => ({ status: 503 });
  await using visit = await stage.open("/deliveries", { width: 320 });
  const { page, accountId } = visit;
  await createAlert(stage.dashboard.app.accounts, { accountId, name: "Leads", url: `${receiver.url}/narrow` });
  await stage.dashboard.postSessions(8, accountId);
  await untilIncident(stage.dashboard, accountId);
  await page.goto(stage.dashboard.url);
  const topOf = async (name: string) =>
    (await page.getByRole("button", { name }).boundingBox())?.y ?? assert.fail(name);
  await page.getByRole("button", { name: "Fold" }).waitFor();
  const title = (await page.getByText("Leads:", { exact: true }).boundingBox()) ?? assert.fail();
  assert.ok((await topOf("Fold")) < title.y + title.height, "the fold stands in the title's first line");
  assert.ok((await topOf("Send test")) > title.y + title.height);
  await assertSound(page);
  await page.getByRole("button", { name: "Fold" }).press("Enter");
  await page.getByRole("button", { name: "Say more" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Send test" }).count(), 0);
  await assertSound(page);
});

test("a young account is shown its last hour; the choice stays in the address", async () => {
  receiver.script = () => ({});
  await using visit = await stage.open("/deliveries", { width: 320, scheme: "dark" });
  const { page, accountId } = visit;
  await createAlert(stage.dashboard.app.accounts, { accountId, name: "New leads", url: `${receiver.url}/well` });
  await stage.dashboard.postSessions(5, accountId);
  await untilInLog(stage.dashboard, accountId, { status: "delivered", count: 5 });
  await page.goto(stage.dashboard.url);
  await page.getByRole("button", { name: "Last hour", pressed: true }).waitFor();
  assert.equal(new URL(page.url()).search, "");
  await page.getByRole("button", { name: "Last 24 hours" }).click();
  await page.waitForURL((url) => url.search === "?range=24h");
  await page.reload();
  await page.getByRole("button", { name: "Last 24 hours", pressed: true }).waitFor();
  await page.getByRole("figure", { name: "Attempts" }).waitFor();
  await assertSound(page);
});

test("an account whose first webhook goes out while its overview is open is shown its last hour too", async () => {
  receiver.script = () => ({});
  await using visit = await stage.open("/");
  const { page, accountId } = visit;
  await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/first` });
  await page.getByText("Send your first webhook").waitFor();
  await stage.dashboard.postSession(1, {}, accountId);
  await page.getByRole("button", { name: "Last hour", pressed: true }).waitFor();
  await page.getByRole("figure", { name: "Attempts" }).waitFor();
});
