import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { REFUSED, assertFocused, assertSound, readDescription } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

const findName = (page: Page, row: number) => page.getByLabel(`Name of header ${row}`, { exact: true });
const findValue = (page: Page, row: number) => page.getByLabel(`Value of header ${row}`, { exact: true });
const findSecret = (page: Page, row: number) =>
  page.getByRole("checkbox", { name: `Secret, header ${row}`, exact: true });
const savedSecret = (page: Page) => page.getByRole("img", { name: "Value of header 1: a saved secret" });
const add = (page: Page) => page.getByRole("button", { name: "Add header" }).click();

async function openForm(page: Page, url: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("Headers");
  await page.getByLabel("Webhook URL").fill(url);
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
}

/** The headers of the request that a press of Test webhook brings. */
async function tested(page: Page): Promise<Readonly<Record<string, string>>> {
  const earlier = receiver.requests.length;
  await page.getByRole("button", { name: "Test webhook" }).click();
  await receiver.received(earlier + 1);
  return receiver.requests[earlier]?.headers ?? {};
}

/** Puts a text into the field as a paste does; the clipboard itself needs a permission and https. */
async function paste(page: Page, row: number, text: string): Promise<void> {
  await findName(page, row).focus();
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  })()`);
}

describe("custom headers", () => {
  test("a name of twenty letters is typed without losing the focus, between two other rows", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await openForm(page, receiver.url);
    for (const name of ["X-One", "X-Two", "X-Three"]) {
      await add(page);
      await page.keyboard.type(name);
    }
    await findName(page, 2).fill("");
    await findName(page, 2).focus();
    await page.keyboard.type("A-name-of-20-letters");
    await assertFocused(findName(page, 2));
    const names = await Promise.all([1, 2, 3].map((row) => findName(page, row).inputValue()));
    assert.deepEqual(names, ["X-One", "A-name-of-20-letters", "X-Three"]);
  });

  test("removing a row keeps the others' values, and the focus goes to a neighbour, at last to Add", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await openForm(page, receiver.url);
    for (const [row, name] of ["X-One", "X-Two"].entries()) {
      await add(page);
      await page.keyboard.type(name);
      await findValue(page, row + 1).fill(`value of ${name}`);
    }
    await page.getByRole("button", { name: "Remove header X-One" }).click();
    assert.equal(await findValue(page, 1).inputValue(), "value of X-Two");
    await assertFocused(findName(page, 1));
    await page.getByRole("button", { name: "Remove header X-Two" }).click();
    await assertFocused(page.getByRole("button", { name: "Add header" }));
  });

  test("duplicate, reserved and malformed names are errors in their rows, and nothing is sent", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    await openForm(page, receiver.url);
    for (const name of ["X-One", "x-one", "two words"]) {
      await add(page);
      await page.keyboard.type(name);
    }
    const earlier = receiver.requests.length;
    await page.getByRole("button", { name: "Test webhook" }).click();
    await assertFocused(findName(page, 2));
    assert.match(await readDescription(findName(page, 2)), /used twice/);
    assert.match(await readDescription(findName(page, 3)), /no spaces/);
    assert.equal(await findName(page, 1).getAttribute("aria-invalid"), "false");
    await assertSound(page);
    // Which names are reserved is the service's to say, and it says it in the row.
    await findName(page, 2).fill("Content-Length");
    await findName(page, 3).fill("Host");
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText("Not tested: some fields need another look.").waitFor();
    await assertFocused(findName(page, 2));
    for (const row of [2, 3]) assert.match(await readDescription(findName(page, row)), /set by the service itself/);
    assert.equal(receiver.requests.length, earlier);
  });

  test("pasted lines fill rows and tick Secret where the name says so", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await openForm(page, receiver.url);
    await add(page);
    await paste(page, 1, "X-Team: sales\nAuthorization: Bearer abc\r\nX-Auth-Token: t0ken");
    await findName(page, 3).waitFor();
    assert.deepEqual(await Promise.all([1, 2, 3].map((row) => findSecret(page, row).isChecked())), [false, true, true]);
    const headers = await tested(page);
    assert.equal(headers["x-team"], "sales");
    assert.equal(headers["authorization"], "Bearer abc");
    assert.equal(headers["x-auth-token"], "t0ken");
  });

  test("a saved secret stays in its row, is in no answer, and is sent when nothing was touched", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    const answers: string[] = [];
    page.on("response", (response) => {
      if (!response.url().endsWith("/live"))
        void response.text().then(
          (text) => answers.push(text),
          () => {},
        );
    });
    await openForm(page, receiver.url);
    await add(page);
    await page.keyboard.type("X-Api-Key");
    await findValue(page, 1).fill("s3cret-value");
    await tested(page);
    await page.getByText("Your endpoint accepted the test.").waitFor();
    await save(page);
    await savedSecret(page).waitFor();
    assert.equal(await page.getByText("Changed since this test").count(), 0, "saving is no change");
    await page.reload();
    await savedSecret(page).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Renamed");
    await save(page);
    assert.equal((await tested(page))["x-api-key"], "s3cret-value");
    await page.getByText("Your endpoint accepted the test.").waitFor();
    await page.getByText("What was sent and what came back").click();
    await page.getByRole("tab", { name: "Request headers" }).click();
    await page.getByText("X-Api-Key: ••••••••").waitFor();
    const seen = `${answers.join("\n")}${await page.content()}`;
    assert.ok(answers.length > 0);
    assert.ok(!seen.includes("s3cret-value"), "the value came back to the page");
  });

  test("Replace takes a new value; Keep saved goes back to the old one", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await openForm(page, receiver.url);
    await add(page);
    await page.keyboard.type("X-Api-Key");
    await findValue(page, 1).fill("first");
    await save(page);
    const replace = page.getByRole("button", { name: "Replace the value of X-Api-Key" });
    await replace.click();
    await assertFocused(findValue(page, 1));
    await page.getByRole("button", { name: "Keep saved" }).click();
    await assertFocused(replace);
    assert.equal((await tested(page))["x-api-key"], "first");
    await replace.click();
    await page.keyboard.type("second");
    await save(page);
    await savedSecret(page).waitFor();
    assert.equal((await tested(page))["x-api-key"], "second");
  });

  test("another origin asks for the secret again, for Test and for Save; the other server never sees it", async () => {
    await using other = await startReceiver();
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    await openForm(page, receiver.url);
    await add(page);
    await page.keyboard.type("X-Api-Key");
    await findValue(page, 1).fill("only-for-the-first");
    await save(page);
    await page.getByLabel("Webhook URL").fill(other.url);
    await page.getByText("This is another server.").waitFor();
    for (const name of ["Test webhook", "Save"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await assertFocused(findValue(page, 1));
      assert.match(await readDescription(findValue(page, 1)), /Enter the value again/);
    }
    assert.equal(other.requests.length, 0);
    // A caller beside the page meets the same refusal on the server.
    const id = /\/alerts\/([^/]+)/.exec(page.url())?.[1] ?? "";
    const status = await page.evaluate<number>(`(async () => {
      const { csrfToken } = await (await fetch("/dashboard/session")).json();
      const webhook = { url: ${JSON.stringify(other.url)}, ratePerSecond: null,
        headers: [{ name: "X-Api-Key", value: null, secret: true }] };
      const headers = { "content-type": "application/json", "x-bellwire-csrf": csrfToken };
      const answer = await fetch("/dashboard/alerts/${id}/test",
        { method: "POST", headers, body: JSON.stringify({ webhook }) });
      return answer.status;
    })()`);
    assert.equal(status, 422);
    assert.equal(other.requests.length, 0);
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/other-path`);
    assert.equal((await tested(page))["x-api-key"], "only-for-the-first", "the same server keeps it");
  });
});
