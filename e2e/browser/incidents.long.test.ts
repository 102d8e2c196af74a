/** An owner reads about an outage when it is over, and sends again what was lost. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { incidentPath } from "../../src/domain/incident.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { toValue, ADA } from "../../test/kit/world/world.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { saveAssistantWebhook } from "../../src/accounts/save-assistant-webhook.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { findRequests, untilRows } from "../../test/kit/browser/log-page.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS, untilIncident } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver({ changes: { schedule: TWO_ATTEMPTS } });

const receivedAt = async (path: string, count: number): Promise<void> => {
  while (findRequests(receiver, path).length < count) await receiver.received(receiver.requests.length + 1);
};

/** Three deliveries that fail for good, with two attempts each: two of them get 503, and the last 500. */
async function failThree(accountId: string, path: string): Promise<{ readonly alertPage: string }> {
  let status = 503;
  receiver.script = () => ({ status, body: status === 500 ? "no email" : "upstream is down" });
  const { app } = stage.dashboard;
  const url = `${receiver.url}${path}`;
  const { id: alertId } = await createAlert(app.accounts, { accountId, name: "New leads", url });
  await stage.dashboard.postSession(1, {}, accountId);
  await stage.dashboard.postSession(2, {}, accountId);
  await receivedAt(path, 4);
  status = 500;
  await stage.dashboard.postSession(3, {}, accountId);
  await receivedAt(path, 6);
  return { alertPage: `/settings/alerts/${alertId}` };
}

const idsOf = (path: string, from: number, to?: number): ReadonlySet<string | undefined> =>
  new Set(
    findRequests(receiver, path)
      .slice(from, to)
      .map(({ headers }) => headers["webhook-id"]?.toString()),
  );

describe("incidents", () => {
  test("a receiver fails and recovers: its history says so, and what got 503 alone is sent again", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    const { alertPage } = await failThree(accountId, "/fails");
    await page.goto(`${stage.dashboard.url}${alertPage}`);
    const incidents = page.getByRole("region", { name: "Incidents" });
    await incidents.getByText("503 × 4, 500 × 2").waitFor();
    await incidents.getByText("Under way").waitFor();
    await incidents.getByText("no email", { exact: true }).waitFor();
    await assertSound(page);

    receiver.script = () => ({});
    await stage.dashboard.postSession(4, {}, accountId);
    await incidents.getByText("It ended when the endpoint accepted a delivery.").waitFor();
    await incidents.getByText("Over", { exact: true }).waitFor();
    await incidents.getByRole("link", { name: "3 Failed, in the log" }).click();
    await untilRows(page, 3);
    await page.goBack();

    await incidents.locator("summary").click();
    await incidents.getByLabel("Failed with").selectOption("503 (2)");
    await incidents.getByRole("link", { name: "Send again…" }).click();
    const dialog = page.getByRole("dialog", { name: "Send again" });
    await dialog.getByRole("button", { name: "Response: 503", exact: true }).waitFor();
    await dialog.getByText(/^2 deliveries match/).waitFor();
    assert.equal(findRequests(receiver, "/fails").length, 7, "nothing is sent before it is confirmed");
    await page.getByRole("button", { name: "Send 2" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
    await receivedAt("/fails", 9);
    assert.deepEqual(idsOf("/fails", 7), idsOf("/fails", 0, 4));

    await page.goto(`${stage.dashboard.url}${alertPage}`);
    await incidents.locator("summary").click();
    await incidents.getByRole("link", { name: "2 Delivered later, in the log" }).waitFor();
    await incidents.getByRole("link", { name: "1 Failed, in the log" }).waitFor();
    await assertSound(page);
  });

  test("the list of all leads to the first and the last delivery that failed, and they lead back", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await failThree(accountId, "/listed");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Incidents" }).click();
    await page.locator("summary").getByText("New leads", { exact: true }).waitFor();
    await page.getByText("503 × 4, 500 × 2").waitFor();
    await page.getByText("no email", { exact: true }).waitFor();
    await assertSound(page);
    await page.getByRole("link", { name: "First failed delivery" }).click();
    await page.getByText("upstream is down", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Incident", exact: true }).click();
    await page.getByRole("link", { name: "Last failed delivery" }).click();
    await page.getByText("no email", { exact: true }).first().waitFor();
    await using phone = await stage.open("/incidents", { accountId, scheme: "dark", width: 320 });
    await phone.page.getByRole("link", { name: "Last failed delivery" }).waitFor();
    await assertSound(phone.page);
  });

  test("an incident's own address opens it, also on a phone and in the dark, and works by keyboard alone", async () => {
    await using first = await stage.open("/deliveries", { role: "viewer", person: "vic@example.com" });
    const { accountId } = first;
    const { alertPage } = await failThree(accountId, "/linked");
    receiver.script = () => ({});
    await stage.dashboard.postSession(4, {}, accountId);
    await receivedAt("/linked", 7);
    const incident = await untilIncident(stage.dashboard, accountId);
    const path = incidentPath({ kind: "alert", id: alertPage.split("/").at(-1) ?? "" }, incident);
    assert.ok(path.startsWith(alertPage));
    await using visit = await stage.open(path, { accountId, scheme: "dark", width: 320 });
    const { page } = visit;
    const incidents = page.getByRole("region", { name: "Incidents" });
    await incidents.getByRole("link", { name: "3 Failed, in the log" }).waitFor();
    await assertSound(page);
    const summary = incidents.locator("summary");
    await summary.focus();
    await page.keyboard.press("Enter");
    await incidents.getByRole("link", { name: "3 Failed, in the log" }).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await incidents.getByRole("link", { name: "3 Failed, in the log" }).waitFor();

    // A viewer reads it all, and may look at what failed.
    await first.page.goto(`${stage.dashboard.url}${path}`);
    await first.page.getByRole("link", { name: "View failures" }).first().click();
    await untilRows(first.page, 3);
  });

  test("a chat assistant's webhook has them too", async () => {
    await using visit = await stage.open("/deliveries", { assistants: ["website"] });
    const { page, accountId } = visit;
    receiver.script = () => ({ status: 410 });
    const webhook = makeWebhookForm({ url: `${receiver.url}/chat` });
    const saving = { accountId, assistantId: "website", webhook, revision: null, by: ADA };
    toValue(await saveAssistantWebhook(stage.dashboard.app.accounts, saving));
    await stage.dashboard.postConversation(1, { assistant_id: "website" }, accountId);
    await receivedAt("/chat", 1);
    await page.goto(`${stage.dashboard.url}/assistants/website/webhook`);
    const incidents = page.getByRole("region", { name: "Incidents" });
    await incidents.getByText("It was turned off by the answer 410 Gone.").waitFor();
    await incidents.getByText("410 × 1").waitFor();
    await assertSound(page);
  });
});
