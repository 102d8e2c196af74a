import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { signService } from "../../src/domain/signature.ts";
import { assertFocused, readDescription, revealSecret } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";

const { stage, receiver } = await setStageWithReceiver();

const INTEGRATIONS = "/assistants/website/integrations";
const ASSISTANT = { assistants: ["website"] };
const body = (page: Page) => page.getByLabel("Sample", { exact: true });
const sendTest = (page: Page) => page.getByRole("button", { name: "Send test webhook" }).click();

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
}

describe("Chat assistant → Integrations", () => {
  test("from an empty account to a signed conversation at the receiver, in the specification's steps", async () => {
    await using visit = await stage.open("/assistants", ASSISTANT);
    const { page, accountId } = visit;
    await page
      .getByRole("row", { name: /website/ })
      .getByText("No webhook")
      .waitFor();
    await page.getByRole("link", { name: "website" }).click();
    // There is nothing else to do yet.
    await page.waitForURL((url) => url.pathname === INTEGRATIONS);
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/chat`);
    await page.getByText("The built-in sample, because this account has no conversation yet.").waitFor();
    const earlier = receiver.requests.length;
    await sendTest(page);
    await page.getByText("Your endpoint accepted the test.").waitFor();
    const sample = receiver.requests[earlier];
    assert.ok(sample !== undefined);
    assert.equal(JSON.parse(sample.body.toString("utf8")).event, "chat_conversation_completed");
    await save(page);

    const sent = receiver.requests.length;
    await stage.dashboard.postConversation(1, { assistant_id: "website" }, accountId);
    await receiver.received(sent + 1);
    const delivered = receiver.requests[sent];
    assert.ok(delivered !== undefined);
    assert.equal(delivered.path, "/chat");
    await page.getByRole("tab", { name: "Conversations" }).click();
    await page.getByRole("row").getByText("1 delivered").waitFor();

    await page.goto(`${stage.dashboard.url}${INTEGRATIONS}`);
    await page.getByText(/^The latest conversation of this account/).waitFor();
    await sendTest(page);
    await receiver.received(sent + 2);
    assert.deepEqual(receiver.requests[sent + 1]?.body, delivered.body, "the sample is that very conversation");
    const secret = await revealSecret(page, stage.dashboard.url);
    for (const request of [sample, delivered]) {
      assert.equal(request.headers["x-service-signature"], signService(request.body.toString("utf8"), secret));
    }
  });

  test("an edited body is sent as it stands; what is no JSON is told with its line, and can be reset", async () => {
    await using visit = await stage.open(INTEGRATIONS, ASSISTANT);
    const { page } = visit;
    await page.getByLabel("Webhook URL").fill(receiver.url);
    const sample = await body(page).inputValue();
    await body(page).fill('{\n  "big": 12345678901234567890\n  "next": 1\n}');
    await page.getByText("This isn’t valid JSON: look at line 3, column 3.").waitFor();
    const earlier = receiver.requests.length;
    await sendTest(page);
    await assertFocused(body(page));
    assert.match(await readDescription(body(page)), /line 3, column 3/);
    assert.equal(receiver.requests.length, earlier);

    const edited = '{\n  "big": 12345678901234567890,\n  "next": "é \u{1f980}"\n}';
    await body(page).fill(edited);
    await page.getByText("Valid JSON").waitFor();
    await sendTest(page);
    await receiver.received(earlier + 1);
    assert.equal(receiver.requests[earlier]?.body.toString("utf8"), edited);
    await page.getByRole("button", { name: "Reset to sample" }).click();
    assert.equal(await body(page).inputValue(), sample);
    await page.getByText("Changed since this test").waitFor();
  });

  test("what is typed stays while somebody looks at the conversations; leaving the page asks", async () => {
    await using visit = await stage.open(INTEGRATIONS, ASSISTANT);
    const { page } = visit;
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/typed`);
    await page.getByRole("tab", { name: "Conversations" }).click();
    await page.getByRole("heading", { name: "No conversations yet" }).waitFor();
    await page.getByRole("link", { name: "Set up the webhook" }).click();
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), `${receiver.url}/typed`);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("alertdialog", { name: "Discard changes?" }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), `${receiver.url}/typed`);
  });

  test("a webhook is taken away again after a question", async () => {
    await using visit = await stage.open(INTEGRATIONS, ASSISTANT);
    const { page } = visit;
    await page.getByLabel("Webhook URL").fill(receiver.url);
    await save(page);
    await page.getByRole("button", { name: "Remove webhook…" }).click();
    await page.getByRole("alertdialog", { name: "Remove the webhook of “website”?" }).waitFor();
    await assertFocused(page.getByRole("button", { name: "Cancel" }));
    await page.getByRole("button", { name: "Remove webhook", exact: true }).click();
    await page.getByRole("button", { name: "Remove webhook…" }).waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), "");
    await page.getByRole("link", { name: "Assistants" }).first().click();
    await page
      .getByRole("row", { name: /website/ })
      .getByText("No webhook")
      .waitFor();
  });

  test("a viewer sees the sample and is told why nothing can be sent", async () => {
    await using visit = await stage.open(INTEGRATIONS, { ...ASSISTANT, role: "viewer" });
    const { page } = visit;
    await page.getByText("Only owners can change webhooks.").first().waitFor();
    const button = page.getByRole("button", { name: "Send test webhook" });
    assert.equal(await button.getAttribute("aria-disabled"), "true");
    assert.equal(await page.getByLabel("Webhook URL").isEditable(), false);
    assert.equal(await body(page).isEditable(), false);
  });
});

test("an account without assistants is told where they come from", async () => {
  await using visit = await stage.open("/assistants");
  await visit.page.getByRole("heading", { name: "No chat assistants yet" }).waitFor();
});
