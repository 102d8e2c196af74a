import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { eventually } from "../../test/kit/wait.ts";
import { pressSignIn, setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

const urlField = (page: Page) => page.getByLabel("Webhook URL");
const testButton = (page: Page) => page.getByRole("button", { name: "Test webhook" });
const saveButton = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
const accepted = (page: Page) => page.getByText("Your endpoint accepted the test.").waitFor();
const saved = (page: Page) => page.getByText("Saved.", { exact: true }).waitFor();

describe("the first alert", () => {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
  ] as const) {
    test(`has its Webhook URL in view and focused at ${width} × ${height}`, async () => {
      await using visit = await stage.open("/settings/alerts", { width, height });
      const { page } = visit;
      await page.getByRole("link", { name: "Create the first alert" }).click();
      await assertFocused(urlField(page));
      const box = await urlField(page).boundingBox();
      const bottom = (box?.y ?? Infinity) + (box?.height ?? 0);
      assert.ok(bottom <= 260, `it ends at ${bottom}`);
      assert.equal(await page.evaluate("scrollY"), 0);
    });
  }

  test("is tested and saved from a sign-in link with six clicks and three fields", async () => {
    receiver.script = () => ({});
    await stage.dashboard.putAccount("counted");
    const link = await stage.dashboard.signInLink({ accountId: "counted", person: "ana@example.com", role: "owner" });
    await using visit = await stage.browser.visit(link);
    const { page } = visit;
    const did = { clicks: 0, fields: 0 };
    const click = async (control: Locator): Promise<void> => {
      did.clicks += 1;
      await control.click();
    };
    /** Into the field that has the focus. */
    const type = async (text: string): Promise<void> => {
      did.fields += 1;
      await page.keyboard.type(text);
    };
    did.clicks += 1;
    await pressSignIn(page);
    await click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Alerts" }));
    await click(page.getByRole("link", { name: "Create the first alert" }));
    await assertFocused(urlField(page));
    await type(`${receiver.url}/first`);
    await click(page.getByRole("button", { name: "Add header" }));
    await type("X-Team");
    await page.keyboard.press("Tab");
    await type("sales");
    await click(testButton(page));
    await accepted(page);
    await click(saveButton(page));
    await saved(page);
    const name = `Alert to ${new URL(receiver.url).host}`;
    await page.getByRole("heading", { level: 1, name }).waitFor();
    assert.equal(receiver.requests.at(-1)?.headers["x-team"], "sales");
    assert.ok(did.clicks <= 6 && did.fields <= 3, JSON.stringify(did));
  });

  test("gets a header, is tested and saved with at most 25 key presses, and the second has another name", async () => {
    receiver.script = () => ({});
    await using visit = await stage.open("/settings/alerts");
    const { page, accountId } = visit;
    let presses = 0;
    const press = async (control: Locator): Promise<void> => {
      await control.waitFor();
      for (let tabs = 0; (await control.and(page.locator(":focus")).count()) === 0 && tabs < 40; tabs += 1) {
        presses += 1;
        await page.keyboard.press("Tab");
      }
      presses += 1;
      await page.keyboard.press("Enter");
    };
    await press(page.getByRole("link", { name: "Skip to content" }));
    await press(page.getByRole("link", { name: "Create the first alert" }));
    await assertFocused(urlField(page));
    await page.keyboard.type(`${receiver.url}/keys`);
    await press(page.getByRole("button", { name: "Add header" }));
    await page.keyboard.type("X-Team");
    presses += 1;
    await page.keyboard.press("Tab");
    await page.keyboard.type("sales");
    await press(testButton(page));
    await accepted(page);
    await press(saveButton(page));
    await saved(page);
    assert.equal(receiver.requests.at(-1)?.headers["x-team"], "sales");
    assert.ok(presses <= 25, `${presses} presses`);

    await using again = await stage.open("/settings/alerts/new", { accountId });
    await urlField(again.page).fill(`${receiver.url}/keys`);
    const second = `Alert to ${new URL(receiver.url).host} 2`;
    const name = again.page.getByLabel("Name", { exact: true });
    await eventually("it has another name", async () => {
      await urlField(again.page).press("Tab");
      return (await name.inputValue()) === second;
    });
  });

  test("gets https:// in front of an address without it, when the field is left and when it is saved", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await assertFocused(urlField(page));
    await page.keyboard.type("acme.example/hook");
    await page.keyboard.press("Tab");
    assert.equal(await urlField(page).inputValue(), "https://acme.example/hook");
    await page.getByRole("status").getByText("https:// was added in front.").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Alert to acme.example");
    const { host } = new URL(receiver.url);
    await urlField(page).fill(`${host}/in`);
    await page.keyboard.press("Enter");
    await saved(page);
    assert.equal(await urlField(page).inputValue(), `https://${host}/in`);
    await page.getByRole("heading", { level: 1, name: `Alert to ${host}` }).waitFor();
  });

  test("has at most four texts of help that are always there, the choice of sessions included", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await page.getByRole("button", { name: "Only some sessions" }).click();
    await page.getByRole("button", { name: "Add condition" }).waitFor();
    const texts = await page.locator("form [id$=-help]").allTextContents();
    assert.ok(texts.length > 0 && texts.length <= 4, texts.join("\n"));
    await assertSound(page);
  });
});
