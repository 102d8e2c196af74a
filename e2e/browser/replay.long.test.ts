import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cancelBacklog, setDestinationState } from "../../src/accounts/set-destination-state.ts";
import { ADA, toValue } from "../../test/kit/world/world.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { eventually } from "../../test/kit/wait.ts";
import { type SignedIn, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS, indexAll, putAlert } from "../../test/kit/browser/webhooks.ts";
import { findRequests } from "../../test/kit/browser/log-page.ts";

const { stage, receiver } = await setStageWithReceiver({ changes: { schedule: TWO_ATTEMPTS } });

const receivedAt = async (path: string, count: number): Promise<void> => {
  while (findRequests(receiver, path).length < count) await receiver.received(receiver.requests.length + 1);
};

/**
 * Sessions that waited at each of the paths and were cancelled there; the destinations are on again. Returns the
 * destinations' ids.
 */
async function cancelled(accountId: string, paths: readonly string[], sessions: number): Promise<readonly string[]> {
  const { app } = stage.dashboard;
  const ids = await Promise.all(
    paths.map((path) => putAlert(stage.dashboard, accountId, { name: path.slice(1), url: `${receiver.url}${path}` })),
  );
  const decisions = ids.map((destinationId) => ({ accountId, destinationId, by: ADA, reason: "" }));
  for (const each of decisions) toValue(await setDestinationState(app.accounts, { ...each, state: "paused" }));
  await stage.dashboard.postSessions(sessions, accountId);
  for (const each of decisions) {
    toValue(await cancelBacklog(app.accounts, each));
    toValue(await setDestinationState(app.accounts, { ...each, state: "on" }));
  }
  return ids;
}

async function prepare({ page }: SignedIn, destinationId: string): Promise<void> {
  await page.goto(`${stage.dashboard.url}/deliveries?status=cancelled&destination=${destinationId}`);
  await page.getByRole("button", { name: "Send again…" }).click();
  const dialog = page.getByRole("dialog", { name: "Send again" });
  assert.equal(await dialog.getByRole("checkbox", { name: "Cancelled" }).isChecked(), true);
  assert.equal(await dialog.getByRole("checkbox", { name: "Failed" }).isChecked(), false);
  await dialog.getByLabel("Deliveries a second").fill("1000");
  await assertSound(page);
}

