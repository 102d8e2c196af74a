/**
 * What a webhook sends, from the paste of a chat tool's address to the message in its channel, and from an empty
 * template to what the log shows of it.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { REFUSED, assertSound, readDescription } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { startAddressedTools } from "../../test/kit/servers/chat-addresses.ts";
import { CHAT_TOOLS } from "../../src/domain/body.ts";
import { CHAT_ADDRESSES } from "../../src/domain/chat-addresses.ts";

const tools = await startAddressedTools();
after(() => tools[Symbol.asyncDispose]());
const { stage, receiver } = await setStageWithReceiver();

const pressTest = (page: Page) => page.getByRole("button", { name: "Test webhook" }).click();
async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
}
const openBody = (page: Page, kind: string) => page.getByRole("button", { name: `Body: ${kind}` }).click();
const preview = (page: Page) => page.getByRole("region", { name: "Preview" });

describe("the address of a chat tool", () => {
  for (const kind of CHAT_TOOLS) {
    const { name } = CHAT_ADDRESSES[kind];
    test(`of ${name} is pasted, and its message stands in the channel: two clicks and one field`, async () => {
      const { tool, address } = tools[kind];
      await using visit = await stage.open("/settings/alerts");
      const { page, accountId } = visit;
      const startedMs = performance.now();
      await page.getByRole("link", { name: "Create the first alert" }).click();
      await page.getByLabel("Webhook URL").fill(address);
      await pressTest(page);
      await page.getByText("This was a test.").waitFor();
      const tookMs = performance.now() - startedMs;
      assert.equal(tool.channel.length, 1, tool.lost.join());
      // A person needs longer; the program must not.
      assert.ok(tookMs < 5_000, `${Math.round(tookMs)} ms`);
      await page.getByText(`This is a ${name} address: each event is sent as a ${name} message`).waitFor();
      await save(page);
      const lead = { id: "0d9f2f0e-8f5e-4f0b-8d5f-6a1f4c1b7e21", email: "ada@example.com", first_name: "Ada" };
      await stage.dashboard.postSession(1, { lead }, accountId);
      await tool.receiver.received(2);
      assert.match(tool.channel[1]?.texts.join(" ") ?? "", /Ada/);
      await page.goto(new URL("/deliveries", page.url()).href);
      await page.getByRole("link", { name: /Ada/ }).click();
      await page.getByRole("heading", { name: "Body of every attempt" }).waitFor();
      await page.getByRole("region", { name: `${name} message`, exact: true }).waitFor();
      await page.getByRole("region", { name: "The event" }).waitFor();
      await assertSound(page);
    });
  }

  test("that gets the event all the same is told by its answer, with the body as one press", async () => {
    const { address } = tools.slack;
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    await page.getByLabel("Webhook URL").fill(address);
    await page.getByRole("button", { name: "Send the event itself" }).click();
    await page.getByText("This is a Slack address, and Slack takes messages of its own form.").waitFor();
    await page.getByRole("button", { name: "Body: Event" }).waitFor();
    await pressTest(page);
    const answer = page.getByRole("status").filter({ hasText: "Change the body to Slack." });
    await answer.waitFor();
    const remedy = page.getByRole("button", { name: "Send Slack messages" });
    await remedy.last().click();
    await page.getByRole("button", { name: "Body: Slack message" }).waitFor();
    await pressTest(page);
    await page.getByText("Your endpoint accepted the test.").waitFor();
  });

  for (const [scheme, width] of [
    ["light", 320],
    ["dark", 320],
    ["dark", 1280],
  ] as const) {
    test(`has a form that is sound in ${scheme} at ${width}`, async () => {
      await using visit = await stage.open("/settings/alerts/new", { scheme, width });
      const { page, accountId } = visit;
      await stage.dashboard.postSession(1, {}, accountId);
      await page.getByLabel("Webhook URL").fill(tools.slack.address);
      await openBody(page, "Slack message");
      await preview(page).getByText("Event 1 of 1").waitFor();
      await assertSound(page);
      await page.getByRole("button", { name: "Start from this message" }).click();
      await page.getByRole("textbox", { name: "Template" }).waitFor();
      await preview(page).getByText("Event 1 of 1").waitFor();
      await assertSound(page);
    });
  }
});

describe("a template", () => {
  test("is written by keyboard, previewed, tested, saved, changed, and told in the log as it was sent", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page, accountId } = visit;
    const lead = { id: "0d9f2f0e-8f5e-4f0b-8d5f-6a1f4c1b7e21", email: "ada@example.com", first_name: "Ada" };
    for (const [number, each] of [null, lead, lead].entries()) {
      await stage.dashboard.postSession(number + 1, { lead: each }, accountId);
    }
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/crm`);
    await openBody(page, "Event");
    await page.getByRole("radio", { name: "Template", exact: true }).click();
    const area = page.getByRole("textbox", { name: "Template" });
    await area.focus();
    await page.keyboard.type('{\n  "email": "{{lead.em');
    const offer = page.getByRole("option", { name: /^lead\.email/ });
    await offer.waitFor();
    assert.equal(await area.getAttribute("aria-activedescendant"), await offer.getAttribute("id"));
    await assertSound(page);
    await page.keyboard.press("Enter");
    assert.equal(await area.inputValue(), '{\n  "email": "{{lead.email}}');
    assert.equal(await page.getByRole("listbox").count(), 0);
    await page.keyboard.type('",\n  source: "demo"\n}');
    await page.getByText(/The template .*line 3/).waitFor();
    assert.match(await readDescription(area), /line 3/);
    await area.fill('{\n  "email": "{{lead.email}}",\n  "source": "demo"\n}');
    await preview(page).getByText("Event 1 of the last 3").waitFor();
    await preview(page).getByText("lead.email is missing in 1 of 3.").waitFor();
    await preview(page).getByRole("button", { name: "Show one" }).click();
    await preview(page).getByText("Event 3 of the last 3").waitFor();
    await preview(page).getByRole("button", { name: "Newer event" }).click();
    await preview(page).getByText("Event 2 of the last 3").waitFor();
    await preview(page).getByText('"ada@example.com"').first().waitFor();

    const earlier = receiver.requests.length;
    await pressTest(page);
    await page.getByText("Your endpoint accepted the test.").waitFor();
    const sent = '{"email":"ada@example.com","source":"demo"}';
    assert.equal(receiver.requests[earlier]?.body.toString(), sent);
    await save(page);
    await stage.dashboard.postSession(9, { lead }, accountId);
    await receiver.received(earlier + 2);
    assert.equal(receiver.requests[earlier + 1]?.body.toString(), sent);

    await area.fill('{"address": "{{lead.email}}"}');
    await save(page);
    await page.goto(new URL("/deliveries", page.url()).href);
    await page.getByRole("link", { name: /Ada/ }).first().click();
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Send again" }).click();
    await receiver.received(earlier + 3);
    assert.equal(receiver.requests[earlier + 2]?.body.toString(), '{"address":"ada@example.com"}');
    await page.getByRole("heading", { name: "Body of attempt 1" }).waitFor();
    await page.getByRole("heading", { name: "Body of attempt 2" }).waitFor();
    const first = page.getByRole("region", { name: "Template (1)" });
    await first.getByText('"source"').waitFor();
    await page.getByRole("region", { name: "Template (2)" }).getByText('"address"').waitFor();
    await page.getByRole("region", { name: "The event" }).waitFor();
    await assertSound(page);
  });

  test("that is none is refused at its place when it is saved", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/crm`);
    await openBody(page, "Event");
    await page.getByRole("radio", { name: "Template", exact: true }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const area = page.getByRole("textbox", { name: "Template" });
    assert.equal(
      await readDescription(area).then((text) => text.split(".")[0]),
      "Write a template, or choose another body",
    );
    await page.getByRole("button", { name: "Insert field" }).click();
    assert.equal(await area.inputValue(), '"{{}}"');
    await page.getByRole("option", { name: /^lead\.email/ }).click();
    assert.equal(await area.inputValue(), '"{{lead.email}}"');
    await page.getByText(/The template must be a JSON object/).waitFor();
  });
});
