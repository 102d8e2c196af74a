/** From a mended receiver to everything delivered, by one click: the owner's words for each way there. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { findRequests } from "../../test/kit/browser/log-page.ts";
import { type SignedIn, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { putAlert } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver();

const SESSIONS = 10;

/** An account whose webhook at `path` has failed eight times and rests; the receiver is mended afterwards. */
async function openOutage(path: string, place: (destinationId: string) => string): Promise<SignedIn> {
  receiver.script = ({ path: asked }) => ({ status: asked === path ? 503 : 200 });
  const accountId = `outage${path.replaceAll("/", "-")}`;
  await stage.dashboard.putAccount(accountId);
  const destinationId = await putAlert(stage.dashboard, accountId, { url: `${receiver.url}${path}` });
  const before = receiver.requests.length;
  for (let number = 1; number <= SESSIONS; number += 1) await stage.dashboard.postSession(number, {}, accountId);
  await receiver.received(before + 8);
  return await stage.open(place(destinationId), { accountId, width: 1400 });
}

const mend = (): void => {
  receiver.script = () => ({});
};

/**
 * Mends the receiver between the owner's press and what it does. A moment earlier, the breaker's own next try could
 * find it mended and send everything before the press.
 */
async function mendAtPress({ page }: SignedIn, asks: RegExp): Promise<void> {
  await page.route(asks, async (route) => {
    mend();
    await route.continue();
  });
}

const SEND_WAITING = /\/send-waiting$/;