describe("sending many again", () => {
  test("what is counted is what is sent; other destinations and accounts get nothing", async () => {
    await using other = await stage.open("/deliveries");
    await cancelled(other.accountId, ["/other-account"], 3);
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    const [wanted = ""] = await cancelled(accountId, ["/wanted", "/unwanted"], 7);

    await prepare(visit, wanted);
    const dialog = page.getByRole("dialog", { name: "Send again" });
    await dialog.getByText(/^7 deliveries match/).waitFor();
    // The number follows each choice, and is kept nowhere.
    await dialog.getByRole("button", { name: "Remove the filter Webhook: wanted" }).click();
    await dialog.getByText(/^14 deliveries match/).waitFor();
    await dialog.getByRole("button", { name: "Time", exact: true }).click();
    await page.getByRole("button", { name: "Last hour" }).click();
    await dialog.getByRole("button", { name: "Webhook", exact: true }).click();
    await page.getByRole("button", { name: "wanted", exact: true }).click();
    await dialog.getByText(/^7 deliveries match/).waitFor();
    await assertSound(page);
    const { store } = stage.dashboard.app.accounts;
    assert.deepEqual(await store.listReplays({ accountId }), [], "a count leaves nothing behind");
    assert.equal(findRequests(receiver, "/wanted").length, 0, "nothing is sent before it is confirmed");

    await dialog.getByRole("button", { name: "Send 7" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
    await page.getByText("7 of 7").waitFor();
    await receivedAt("/wanted", 7);
    assert.equal(new Set(findRequests(receiver, "/wanted").map(({ headers }) => headers["webhook-id"])).size, 7);
    assert.equal(findRequests(receiver, "/unwanted").length + findRequests(receiver, "/other-account").length, 0);
    await assertSound(page);

    await page.getByRole("link", { name: "Deliveries", exact: true }).last().click();
    await page.getByRole("button", { name: "Sent again lately" }).click();
    await page.getByRole("link", { name: "7 deliveries to wanted" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
  });

  test("above a thousand the number is typed; it is paused, survives reload, goes on and is cancelled", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    const [destinationId] = await cancelled(accountId, ["/many"], 1_001);
    await page.goto(`${stage.dashboard.url}/deliveries?status=cancelled&destination=${destinationId}&replay=1`);
    const dialog = page.getByRole("dialog", { name: "Send again" });
    await dialog.getByLabel("Deliveries a second").fill("20000");
    await dialog.getByRole("button", { name: "Send 1,001" }).click();
    await dialog.getByText("Enter a number from 1 to 1,000.").waitFor();
    await dialog.getByLabel("Deliveries a second").fill("20");
    await dialog.getByRole("button", { name: "Send 1,001" }).click();
    await page.getByText("Type the number 1,001.").waitFor();
    assert.equal(findRequests(receiver, "/many").length, 0);
    await page.getByLabel("Type 1,001 to confirm").fill("1001");
    await page.getByRole("button", { name: "Send 1,001" }).click();

    await receivedAt("/many", 1);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused by ana@example.com").waitFor();
    await page.reload();
    await page.getByText("Paused by ana@example.com").waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText(/Running: \d+ deliveries left/).waitFor();
    await page.getByRole("button", { name: "Stop sending" }).click();
    const question = page.getByRole("alertdialog", { name: "Stop sending?" });
    await assertSound(page);
    await question.getByRole("button", { name: "Stop sending" }).click();
    await page.getByText("Cancelled by ana@example.com").waitFor();
    const sent = Number(/^([\d,]+) of/.exec(await page.getByText(/of 1,001$/).innerText())?.[1]);
    assert.ok(sent > 0 && sent < 1_001, `${sent}`);
    assert.ok(findRequests(receiver, "/many").length <= sent, "what was not queued is not sent");
  });

  test("a search narrows it: only what was found is sent, and its page says what was searched for", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    const { dashboard } = stage;
    const [destinationId = ""] = await cancelled(accountId, ["/searched"], 4);
    const decision = { accountId, destinationId, by: ADA, reason: "" };
    toValue(await setDestinationState(dashboard.app.accounts, { ...decision, state: "paused" }));
    for (const number of [60, 61]) await dashboard.postSession(number, { name: "Pricing demo" }, accountId);
    toValue(await cancelBacklog(dashboard.app.accounts, decision));
    toValue(await setDestinationState(dashboard.app.accounts, { ...decision, state: "on" }));
    await indexAll(dashboard);
    await eventually("the search finds both", async () => {
      await page.goto(`${dashboard.url}/deliveries?status=cancelled&q=pricing`);
      await page
        .getByText(/^(No deliveries match|\d+ deliver)/)
        .first()
        .waitFor();
      return (await page.getByText("2 deliveries").count()) === 1;
    });
    await page.getByRole("button", { name: "Send again…" }).click();
    const dialog = page.getByRole("dialog", { name: "Send again" });
    await dialog.getByText("Found by “pricing”").waitFor();
    assert.equal(await dialog.getByText("This sends more than the list shows").count(), 0);
    await assertSound(page);
    await dialog.getByText(/^2 deliveries match/).waitFor();
    await page.getByRole("button", { name: "Send 2" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
    await page.getByText("“pricing”").waitFor();
    await receivedAt("/searched", 2);
    await page.getByRole("link", { name: "View its deliveries" }).click();
    await page.getByText("2 deliveries").waitFor();
    const names = findRequests(receiver, "/searched").map(
      ({ body }) => (JSON.parse(body.toString()) as { name: string }).name,
    );
    assert.deepEqual(names, ["Pricing demo", "Pricing demo"]);
  });

  test("it opens on a state that has some, and warns of webhooks of its own selection alone", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await cancelled(accountId, ["/cancelled"], 2);
    const pausedId = await putAlert(stage.dashboard, accountId, { name: "Paused", url: `${receiver.url}/paused` });
    const pause = { accountId, destinationId: pausedId, by: ADA, reason: "", state: "paused" } as const;
    toValue(await setDestinationState(stage.dashboard.app.accounts, pause));
    await page.goto(`${stage.dashboard.url}/deliveries?replay=1`);
    const dialog = page.getByRole("dialog", { name: "Send again" });
    await dialog.getByRole("checkbox", { name: "Cancelled · 2", checked: true }).waitFor();
    await dialog.getByRole("checkbox", { name: "Failed · 0", checked: false }).waitFor();
    await dialog.getByText(/^2 deliveries match/).waitFor();
    await assertSound(page);
    assert.equal(await dialog.getByText("Paused is paused").count(), 0, "none of these goes there");
    await stage.dashboard.postSession(9, {}, accountId);
    await page.reload();
    await dialog.getByRole("checkbox", { name: "Waiting and retrying · 1", checked: true }).waitFor();
    await dialog.getByText("Paused is paused").waitFor();
    await dialog.getByRole("checkbox", { name: /^Cancelled/ }).check();
    await dialog.getByRole("checkbox", { name: /^Waiting/ }).uncheck();
    await dialog.getByText("Paused is paused").waitFor({ state: "detached" });
  });

  test("nothing that matches is said, and nothing is made of it", async () => {
    await using visit = await stage.open("/deliveries?q=dlv_none&status=failed", { scheme: "dark", width: 320 });
    const { page, accountId } = visit;
    await page.getByRole("button", { name: "Send again and export" }).click();
    await page.getByRole("menuitem", { name: "Send again…" }).click();
    await page.getByText("Found by “dlv_none”").waitFor();
    await page.getByText("Nothing matches.").waitFor();
    await assertSound(page);
    const send = page.getByRole("button", { name: "Send", exact: true });
    assert.equal(await send.getAttribute("aria-disabled"), "true");
    assert.deepEqual(await stage.dashboard.app.accounts.store.listReplays({ accountId }), []);
  });

  test("a destination that is turned on again offers to send again what failed", async () => {
    receiver.script = ({ path }) => ({ status: path === "/gone" ? 410 : 200 });
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/gone` });
    await stage.dashboard.postSessions(1, accountId);
    await receivedAt("/gone", 1);
    receiver.script = () => ({});
    await page.goto(stage.dashboard.url);
    await page.getByRole("button", { name: "Turn on…" }).click();
    await page.getByRole("radio", { name: "Cancel them" }).check();
    await page.getByRole("button", { name: "Send test and turn on" }).click();
    await page.getByRole("button", { name: "Send again what failed…" }).click();
    const dialog = page.getByRole("dialog", { name: "Send again" });
    await dialog.getByRole("button", { name: "Send 1", exact: true }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
    // The first attempt, the test, and what was sent again.
    await receivedAt("/gone", 3);
  });
});
