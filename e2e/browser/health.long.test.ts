import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { untilInLog } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver();

/** An account with one alert, and this number of sessions handed in. */
async function accountWithSessions(accountId: string, sessions: number): Promise<void> {
  await stage.dashboard.putAccount(accountId);
  const alert = { accountId, name: "To a receiver", url: `${receiver.url}/${accountId}` };
  await createAlert(stage.dashboard.app.accounts, alert);
  for (let number = 1; number <= sessions; number += 1) await stage.dashboard.postSession(number, {}, accountId);
}

describe("health", () => {
  test("a receiver that fails shows by itself on the open overview, and so does its recovery", async () => {
    receiver.script = () => ({ status: 503 });
    await stage.dashboard.putAccount("failing");
    const alert = { accountId: "failing", name: "To a receiver", url: `${receiver.url}/failing` };
    await createAlert(stage.dashboard.app.accounts, alert);
    await using visit = await stage.open("/", { accountId: "failing" });
    const { page } = visit;
    await page.getByText("Send your first webhook").waitFor();
    for (let number = 1; number <= 8; number += 1) await stage.dashboard.postSession(number, {}, "failing");
    await page.getByText(/deliveries to 127\.0\.0\.1:\d+ have failed since/).waitFor();
    await page.getByText(/Last answer: 503\./).waitFor();
    await page.getByText(/8 deliveries wait, the next attempt/).waitFor();
    await assertSound(page);

    await page.getByRole("button", { name: "Pause…" }).click();
    const pausing = page.getByRole("alertdialog", { name: /Pause the webhook/ });
    await pausing.getByRole("button", { name: "Pause webhook" }).click();
    await page.getByText("Paused by ana@example.com").first().waitFor();
    // Not earlier, or the breaker's own next try could send them all before the pause.
    receiver.script = () => ({});
    await page
      .getByRole("row", { name: /To a receiver/ })
      .getByRole("link")
      .click();
    await page.getByRole("button", { name: "Turn on…" }).click();
    const turningOn = page.getByRole("dialog", { name: /Turn on the webhook/ });
    await turningOn.getByText(/8 deliveries wait/).waitFor();
    await turningOn.getByRole("button", { name: "Send test and turn on" }).click();
    await turningOn.waitFor({ state: "detached" });
    await page.getByText("Healthy").first().waitFor();
  });

  test("it stays off when the test fails, and says what came back", async () => {
    receiver.script = () => ({ status: 410 });
    await accountWithSessions("gone", 1);
    await using visit = await stage.open("/", { accountId: "gone" });
    const { page } = visit;
    await page
      .getByText(/are turned off/)
      .first()
      .waitFor();
    await page
      .getByText(/410 Gone/)
      .first()
      .waitFor();
    receiver.script = () => ({ status: 500 });
    await page.getByRole("button", { name: "Turn on…" }).click();
    const dialog = page.getByRole("dialog", { name: /Turn on the webhook/ });
    await dialog.getByRole("button", { name: "Send test and turn on" }).click();
    await dialog.getByText(/It stays off/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page
      .getByText(/are turned off/)
      .first()
      .waitFor();
  });

  test("charts tell their figures by keyboard and as a table", async () => {
    receiver.script = () => ({});
    await accountWithSessions("charted", 5);
    await untilInLog(stage.dashboard, "charted", { status: "delivered", count: 5 });
    await using visit = await stage.open("/?range=1h", { accountId: "charted" });
    const { page } = visit;
    const attempts = page.getByRole("slider", { name: /^Attempts/ });
    await attempts.focus();
    await page.keyboard.press("End");
    const words = (await attempts.getAttribute("aria-valuetext")) ?? "";
    assert.match(words, /Delivered \d+, Will retry 0, Failed for good 0$/);
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await attempts.getAttribute("aria-valuetext"), words);
    const figure = page.getByRole("figure", { name: "Attempts" });
    await figure.getByRole("button", { name: "Show as table" }).press("Enter");
    await figure.getByRole("columnheader", { name: "Delivered" }).waitFor();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.waitForURL((url) => url.search === "?range=7d");
    await assertSound(page);
  });
});
