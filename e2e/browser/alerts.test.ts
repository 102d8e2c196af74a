import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { signService } from "../../src/domain/signature.ts";
import {
  REFUSED,
  assertFocused,
  assertSound,
  readDescription,
  revealSecret,
} from "../../test/kit/browser/page-facts.ts";
import { setStage, setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const saved = (page: Page) => page.getByText("Saved.", { exact: true }).waitFor();

/** A saved alert with its Webhook URL; the page stays on it. */
async function createAlert(page: Page, { name, url }: { readonly name: string; readonly url: string }): Promise<void> {
  await page.goto(new URL("/settings/alerts/new", page.url()).href);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Webhook URL").fill(url);
  await save(page);
  await saved(page);
}

describe("Settings → Alerts", () => {
  test("from an empty account to a signed session at the receiver, in the specification's steps", async () => {
    await using visit = await stage.open("/settings/alerts");
    const { page, accountId } = visit;
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
    await page.getByRole("link", { name: "Create the first alert" }).click();
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/leads`);
    await page.getByLabel("Name", { exact: true }).fill("New leads");
    await page.getByRole("button", { name: "Only some sessions" }).click();
    await page.getByRole("radio", { name: "Known leads", exact: true }).check();
    await page.getByRole("button", { name: "Add header" }).click();
    await page.keyboard.type("X-Team");
    await page.getByLabel("Value of header 1").fill("sales");

    const earlier = receiver.requests.length;
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText("Your endpoint accepted the test.").waitFor();
    assert.match(page.url(), /\/settings\/alerts\/new$/, "it was not saved");
    const unsaved = receiver.requests[earlier];
    assert.ok(unsaved !== undefined);
    assert.equal(unsaved.path, "/leads");
    assert.equal(unsaved.headers["x-team"], "sales");

    await save(page);
    await saved(page);
    await page.getByRole("heading", { level: 1, name: "New leads" }).waitFor();
    await page.waitForURL(/\/settings\/alerts\/alr_\w+\/edit$/);
    await page.getByRole("link", { name: "Back to alerts" }).click();
    const row = page.getByRole("row", { name: /New leads/ });
    await row.getByText("No deliveries yet").waitFor();
    await row.getByText("Known leads").waitFor();

    const sent = receiver.requests.length;
    await stage.dashboard.postSession(1, {}, accountId);
    await receiver.received(sent + 1);
    const delivered = receiver.requests[sent];
    assert.ok(delivered !== undefined);
    await row.getByText("Healthy").waitFor();
    const secret = await revealSecret(page, stage.dashboard.url);
    for (const { body, headers } of [unsaved, delivered]) {
      assert.equal(headers["x-service-signature"], signService(body.toString("utf8"), secret));
    }
  });

  test("one that sends nothing is saved without a question", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await page.getByRole("switch", { name: "Webhooks" }).click();
    await save(page);
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "New alert");
  });

  test("an incomplete form goes to its first bad field and says what is wrong", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    const name = page.getByLabel("Name", { exact: true });
    const url = page.getByLabel("Webhook URL");
    await save(page);
    await assertFocused(url);
    assert.equal(await readDescription(name), "Give the alert a name.");
    await name.focus();
    await page.keyboard.insertText("n".repeat(201));
    assert.equal((await name.inputValue()).length, 200, "the service refuses a longer one");
    await name.fill("Leads");
    await save(page);
    await assertFocused(url);
    assert.match(await readDescription(url), /^Enter the URL that should receive events\./);
    await url.fill("ftp://example.com");
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page
      .getByText(/only https: and http: can be called/)
      .first()
      .waitFor();
    await assertFocused(url);
    assert.match(await readDescription(url), /only https: and http: can be called/);
  });

  test("a Webhook URL that is too long is said so at once and kept whole, and the service says the same", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    await page.getByLabel("Name", { exact: true }).fill("Long");
    const url = page.getByLabel("Webhook URL");
    const long = `${receiver.url}/`.padEnd(2130, "x");
    await url.focus();
    await page.keyboard.insertText(long);
    await page.getByText("The URL has 2,130 characters; at most 2,048 are taken.").waitFor();
    assert.equal(await url.inputValue(), long);
    const earlier = receiver.requests.length;
    await page.getByRole("button", { name: "Test webhook" }).click();
    await assertFocused(url);
    assert.equal(receiver.requests.length, earlier, "nothing was sent");
    await url.fill(long.slice(0, 2048));
    assert.doesNotMatch(await readDescription(url), /characters/);
    // Every character is one that the service encodes as three.
    await url.fill(`${receiver.url}/${"{".repeat(1000)}`);
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page
      .getByText(/3\d{3} characters when encoded; at most 2048 are taken/)
      .first()
      .waitFor();
  });

  test("a saved Webhook URL is shown as it is called, with its dots resolved", async () => {
    await using visit = await stage.open("/settings/alerts");
    const { page, accountId } = visit;
    await createAlert(page, { name: "Dots", url: `${receiver.url}/a/../b/./c?d=..` });
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), `${receiver.url}/b/c?d=..`);
    const sent = receiver.requests.length;
    await stage.dashboard.postSession(7, {}, accountId);
    await receiver.received(sent + 1);
    assert.equal(receiver.requests[sent]?.path, "/b/c?d=..");
  });

  test("off hides the fields and keeps their values, also when it is saved so", async () => {
    await using visit = await stage.open("/settings/alerts");
    const { page } = visit;
    await createAlert(page, { name: "Kept", url: `${receiver.url}/kept` });
    const toggle = page.getByRole("switch", { name: "Webhooks" });
    await toggle.click();
    assert.equal(await page.getByLabel("Webhook URL").count(), 0);
    await save(page);
    await saved(page);
    await page.reload();
    await toggle.click();
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), `${receiver.url}/kept`);
  });

  test("leaving with changes asks, by link and by Back; Cancel stays with what was typed", async () => {
    await using visit = await stage.open("/settings/alerts");
    const { page } = visit;
    await page.getByRole("link", { name: "Create the first alert" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Half done");
    await page.getByRole("link", { name: "Verification" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Discard changes?" });
    await dialog.waitFor();
    await assertFocused(page.getByRole("button", { name: "Cancel" }));
    await page.keyboard.press("Enter");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Half done");
    await page.goBack();
    await dialog.waitFor();
    await page.waitForURL(/\/settings\/alerts\/new$/);
    await dialog.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
  });

  test("two people at once: the second is told who, and may take either", async () => {
    await using ana = await stage.open("/settings/alerts");
    await createAlert(ana.page, { name: "Shared", url: `${receiver.url}/shared` });
    const who = { accountId: ana.accountId, person: "bo@example.com", expected: REFUSED };
    await using bo = await stage.open(new URL(ana.page.url()).pathname, who);
    await bo.page.getByLabel("Name", { exact: true }).fill("Bo's name");
    await ana.page.getByLabel("Name", { exact: true }).fill("Ana's name");
    await save(ana.page);
    await saved(ana.page);

    await save(bo.page);
    const dialog = bo.page.getByRole("alertdialog", { name: "Both of you changed this" });
    await dialog.getByText("ana@example.com saved while you were typing.").waitFor();
    await dialog.getByRole("radio", { name: "Theirs" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await bo.page.getByRole("heading", { level: 1, name: "Ana's name" }).waitFor();
    assert.equal(await bo.page.getByLabel("Name", { exact: true }).inputValue(), "Ana's name");

    await bo.page.getByLabel("Name", { exact: true }).fill("Bo's second");
    await ana.page.getByLabel("Name", { exact: true }).fill("Ana's second");
    await save(ana.page);
    await saved(ana.page);
    await save(bo.page);
    await dialog.getByRole("radio", { name: "Yours" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await saved(bo.page);
    await bo.page.reload();
    await bo.page.getByRole("heading", { level: 1, name: "Bo's second" }).waitFor();
  });

  test("below Starter the webhook is there, read-only, and says why", async () => {
    await using owner = await stage.open("/settings/alerts");
    await createAlert(owner.page, { name: "Paid", url: `${receiver.url}/paid` });
    await stage.dashboard.putAccount(owner.accountId, "free");
    await owner.page.reload();
    const { page } = owner;
    await page.getByText("Webhooks are part of the Starter plan").first().waitFor();
    assert.equal(await page.getByText(/need the Starter plan or higher/).count(), 1, "it is said once");
    await page.getByText("To change the plan, ask the people who run this service.").waitFor();
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), `${receiver.url}/paid`);
    assert.equal(await page.getByLabel("Webhook URL").isEditable(), false);
    assert.equal(await page.getByRole("switch", { name: "Webhooks" }).isDisabled(), true);
    const testButton = page.getByRole("button", { name: "Test webhook" });
    assert.equal(await testButton.getAttribute("aria-disabled"), "true");
    const sent = receiver.requests.length;
    await testButton.click({ force: true });
    assert.equal(receiver.requests.length, sent, "a click on it does nothing");
    await page.getByLabel("Name", { exact: true }).fill("Renamed");
    await save(page);
    await saved(page);
    await page.getByRole("link", { name: "Back to alerts" }).click();
    await page
      .getByRole("row", { name: /Renamed/ })
      .getByText("Paused by the plan")
      .waitFor();
  });

  test("below Starter there is a link to change the plan, where the operator names one", async () => {
    await using named = await setStage({ env: { BELLWIRE_UPGRADE_URL: "https://app.example.com/plans" } });
    await using visit = await named.open("/settings/alerts/new", { plan: "free" });
    const link = visit.page.getByRole("link", { name: "Change the plan" });
    assert.equal(await link.getAttribute("href"), "https://app.example.com/plans");
    await assertSound(visit.page);
  });

  test("the list's menu pauses, turns on and deletes, by keyboard too", async () => {
    await using visit = await stage.open("/settings/alerts");
    const { page } = visit;
    await createAlert(page, { name: "Menu", url: `${receiver.url}/menu` });
    await page.getByRole("link", { name: "Back to alerts" }).click();
    const menu = page.getByRole("button", { name: "Actions for Menu" });
    await menu.click();
    await page.getByRole("menuitem", { name: "Pause…" }).click();
    await page.getByRole("button", { name: "Pause webhook" }).click();
    await page
      .getByRole("row", { name: /Menu/ })
      .getByText(/^Paused/)
      .waitFor();
    await menu.click();
    await page.getByRole("menuitem", { name: "Turn on…" }).click();
    await page.getByRole("button", { name: "Turn on without a test" }).click();
    await page.getByRole("row", { name: /Menu/ }).getByText("No deliveries yet").waitFor();
    await menu.focus();
    await page.keyboard.press("Enter");
    await assertFocused(page.getByRole("menuitem", { name: "Edit" }));
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog", { name: "Delete the alert “Menu”?" }).waitFor();
    await assertFocused(page.getByRole("button", { name: "Cancel" }));
    await page.getByRole("button", { name: "Delete alert" }).click();
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
  });

  for (const scheme of ["light", "dark"] as const) {
    test(`list and form have no fault that axe finds, and fit into 320 px (${scheme})`, async () => {
      await using visit = await stage.open("/settings/alerts", { scheme, width: 320 });
      const { page } = visit;
      await page.getByRole("link", { name: "Create the first alert" }).waitFor();
      await assertSound(page);
      await createAlert(page, {
        name: "<b>bold</b> & a-name-without-any-blank-in-it-at-all",
        url: `${receiver.url}/a`,
      });
      await page.getByRole("button", { name: "Test webhook" }).click();
      await page.getByText("Your endpoint accepted the test.").waitFor();
      await assertSound(page);
      await page.getByRole("link", { name: "Back to alerts" }).click();
      await page.getByRole("button", { name: /Actions for/ }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).waitFor();
      await assertSound(page);
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("alertdialog").waitFor();
      await assertSound(page);
    });
  }
});
