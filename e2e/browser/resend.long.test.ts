import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setDestinationState } from "../../src/accounts/set-destination-state.ts";
import { ADA, toValue } from "../../test/kit/world/world.ts";
import { assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { TWO_ATTEMPTS, putAlert } from "../../test/kit/browser/webhooks.ts";
import { findRequests } from "../../test/kit/browser/log-page.ts";

const { stage, receiver } = await setStageWithReceiver({ changes: { schedule: TWO_ATTEMPTS } });

/** An account with one session that was sent to the path, its delivery open. */
async function openSent(path: string): Promise<SignedIn & { readonly destinationId: string }> {
  const visit = await stage.open("/deliveries", { width: 1400 });
  const destinationId = await putAlert(stage.dashboard, visit.accountId, { url: `${receiver.url}${path}` });
  await stage.dashboard.postSession(1, {}, visit.accountId);
  await visit.page
    .getByRole("table")
    .getByRole("link", { name: /Demo viewed/ })
    .click();
  return { ...visit, destinationId };
}

describe("Send again", () => {
  test("a failed delivery is sent again at once, with the same id and body, and the page says by whom", async () => {
    receiver.script = ({ number }) => ({ status: number <= 2 ? 503 : 200 });
    await using visit = await openSent("/failed");
    const { page } = visit;
    await page.getByText("All 2 attempts are used up.").waitFor();
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page.getByText("Sent again by ana@example.com. Your endpoint accepted it on the first attempt").waitFor();
    await page.getByText("Attempt 3", { exact: true }).waitFor();
    const sent = findRequests(receiver, "/failed");
    assert.equal(sent.length, 3);
    assert.equal(new Set(sent.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.equal(new Set(sent.map(({ body }) => body.toString("latin1"))).size, 1);
    await page.getByRole("table").getByText("Delivered", { exact: true }).waitFor();
    await assertSound(page);
  });

  test("a delivered one asks first: Cancel has the focus and sends nothing", async () => {
    receiver.script = () => ({});
    await using visit = await openSent("/delivered");
    const { page } = visit;
    await page.getByText("Your endpoint accepted it on the first attempt").waitFor();
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    const dialog = page.getByRole("alertdialog", { name: "Send again?" });
    await assertFocused(dialog.getByRole("button", { name: "Cancel" }));
    await assertSound(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await assertFocused(page.getByRole("button", { name: "Send again", exact: true }));
    assert.equal(findRequests(receiver, "/delivered").length, 1);
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await dialog.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Attempt 2", { exact: true }).waitFor();
    assert.equal(findRequests(receiver, "/delivered").length, 2);
  });

  test("what waits for a paused webhook cannot be tried now, and says why to keyboards too", async () => {
    receiver.script = () => ({});
    await using visit = await openSent("/paused");
    const { page, accountId, destinationId } = visit;
    await page.getByText("Your endpoint accepted it on the first attempt").waitFor();
    const decision = { accountId, destinationId, state: "paused", by: ADA, reason: "" } as const;
    toValue(await setDestinationState(stage.dashboard.app.accounts, decision));
    await page.reload();
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Send again" }).click();
    await page.getByText("It goes out when New leads is turned on again.").first().waitFor();
    await page.getByText("It waits while New leads is paused").waitFor();
    const tryNow = page.getByRole("button", { name: "Send now", exact: true });
    assert.equal(await tryNow.getAttribute("aria-disabled"), "true");
    // The button that was pressed is this one, and still has the focus.
    await assertFocused(tryNow);
    await tryNow.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await page.getByRole("tooltip", { name: "Its webhook is paused. Turn it on: what waits goes out then." }).waitFor();
  });
});
