/**
 * A part of the database that is away, seen by the owner of an account in it: plain words, nothing lost, and the page
 * comes back by itself. The verbs fail here as the store's own do when they cannot reach it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { untilRows } from "../../test/kit/browser/log-page.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { putAlert } from "../../test/kit/browser/webhooks.ts";
import { type Store, StoreUnavailable } from "../../src/store/contract/store.ts";

const { stage, receiver } = await setStageWithReceiver();

const EXPECTED = [/status of 503/];
const AWAY = "Your account’s data can’t be reached right now";

type Verb = "listDeliveries" | "loadSession" | "saveAlert";

/** Calls of these verbs fail until what is returned is called. */
function takeAway(verbs: readonly Verb[]): () => void {
  const store: Store = stage.dashboard.app.store;
  const kept = verbs.map((verb) => [verb, store[verb]] as const);
  const fail = async (): Promise<never> => {
    throw new StoreUnavailable("a worker of the database cannot be reached");
  };
  Object.assign(store, Object.fromEntries(verbs.map((verb) => [verb, fail])));
  return () => void Object.assign(store, Object.fromEntries(kept));
}

for (const look of [{}, { width: 320, scheme: "dark" }] as const) {
  test(`a list says that nothing is lost, and comes back without a press (${look.width ?? 1280} px)`, async () => {
    await using visit = await stage.open("/settings/account", { expected: EXPECTED, ...look });
    const { page, accountId } = visit;
    await putAlert(stage.dashboard, accountId, { url: `${receiver.url}/away` });
    await stage.dashboard.postSessions(2, accountId);
    const giveBack = takeAway(["listDeliveries"]);
    try {
      await page.goto(`${stage.dashboard.url}/deliveries`);
      await page.getByRole("heading", { name: AWAY }).waitFor();
      await page.getByText("Nothing is lost: webhooks are kept, and go out once it is back.").waitFor();
      await assertSound(page);
    } finally {
      giveBack();
    }
    await untilRows(page, 2);
  });
}

test("a page that is opened while the session cannot be read says so too, and comes back", async () => {
  await using visit = await stage.open("/settings/alerts", { expected: EXPECTED });
  const { page } = visit;
  await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
  const giveBack = takeAway(["loadSession"]);
  try {
    await page.reload();
    await page.getByRole("heading", { name: AWAY }).waitFor();
    await assertSound(page);
  } finally {
    giveBack();
  }
  await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
});

test("what is typed stays when it cannot be saved, and goes with the next press", async () => {
  await using visit = await stage.open("/settings/alerts/new", { expected: EXPECTED });
  const { page } = visit;
  await page.getByLabel("Webhook URL").fill(`${receiver.url}/crm`);
  await page.getByLabel("Name", { exact: true }).fill("To the CRM");
  const giveBack = takeAway(["saveAlert"]);
  try {
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("so nothing was changed or sent. Try again in a moment.").first().waitFor();
    await assertSound(page);
  } finally {
    giveBack();
  }
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "To the CRM");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/\/settings\/alerts\/alr_/);
});
