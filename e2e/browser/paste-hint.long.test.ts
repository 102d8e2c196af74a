/** A paste into a field of the page: what came along is pointed out, and one press takes it away. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { REFUSED, assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

const without = (page: Page) => page.getByRole("button", { name: "Use it without" });

/** Types it as a paste would bring it, presses the offer, and reads what the field has then. */
async function offered(page: Page, field: Locator, text: string): Promise<string> {
  await field.fill(text);
  await without(page).click();
  await assertFocused(field);
  assert.equal(await without(page).count(), 0);
  return await field.inputValue();
}

describe("what comes along with a paste", () => {
  test("is pointed out in a Webhook URL, a header's name and its value, and taken away by one press", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    await page.getByLabel("Name", { exact: true }).fill("Pasted");
    const url = page.getByLabel("Webhook URL");
    const { port } = new URL(receiver.url);
    await url.fill(`http://127.0.0.1:${port}/\u200bin`);
    await page.getByText(`This has a zero-width space (U+200B) after "…`).waitFor();
    await assertSound(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^The Webhook URL has a zero-width space \(U\+200B\) after/).waitFor();
    assert.equal(await page.getByText("This has a zero-width space").count(), 0);
    assert.equal(await offered(page, url, `<${receiver.url}/in>`), `${receiver.url}/in`);
    await page.getByRole("button", { name: "Add header" }).click();
    const [name, value] = [page.getByLabel("Name of header 1"), page.getByLabel("Value of header 1")];
    assert.equal(await offered(page, name, "X–Team\u200b"), "X-Team");
    assert.equal(await offered(page, value, "Bearer\u00a0abc"), "Bearer abc");
    assert.equal(await offered(page, value, '"abc"'), "abc");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
  });

  test("is pointed out in an e-mail address", async () => {
    await using visit = await stage.open("/settings/account");
    const { page } = visit;
    const address = page.getByLabel("Add an address");
    assert.equal(await offered(page, address, "ad\u200ba@example.com"), "ada@example.com");
  });
});
