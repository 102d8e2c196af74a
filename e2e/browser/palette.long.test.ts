/** The palette, which finds anything from anywhere, and views of the log under a name. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { deliveryRows, filterBy, untilRows } from "../../test/kit/browser/log-page.ts";
import { REFUSED, assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { indexAll, putAlert, untilInLog } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver();

/** Two alerts of one name, and a session that went to both. */
async function open(path: string, options: Parameters<typeof stage.open>[1] = {}) {
  const visit = await stage.open("/settings/account", options);
  const { accountId, page } = visit;
  for (const place of ["one", "other"]) {
    await putAlert(stage.dashboard, accountId, { name: "To the CRM", url: `${receiver.url}/${place}` });
  }
  await stage.dashboard.postSession(1, {}, accountId);
  await untilInLog(stage.dashboard, accountId, { status: "delivered", count: 2 });
  await indexAll(stage.dashboard);
  await page.goto(`${stage.dashboard.url}${path}`);
  return visit;
}

const boxOf = (page: Page) => page.getByRole("combobox", { name: "Page, webhook, person or id" });

/** An address with this behind `#`, and nothing of it before. */
const isSearchFor = (text: string) => (url: URL) =>
  url.search === "" && new URLSearchParams(url.hash.slice(1)).get("q") === text;

/** Code that is behind the first load never comes, until the returned function lets it. */
async function holdCode(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(/assets\/(?!main-|list-)[^/]*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}

describe("a key that opens something is the first key of it", () => {
  const TYPED = "jjjxkjx?/ada lovelace at example.com jxk";

  for (const pauseMs of [0, 50, 150]) {
    test(`before the palette’s list has come, ${pauseMs} ms after it: none is lost, none acts behind it`, async () => {
      await using visit = await open("/deliveries");
      const { page } = visit;
      await untilRows(page, 2);
      const release = await holdCode(page);
      await page.goto(`${stage.dashboard.url}/deliveries`);
      await untilRows(page, 2);
      await page.keyboard.press("Control+k");
      // What somebody's fingers do, and nothing that a test may wait for instead.
      await page.waitForTimeout(pauseMs);
      await page.keyboard.type(TYPED);
      assert.equal(await boxOf(page).inputValue(), TYPED);
      await page.keyboard.press("Enter");
      assert.equal(await deliveryRows(page).getByRole("checkbox", { checked: true }).count(), 0);
      assert.equal(new URL(page.url()).hash, "");
      release();
      await page.waitForURL(isSearchFor(TYPED));
      assert.equal(await boxOf(page).count(), 0);
    });
  }

  test("what a question mark opens takes the keys before it has come, and Escape closes it", async () => {
    await using visit = await open("/deliveries");
    const { page } = visit;
    const release = await holdCode(page);
    await page.goto(`${stage.dashboard.url}/deliveries`);
    await untilRows(page, 2);
    await page.keyboard.type("?jx");
    const skeleton = page.getByRole("dialog", { name: "One moment…" });
    await skeleton.waitFor();
    await page.keyboard.press("Escape");
    await skeleton.waitFor({ state: "detached" });
    assert.equal(await deliveryRows(page).getByRole("checkbox", { checked: true }).count(), 0);
    await page.keyboard.type("?jx");
    release();
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 1);
    await page.keyboard.press("Escape");
    assert.equal(await deliveryRows(page).getByRole("checkbox", { checked: true }).count(), 0);
  });
});

