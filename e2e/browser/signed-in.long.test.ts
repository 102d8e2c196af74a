import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { REFUSED, assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage, pressSignIn } from "../../test/kit/browser/stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage();
});
after(() => stage[Symbol.asyncDispose]());

const ACCOUNT = "/settings/account";
const BO = "bo@example.com";

const list = (page: Page) => page.getByRole("region", { name: "Who is signed in, newest first" });
const findRow = (page: Page, person: string) => list(page).getByRole("row", { name: person });
const signOut = (page: Page, person: string) => page.getByRole("button", { name: `Sign out ${person}` });
const signedOut = (page: Page) => page.getByRole("alert").getByText("You are signed out");

describe("Who is signed in", () => {
  test("an owner sees each browser, and which is their own", async () => {
    await using ana = await stage.open(ACCOUNT);
    const { page, accountId } = ana;
    await findRow(page, "ana@example.com").getByText("This is you").waitFor();
    assert.equal(await page.getByRole("button", { name: "Sign out all others" }).count(), 0);
    await using bo = await stage.open("/", { accountId, person: BO, role: "viewer" });
    // By itself: signing in is news to open pages.
    await findRow(page, BO).getByText("Viewer").waitFor();
    await bo.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.equal(await signOut(page, "ana@example.com").count(), 0);
    await assertSound(page);
  });

  test("one is signed out by keyboard alone, after a question, and the page that is open there says so", async () => {
    await using ana = await stage.open(ACCOUNT);
    const { page, accountId } = ana;
    await using bo = await stage.open("/deliveries", { accountId, person: BO, expected: REFUSED });
    await bo.page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    await signOut(page, BO).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("alertdialog", { name: `Sign out “${BO}”?` });
    await assertFocused(dialog.getByRole("button", { name: "Cancel" }));
    await assertSound(page);
    await page.keyboard.press("Escape");
    await assertFocused(signOut(page, BO));
    assert.equal(await signedOut(bo.page).count(), 0);
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await signedOut(bo.page).waitFor();
    await findRow(page, BO).waitFor({ state: "detached" });
    await assertFocused(list(page));
    // The next act in the other browser leads to the sign-in page.
    await bo.page.goto(`${stage.dashboard.url}/settings/verification`);
    await bo.page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    await page.goto(`${stage.dashboard.url}/settings/activity`);
    await page.getByRole("row", { name: /Signed a person out/ }).waitFor();
  });

  test("signing out all others leaves the one that asks", async () => {
    await using ana = await stage.open(ACCOUNT);
    const { page, accountId } = ana;
    await using bo = await stage.open("/", { accountId, person: BO, expected: REFUSED });
    await using own = await stage.open("/", { accountId, expected: REFUSED });
    await page.getByRole("button", { name: "Sign out all others" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Sign out all others?" });
    await dialog.getByRole("button", { name: "Sign out all others" }).click();
    await signedOut(bo.page).waitFor();
    await signedOut(own.page).waitFor();
    await findRow(page, BO).waitFor({ state: "detached" });
    await findRow(page, "ana@example.com").getByText("This is you").waitFor();
    assert.equal(await signedOut(page).count(), 0);
    await assertFocused(list(page));
  });

  test("one who signs out meanwhile is no harm: the page says so", async () => {
    await using ana = await stage.open(ACCOUNT, { expected: REFUSED });
    const { page, accountId } = ana;
    await using bo = await stage.open(ACCOUNT, { accountId, person: BO, expected: REFUSED });
    await signOut(page, BO).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.waitFor();
    await bo.page.getByRole("button", { name: "Sign out", exact: true }).click();
    await bo.page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    await dialog.getByRole("button", { name: "Sign out" }).click();
    await dialog.getByText("not signed in there any more").waitFor();
    // By itself: signing out is news to open pages, too.
    await findRow(page, BO).waitFor({ state: "detached" });
  });

  test("a viewer does not see it", async () => {
    await using visit = await stage.open(ACCOUNT, { role: "viewer" });
    await visit.page.getByRole("heading", { name: "Appearance" }).waitFor();
    assert.equal(await visit.page.getByText("Who is signed in").count(), 0);
  });

  test("a viewer's link in an owner's browser ends what the owner had there, in each tab", async () => {
    await using visit = await stage.open("/settings/verification", { expected: REFUSED });
    const { page, accountId } = visit;
    const [cookie] = await page.context().cookies();
    const link = await stage.dashboard.signInLink({ accountId, person: "vic@example.com", role: "viewer" });
    const tab = await page.context().newPage();
    await tab.goto(link);
    await pressSignIn(tab);
    await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}` };
    assert.equal((await fetch(`${stage.dashboard.url}/dashboard/session`, { headers })).status, 401);
    await page.getByText("Viewer: may look, not change").first().waitFor();
  });
});

/** Whether an empty box has room for its hint. */
const IS_HINT_WHOLE = `(() => {
  const input = document.querySelector("input[type=search]");
  const { font, paddingLeft, paddingRight } = getComputedStyle(input);
  const pen = Object.assign(document.createElement("canvas").getContext("2d"), { font });
  const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return pen.measureText(input.placeholder).width <= room;
})()`;

describe("the activity", () => {
  for (const look of [{ width: 1440 }, { width: 390, scheme: "dark" }, { width: 320 }] as const) {
    test(`is looked through by a person and by a kind, at ${look.width} px`, async () => {
      await using visit = await stage.open("/settings/alerts", { person: "ana@example.com", ...look });
      const { page, accountId } = visit;
      await using bo = await stage.open("/settings/activity", { accountId, person: BO });
      await bo.page
        .getByRole("row", { name: /Signed in/ })
        .first()
        .waitFor();
      await createAlert(stage.dashboard.app.accounts, { accountId, name: "CRM", url: "http://127.0.0.1:9/in" });
      await page.goto(`${stage.dashboard.url}/settings/activity`);
      const rows = page.getByRole("table", { name: "Activity, newest first" }).locator("tbody tr");
      await rows.nth(2).waitFor();
      await assertSound(page);
      assert.ok(await page.evaluate<boolean>(IS_HINT_WHOLE), "the box says what it takes, uncut");
      await page.getByRole("searchbox", { name: "Search the activity" }).fill(BO);
      await rows.nth(1).waitFor({ state: "detached" });
      assert.match((await rows.first().textContent()) ?? "", /Signed in/);
      await page.getByRole("searchbox", { name: "Search the activity" }).fill("");
      await page.getByRole("button", { name: "Kind" }).click();
      await page.getByRole("dialog", { name: "Kind" }).getByRole("button", { name: "Alerts and webhooks" }).click();
      await page.waitForURL((url) => url.search === "?kind=setup");
      await rows.filter({ hasText: "Created an alert" }).waitFor();
      await rows.nth(1).waitFor({ state: "detached" });
      await page.reload();
      await page.getByText("Kind: Alerts and webhooks").waitFor();
      await page.getByRole("searchbox", { name: "Search the activity" }).fill("nobody here");
      await page.getByRole("heading", { name: "Nothing is found" }).waitFor();
      await assertSound(page);
    });
  }
});
