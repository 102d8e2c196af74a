/** "Only high intent from LinkedIn": an owner sets it up, tries it, and reads why a session did not go. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { REFUSED, assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { uuid } from "../../test/kit/world/world.ts";

const { stage, receiver } = await setStageWithReceiver();

const LINKEDIN = { utm_params: { utm_source: "LinkedIn" } };
const findField = (page: Page, row: number) => page.getByLabel(`Field of condition ${row}`, { exact: true });
const findValue = (page: Page, row: number) => page.getByLabel(`Value of condition ${row}`, { exact: true });
const addCondition = (page: Page) => page.getByRole("button", { name: "Add condition" }).click();
const saved = (page: Page) => page.getByText("Saved.", { exact: true }).waitFor();
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

const narrow = (page: Page) => page.getByRole("button", { name: /^Only some sessions/ }).click();

describe("more conditions of an alert", () => {
  test("count what they would let through, fire for nothing else, and are told on the session's page", async () => {
    await using visit = await stage.open("/settings/alerts/new");
    const { page, accountId } = visit;
    const post = (n: number, changes: object) => stage.dashboard.postSession(n, { ...changes }, accountId);
    await post(1, { ...LINKEDIN, intent_level: "high" });
    await post(2, { ...LINKEDIN, intent_level: "low" });
    await post(3, { utm_params: { utm_source: "google" }, intent_level: "high" });
    await page.reload();
    await narrow(page);
    await page.getByText("Would have fired for 3 of the last 3 sessions.").waitFor();

    await page.getByLabel("Name", { exact: true }).fill("CRM sync");
    await addCondition(page);
    await assertFocused(findField(page, 1));
    await page.getByText("Fill in the conditions to see").waitFor();
    await page.keyboard.type("utm_params.utm_source");
    await findValue(page, 1).fill("linkedin");
    await page.getByText("Would have fired for 2 of the last 3 sessions.").waitFor();
    await page.getByText("utm_params.utm_source is google, and the alert wants linkedin").waitFor();
    await addCondition(page);
    await findField(page, 2).fill("intent_level");
    await page.getByLabel("Comparison of condition 2").selectOption("is at least");
    await findValue(page, 2).fill("high");
    await page.getByText("Would have fired for 1 of the last 3 sessions.").waitFor();
    await page.getByLabel("Comparison of condition 1").selectOption("is one of");
    await page.getByLabel("Values of condition 1, one on each line").fill("linkedin\nGoogle\n");
    await page.getByText("Would have fired for 2 of the last 3 sessions.").waitFor();
    await page.getByText(/intent_level is low, and the alert wants at least high/).waitFor();
    await page.getByLabel("Comparison of condition 1").selectOption("is");
    assert.equal(await findValue(page, 1).inputValue(), "linkedin");
    await page.getByLabel("Send when", { exact: true }).selectOption("any");
    await page.getByText("Would have fired for 3 of the last 3 sessions.").waitFor();
    await page.getByLabel("Send when", { exact: true }).selectOption("all");
    await assertSound(page);

    await page.getByLabel("Webhook URL").fill(receiver.url);
    await save(page);
    await saved(page);
    await page.reload();
    assert.equal(await findValue(page, 1).inputValue(), "linkedin");
    await post(4, { ...LINKEDIN, intent_level: "high" });
    await post(5, { ...LINKEDIN, intent_level: "low" });
    await receiver.received(1);
    assert.equal((JSON.parse(receiver.requests[0]?.body.toString() ?? "") as { id: string }).id, uuid(4));

    await page.goto(`${stage.dashboard.url}/audience/sessions/${uuid(5)}`);
    await page.getByText("Not sent to CRM sync: intent_level is low, and the alert wants at least high.").waitFor();
    await assertSound(page);
    assert.equal(receiver.requests.length, 1);
  });

  test("a field that no payload has is refused at its row with the nearest name, and rows go by keyboard", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED, width: 320, scheme: "dark" });
    const { page } = visit;
    await page.getByLabel("Webhook URL").fill(receiver.url);
    await page.getByLabel("Name", { exact: true }).fill("Leads");
    await narrow(page);
    await addCondition(page);
    await page.keyboard.type("name");
    await findValue(page, 1).fill("Tour");
    await addCondition(page);
    await page.keyboard.type("email");
    await findValue(page, 2).fill("ada");
    await save(page);
    await page.getByText("did you mean lead.email?").first().waitFor();
    await assertFocused(findField(page, 2));
    await assertSound(page);
    await page.getByRole("button", { name: "Remove condition 2" }).press("Enter");
    await assertFocused(findField(page, 1));
    await page.getByRole("button", { name: "Remove condition 1" }).press("Enter");
    await assertFocused(page.getByRole("button", { name: "Add condition" }));
    await save(page);
    await saved(page);
  });
});

test("an assistant's webhook has conditions of its own, tried on its conversations", async () => {
  await using visit = await stage.open("/assistants/helper/integrations", { assistants: ["helper"] });
  const { page, accountId } = visit;
  const post = (n: number, team: number) =>
    stage.dashboard.postConversation(
      n,
      { assistant_id: "helper", extracted_variables: { team_size: team } },
      accountId,
    );
  await post(1, 12);
  await post(2, 120);
  await page.reload();
  await page.getByLabel("Webhook URL").fill(`${receiver.url}/chat`);
  await addCondition(page);
  await page.keyboard.type("extracted_variables.team_size");
  await page.getByLabel("Comparison of condition 1").selectOption("is at least");
  await findValue(page, 1).fill("50");
  await page.getByText("Would have been sent for 1 of the last 2 conversations.").waitFor();
  await assertSound(page);
  await save(page);
  await saved(page);
  await post(3, 7);
  await page.goto(`${stage.dashboard.url}/assistants/helper/conversations/${uuid(3)}`);
  await page
    .getByText(/Not sent to helper: extracted_variables\.team_size is 7, and the webhook wants at least 50/)
    .waitFor();
});