describe("catching up", () => {
  test("the banner says what waits, leads to just these, and sends them all by one click", async () => {
    await using visit = await openOutage("/banner", () => "/");
    const { page } = visit;
    await page
      .getByText(/10 deliveries wait/)
      .first()
      .waitFor();
    const href = await page.getByRole("link", { name: "View what waits" }).getAttribute("href");
    assert.match(href ?? "", /status=waiting,retrying$/);
    await page.getByRole("link", { name: "View what waits" }).click();
    await page
      .getByRole("table")
      .getByRole("link", { name: /Demo viewed/ })
      .nth(SESSIONS - 1)
      .waitFor();
    assert.equal(
      await page
        .getByRole("table")
        .getByRole("link", { name: /Demo viewed/ })
        .count(),
      SESSIONS,
    );
    await page.goBack();
    await assertSound(page);
    await mendAtPress(visit, SEND_WAITING);
    await page.getByRole("button", { name: "Send now (10)" }).click();
    await page.getByText("All 10 were sent.").first().waitFor();
    const ids = findRequests(receiver, "/banner").map(({ headers }) => headers["webhook-id"]);
    assert.equal(new Set(ids).size, SESSIONS);
    await page.getByText("Healthy").first().waitFor();
  });

  test("pressed too early it says what came back, and one request was spent", async () => {
    await using visit = await openOutage("/early", () => "/");
    const { page } = visit;
    const button = page.getByRole("button", { name: "Send now (10)" });
    await button.waitFor();
    const before = findRequests(receiver, "/early").length;
    await button.click();
    await page.getByText("It failed again: 503. 10 still wait.").first().waitFor();
    assert.equal(findRequests(receiver, "/early").length, before + 1);
    await assertSound(page);
  });

  test("one delivery is tried now while it retries, and its success lets the others go", async () => {
    await using visit = await openOutage("/one", (id) => `/deliveries?destination=${id}&status=retrying`);
    const { page } = visit;
    await page
      .getByRole("table")
      .getByRole("link", { name: /Demo viewed/ })
      .first()
      .click();
    const tryNow = page.getByRole("button", { name: "Send now", exact: true });
    await tryNow.waitFor();
    await assertSound(page);
    await mendAtPress(visit, /\/resend$/);
    await tryNow.press("Enter");
    await page.getByText("Attempt 2", { exact: true }).waitFor();
    // What was promised is there, and the toast gone long before its eight seconds.
    await page.getByText("On its way").first().waitFor({ state: "detached", timeout: 4_000 });
    await page.getByRole("button", { name: "Send again", exact: true }).waitFor();
    const sent = findRequests(receiver, "/one").map(({ headers }) => headers["webhook-id"]);
    assert.ok(new Set(sent).size < sent.length, "the same webhook-id again");
  });

  test("after a test that succeeds, what waits goes by one click beside its result", async () => {
    await using visit = await openOutage("/tested", () => "/settings/alerts");
    const { page } = visit;
    await page.getByRole("table").getByRole("link").first().click();
    await page.getByRole("link", { name: "Edit" }).first().click();
    receiver.script = ({ headers }) => ({ status: headers["bellwire-test"] === undefined ? 503 : 200 });
    await mendAtPress(visit, SEND_WAITING);
    await page.getByRole("button", { name: "Test webhook" }).click();
    // One stands in the banner, one below the result.
    const sends = page.getByRole("button", { name: "Send now (10)" });
    await sends.nth(1).click();
    await page.getByText("All 10 were sent.").first().waitFor();
    const toast = await page.getByRole("button", { name: "Dismiss" }).boundingBox();
    const save = await page.getByRole("button", { name: "Save", exact: true }).boundingBox();
    assert.ok(toast !== null && save !== null);
    const isApart = toast.y + toast.height < save.y || save.y + save.height < toast.y;
    assert.ok(isApart, "Save is not covered");
  });

  test("a new URL sends the backlog when it is saved, and is not blamed for the old one", async () => {
    await using visit = await openOutage("/old", () => "/settings/alerts");
    const { page } = visit;
    await page.getByRole("table").getByRole("link").first().click();
    await page.getByRole("link", { name: "Edit" }).first().click();
    await page.getByText(/have failed since/).waitFor();
    const before = receiver.requests.length;
    await page.getByRole("textbox", { name: "Webhook URL" }).fill(`${receiver.url}/new`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/have failed since/).waitFor({ state: "detached" });
    await receiver.received(before + SESSIONS);
    await page.getByText("Healthy").first().waitFor();
    const ids = findRequests(receiver, "/new").map(({ headers }) => headers["webhook-id"]);
    assert.equal(new Set(ids).size, SESSIONS);
  });

  test("on other pages one slim line names the alert and its host, folds, and stays folded", async () => {
    await using visit = await openOutage("/slim", () => "/deliveries");
    const { page } = visit;
    const line = page.getByRole("region", { name: "Webhooks that need attention" });
    await line.getByText(/New leads is failing \(127\.0\.0\.1:\d+\)/).waitFor();
    await line.getByText(/Last answer: 503\. 10 deliveries wait, the next attempt is/).waitFor();
    await assertSound(page);
    await line.getByRole("button", { name: "Fold" }).press("Enter");
    await line.getByText(/Last answer/).waitFor({ state: "detached" });
    await page.reload();
    await line.getByText(/is failing/).waitFor();
    assert.equal(await line.getByText(/Last answer/).count(), 0);
    await page.setViewportSize({ width: 1400, height: 900 });
    await line.getByRole("button", { name: "Say more" }).click();
    await line.getByText(/Last answer/).waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    await line.getByText(/Last answer/).waitFor({ state: "detached" });
    await line.getByText("is failing", { exact: true }).waitFor();
    assert.ok(((await line.boundingBox())?.height ?? 999) < 56, "a phone shows one line of it");
    await assertSound(page);
    await line.getByRole("button", { name: "Say more" }).click();
    await line.getByText(/Last answer/).waitFor();
    await assertSound(page);
    await mendAtPress(visit, SEND_WAITING);
    await line.getByRole("button", { name: "Send now (10)" }).click();
    await page.getByText("All 10 were sent.").first().waitFor();
    await line.waitFor({ state: "detached" });
  });
});