describe("the palette", () => {
  test("it begins what can be begun, for owners", async () => {
    for (const role of ["owner", "viewer"] as const) {
      await using visit = await open("/", { role });
      const { page } = visit;
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.keyboard.type("/new alert");
      await page.getByRole("option", { name: "Deliveries with “new alert”" }).waitFor();
      assert.equal(await page.getByRole("option", { name: "New alert Action" }).count(), role === "owner" ? 1 : 0);
    }
  });

  test("a slash opens it where a page has no search, and its keys lead to what was typed", async () => {
    await using visit = await open("/");
    const { page } = visit;
    const box = boxOf(page);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("/");
    await assertFocused(box);
    await page.getByRole("option", { name: "Verification" }).waitFor();
    await box.fill("crm other");
    const option = page.getByRole("option", { selected: true });
    await option.filter({ hasText: "/other" }).waitFor();
    await assertSound(page);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "To the CRM" }).waitFor();
    assert.equal(await box.count(), 0);

    // Which one it is was on its way still, and Enter was early.
    const held = Promise.withResolvers<void>();
    await page.route(/\/dashboard\/(?:alerts|destinations)$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${stage.dashboard.url}/settings/account`);
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await page.keyboard.press("/");
    await box.fill("pause crm other");
    await page.getByRole("option", { name: "Deliveries with “pause crm other”" }).waitFor();
    await page.keyboard.press("Enter");
    held.resolve();
    const question = page.getByRole("alertdialog", { name: "Pause the webhook of “To the CRM”?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).search, "");

    // From within a field, where a slash is a slash.
    await page.getByLabel("Find an event").focus();
    await page.keyboard.press("Control+k");
    await box.fill("ada@example.com");
    await page.getByRole("option", { name: /Ada Lovelace Session/ }).waitFor();
    await page.keyboard.press("ArrowUp");
    await option.filter({ hasText: "Sessions with “ada@example.com”" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(isSearchFor("ada@example.com"));
    assert.equal(await page.getByLabel("Search sessions").inputValue(), "ada@example.com");
  });

  test("an Enter does not wait for a list that hangs", async () => {
    await using visit = await open("/healthz");
    const { page } = visit;
    await page.route(/\/dashboard\/alerts$/, () => {});
    await page.goto(`${stage.dashboard.url}/settings/account`);
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("nothing of all");
    await page.keyboard.press("Enter");
    await page.waitForURL(isSearchFor("nothing of all"));
  });

  test("a delivery’s id leads to its page, on a phone and in the dark", async () => {
    await using visit = await open("/deliveries", { width: 320, scheme: "dark" });
    const { page } = visit;
    await untilRows(page, 2);
    const href = await deliveryRows(page).first().locator("a[data-row]").getAttribute("href");
    const id = href?.split("/").at(-1) ?? "";
    await page.goto(`${stage.dashboard.url}/settings/verification`);
    await page.getByRole("button", { name: "Find anything" }).click();
    await page.getByRole("combobox").fill(id);
    await assertSound(page);
    await page.getByRole("option", { name: id, exact: false }).first().click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    assert.ok(page.url().includes(id));
  });
});

test("filters are saved under a name for everybody, applied, named again and deleted", async () => {
  await using visit = await open("/deliveries");
  const { page, accountId } = visit;
  await filterBy(page, "Status", "Delivered");
  await page.getByRole("button", { name: "View", exact: true }).click();
  const views = page.getByRole("dialog", { name: "View" });
  await views.getByLabel("Name of this view").fill("What arrived");
  await views.getByRole("button", { name: "Save view" }).click();
  await page.getByText("View: What arrived").waitFor();
  await assertSound(page);
  await assertViewerUses(accountId);
  await page.goto(`${stage.dashboard.url}/deliveries`);
  await untilRows(page, 2);
  await filterBy(page, "View", "What arrived");
  await page.waitForURL((url) => url.search === "?status=delivered");
  await page.getByRole("button", { name: "View: What arrived", exact: true }).click();
  await views.getByLabel("Name of this view").fill("Arrived");
  await views.getByRole("button", { name: "Rename view" }).click();
  await page.getByText("View: Arrived").waitFor();
  await views.getByRole("button", { name: "Delete the view Arrived" }).click();
  const question = page.getByRole("alertdialog", { name: "Delete the view “Arrived”?" });
  await question.getByText(/everybody’s menu/).waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await assertFocused(page.getByRole("button", { name: "View: Arrived", exact: true }));
  assert.equal((await stage.dashboard.app.store.listViews({ accountId })).length, 1);
  await page.keyboard.press("Enter");
  await views.getByRole("button", { name: "Delete the view Arrived" }).click();
  await question.getByRole("button", { name: "Delete view" }).click();
  await page.getByRole("button", { name: "View", exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, "?status=delivered", "the address stays as it is");
});

for (const look of [{ width: 1440 }, { width: 390, scheme: "dark" }, { width: 320 }] as const) {
  test(`names of views that are long, or written from the right, have room at ${look.width} px`, async () => {
    await using visit = await open("/healthz", look);
    const { page, accountId } = visit;
    const { store } = stage.dashboard.app;
    const names = [
      "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunte",
      "כשלים של CRM (503) אתמול",
      "<b>x</b>",
    ];
    for (const [place, name] of names.entries()) {
      await store.putView({ accountId, name, search: `status=failed&response=50${place}`, viewsMax: 9 });
    }
    await page.goto(`${stage.dashboard.url}/deliveries?status=failed&response=500`);
    await page.getByText(`View: ${names[0]}`).waitFor();
    const filters = page.getByRole("button", { name: "Filters", exact: true });
    if (await filters.isVisible()) await filters.click();
    await page.getByRole("button", { name: /^View/ }).click();
    const views = page.getByRole("dialog", { name: "View" });
    for (const name of names) await views.getByRole("button", { name: `Delete the view ${name}` }).waitFor();
    await assertSound(page);
    const direction = `getComputedStyle(document.querySelector("[title^='כשלים']").firstChild).direction`;
    assert.equal(await page.evaluate(direction), "rtl");
  });
}

test("a view that cannot be deleted stays, and only the question says why", async () => {
  await using visit = await open("/deliveries?status=delivered", { expected: REFUSED });
  const { page, accountId } = visit;
  await stage.dashboard.app.store.putView({ accountId, name: "Arrived", search: "status=delivered", viewsMax: 9 });
  await page.reload();
  const menu = page.getByRole("button", { name: "View: Arrived", exact: true });
  await menu.click();
  const json = { type: "about:blank", title: "Refused", status: 403, code: "forbidden", detail: "Not now." };
  await page.route(/\/dashboard\/views$/, (route) => route.fulfill({ status: 403, json }));
  const views = page.getByRole("dialog", { name: "View" });
  await views.getByRole("button", { name: "Delete the view Arrived" }).click();
  const question = page.getByRole("alertdialog", { name: "Delete the view “Arrived”?" });
  await question.getByRole("button", { name: "Delete view" }).click();
  await question.getByText("Not now.").waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await menu.click();
  await views.getByRole("button", { name: "Delete the view Arrived" }).waitFor();
  assert.equal(await page.getByText("Not now.").count(), 0);
});

test("a view that a colleague deletes leaves an open menu, and its filters stay", async () => {
  await using ana = await open("/deliveries?status=delivered");
  const { page, accountId } = ana;
  await stage.dashboard.app.store.putView({ accountId, name: "Arrived", search: "status=delivered", viewsMax: 9 });
  await page.reload();
  await page.getByText("View: Arrived").waitFor();
  await page.getByText("Live", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "View: Arrived", exact: true }).click();
  await using bo = await stage.open("/deliveries?status=delivered", { accountId, person: "bo@x.example" });
  await bo.page.getByRole("button", { name: "View: Arrived", exact: true }).click();
  await bo.page.getByRole("button", { name: "Delete the view Arrived" }).click();
  await bo.page.getByRole("button", { name: "Delete view" }).click();
  const views = page.getByRole("dialog", { name: "View" });
  await views.getByRole("button", { name: "Arrived", exact: true }).waitFor({ state: "detached" });
  await untilRows(page, 2);
  assert.equal(new URL(page.url()).search, "?status=delivered");
});

/** A colleague who may look has it too, beside three that are there from the start; what they save is theirs alone. */
async function assertViewerUses(accountId: string): Promise<void> {
  await using viewer = await stage.open("/deliveries", {
    accountId,
    role: "viewer",
    person: "bo@x.example",
    width: 390,
  });
  const { page } = viewer;
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.getByRole("button", { name: "View", exact: true }).click();
  const views = page.getByRole("dialog", { name: "View" });
  await views.getByRole("button", { name: "What arrived" }).waitFor();
  await assertSound(page);
  assert.deepEqual(await views.getByRole("button").allTextContents(), [
    "Failed",
    "Waiting and retrying",
    "Refused by the endpoint",
    "What arrived",
  ]);
  await views.getByRole("button", { name: "Failed", exact: true }).click();
  await page.waitForURL((url) => url.search === "?status=failed");
  await page.goto(`${stage.dashboard.url}/deliveries?status=retrying`);
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.getByRole("button", { name: "View", exact: true }).click();
  await views.getByText("Kept in this browser.").waitFor();
  await views.getByLabel("Name of this view").fill("Retrying");
  await views.getByRole("button", { name: "Save view" }).click();
  await views.getByRole("button", { name: "Delete the view Retrying" }).waitFor();
  const shared = await stage.dashboard.app.store.listViews({ accountId });
  assert.deepEqual(shared, [{ name: "What arrived", search: "status=delivered" }]);
}
