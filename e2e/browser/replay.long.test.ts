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
  await page.getByRole("button", { name: "Replay…" }).click();
  const dialog = page.getByRole("dialog", { name: "Replay deliveries" });
  assert.equal(await dialog.getByRole("checkbox", { name: "Cancelled" }).isChecked(), true);
  assert.equal(await dialog.getByRole("checkbox", { name: "Failed" }).isChecked(), false);
  await dialog.getByLabel("Deliveries a second").fill("1000");
  await assertSound(page);
  await dialog.getByRole("button", { name: "Count deliveries" }).click();
}

describe("Replay", () => {
  test("what is counted is what is sent; other destinations and accounts get nothing", async () => {
    await using other = await stage.open("/deliveries");
    await cancelled(other.accountId, ["/other-account"], 3);
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    const [wanted = ""] = await cancelled(accountId, ["/wanted", "/unwanted"], 7);

    await prepare(visit, wanted);
    await page.getByRole("heading", { name: "Send 7 deliveries again?" }).waitFor();
    await page.getByText("Not confirmed").waitFor();
    await assertSound(page);
    await page.reload();
    await page.getByRole("heading", { name: "Send 7 deliveries again?" }).waitFor();
    assert.equal(findRequests(receiver, "/wanted").length, 0, "nothing is sent before it is confirmed");

    await page.getByRole("button", { name: "Replay 7" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
    await page.getByText("7 of 7").waitFor();
    await receivedAt("/wanted", 7);
    assert.equal(new Set(findRequests(receiver, "/wanted").map(({ headers }) => headers["webhook-id"])).size, 7);
    assert.equal(findRequests(receiver, "/unwanted").length + findRequests(receiver, "/other-account").length, 0);
    await assertSound(page);

    await page.getByRole("link", { name: "Deliveries", exact: true }).last().click();
    await page.getByRole("button", { name: "Recent replays" }).click();
    await page.getByRole("link", { name: "7 deliveries to wanted" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
  });

  test("above a thousand the number is typed; it is paused, survives reload, goes on and is cancelled", async () => {
    await using visit = await stage.open("/deliveries");
    const { page, accountId } = visit;
    const [destinationId] = await cancelled(accountId, ["/many"], 1_001);
    await page.goto(`${stage.dashboard.url}/deliveries?status=cancelled&destination=${destinationId}&replay=1`);
    const dialog = page.getByRole("dialog", { name: "Replay deliveries" });
    await dialog.getByLabel("Deliveries a second").fill("20000");
    await dialog.getByRole("button", { name: "Count deliveries" }).click();
    await dialog.getByText("Enter a number from 1 to 1,000.").waitFor();
    await dialog.getByLabel("Deliveries a second").fill("20");
    await dialog.getByRole("button", { name: "Count deliveries" }).click();
    await page.getByRole("heading", { name: "Send 1,001 deliveries again?" }).waitFor();
    await page.getByRole("button", { name: "Replay 1,001" }).click();
    await page.getByText("Type the number 1,001.").waitFor();
    assert.equal(findRequests(receiver, "/many").length, 0);
    await page.getByLabel("Type 1,001 to confirm").fill("1001");
    await page.getByRole("button", { name: "Replay 1,001" }).click();

    await receivedAt("/many", 1);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused by ana@example.com").waitFor();
    await page.reload();
    await page.getByText("Paused by ana@example.com").waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText(/Running: \d+ deliveries left/).waitFor();
    await page.getByRole("button", { name: "Cancel replay" }).click();
    const question = page.getByRole("alertdialog", { name: "Cancel this replay?" });
    await assertSound(page);
    await question.getByRole("button", { name: "Cancel replay" }).click();
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
    await page.getByRole("button", { name: "Replay…" }).click();
    const dialog = page.getByRole("dialog", { name: "Replay deliveries" });
    await dialog.getByText("“pricing”").waitFor();
    assert.equal(await dialog.getByText("A replay is wider than this list").count(), 0);
    await assertSound(page);
    await dialog.getByRole("button", { name: "Count deliveries" }).click();
    await page.getByRole("heading", { name: "Send 2 deliveries again?" }).waitFor();
    await page.getByText("“pricing”").waitFor();
    await page.getByRole("button", { name: "Replay 2" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
    await receivedAt("/searched", 2);
    await page.getByRole("link", { name: "View its deliveries" }).click();
    await page.getByText("2 deliveries").waitFor();
    const names = findRequests(receiver, "/searched").map(
      ({ body }) => (JSON.parse(body.toString()) as { name: string }).name,
    );
    assert.deepEqual(names, ["Pricing demo", "Pricing demo"]);
  });

  test("nothing that matches is said, and nothing is sent", async () => {
    await using visit = await stage.open("/deliveries?q=dlv_none&status=failed", { scheme: "dark", width: 320 });
    const { page } = visit;
    await page.getByRole("button", { name: "Replay and export" }).click();
    await page.getByRole("menuitem", { name: "Replay…" }).click();
    await page.getByText("“dlv_none”").waitFor();
    await assertSound(page);
    await page.getByRole("button", { name: "Count deliveries" }).click();
    await page.getByText("Nothing matched, so nothing was sent.").waitFor();
    await assertSound(page);
  });

  test("a destination that is turned on again offers to replay what failed", async () => {
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
    await page.getByRole("button", { name: "Replay what failed…" }).click();
    const dialog = page.getByRole("dialog", { name: "Replay deliveries" });
    await dialog.getByRole("button", { name: "Count deliveries" }).click();
    await page.getByRole("button", { name: "Replay 1" }).click();
    await page.getByText("Finished. Each has been queued to be sent again.").waitFor();
    // The first attempt, the test, and what was replayed.
    await receivedAt("/gone", 3);
  });
});
