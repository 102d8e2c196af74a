/** Settings → Webhooks: from a folder of event types to a webhook that is made, tested, edited and deleted. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { readEventTypes } from "../../src/events/declared/read-event-types.ts";
import { createEventTypes, type EventTypes } from "../../src/events/event-types.ts";
import { REFUSED, assertFocused, assertSound, readDescription } from "../../test/kit/browser/page-facts.ts";
import { setStage, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { ask } from "../../test/kit/process/asking.ts";
import { API_KEY } from "../../test/kit/world/app-under-test.ts";
import { toValue } from "../../test/kit/world/world.ts";

const { stage, receiver } = await setStageWithReceiver({ changes: { types: declareTypes() } });

/** As a service reads them that starts with `BELLWIRE_EVENTS`. */
function declareTypes(): EventTypes {
  using folder = newFolder();
  const schema = {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string" }, lead: { $ref: "#/$defs/lead" } },
    $defs: { lead: { type: "object", properties: { email: { type: "string" }, score: { type: "integer" } } } },
  };
  const example = { id: "example", lead: { email: "ada@example.com", score: 90 } };
  const description = "A visitor got a name. Sent once for each lead.";
  const declarations = [
    { type: "lead_identified", title: "Lead identified", description, headline: ["/lead/email"] },
    { type: "form_submitted", title: "Form submitted" },
    { type: "meeting_booked", title: "Meeting booked", plan: "growth" },
  ];
  for (const each of declarations) {
    const file = join(folder.path, `${each.type}.json`);
    writeFileSync(file, JSON.stringify({ ...each, schema, key: "/id", example }));
  }
  return createEventTypes(toValue(readEventTypes(folder.path, { taken: [] })));
}

async function postLead(accountId: string, record: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const address = `${stage.dashboard.url}/v1/accounts/${accountId}/events/lead_identified`;
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(record) });
  assert.equal(answer.status, 202, await answer.text());
}

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const saved = (page: Page) => page.getByText("Saved.", { exact: true }).waitFor();
const add = (page: Page, title: string) => page.getByRole("button", { name: `Add ${title}` }).click();

/** A saved webhook; the page stays on it. */
async function createWebhook(
  page: Page,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<void> {
  await page.goto(new URL("/settings/webhooks/new", page.url()).href);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await add(page, "Lead identified");
  await page.getByLabel("Webhook URL").fill(url);
  await save(page);
  await saved(page);
}

describe("Settings → Webhooks", () => {
  test("a webhook that a program asks: saved, given a token, asked, acknowledged, and given a URL", async () => {
    await using visit = await stage.open("/settings/webhooks/new");
    const { page, accountId } = visit;
    const { url } = stage.dashboard;
    await page.getByLabel("My program asks").check();
    await add(page, "Lead identified");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Webhook to my program");
    await save(page);
    await saved(page);
    await page.getByRole("button", { name: "Make a token" }).click();
    const token = await page.getByRole("region", { name: "Token", exact: true }).innerText();
    await assertSound(page);
    const way = page.getByRole("link", { name: "verify its signature" });
    assert.equal(await way.getAttribute("href"), "/settings/verification");
    await postLead(accountId, { id: "1", lead: { email: "ada@example.com", score: 90 } });
    const first = await ask(url, token.trim(), "wait=5");
    assert.equal(first.answer.messages.length, 1);
    assert.equal((await ask(url, token.trim(), `ack=${first.answer.claim}`)).status, 200);
    await page.goto(`${url}/deliveries`);
    await page.getByText("Acknowledged").first().waitFor();
    await page.getByRole("row").nth(1).click();
    await page.getByText("Your program acknowledged it").first().waitFor();
    await assertSound(page);
    await page.goto(`${url}/settings/webhooks`);
    await page.getByText("Your program asks").first().waitFor();
    await page.getByRole("link", { name: "Webhook to my program" }).click();
    await page.getByRole("link", { name: "Edit" }).first().click();
    await page.getByLabel("A URL").check();
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/asked`);
    await save(page);
    await saved(page);
    assert.equal((await ask(url, token.trim())).status, 404, "no webhook is asked any more");
  });

  test("a declared type gets a webhook with a condition: tested, saved, delivered, edited and deleted", async () => {
    await using visit = await stage.open("/");
    const { page, accountId } = visit;
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("link", { name: "Create the first webhook" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Leads to the CRM");
    await add(page, "Lead identified");
    await page.getByRole("button", { name: "Conditions" }).click();
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.keyboard.type("lead.score");
    await page.getByLabel("Comparison of condition 1").selectOption("at_least");
    await page.getByLabel("Value of condition 1").fill("80");
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/leads`);

    const earlier = receiver.requests.length;
    assert.equal(await page.getByLabel("Event", { exact: true }).inputValue(), "lead_identified");
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText("Your endpoint accepted the test.").waitFor();
    const tested = receiver.requests[earlier] ?? assert.fail();
    assert.equal(tested.headers["bellwire-test"], "1");
    assert.equal(JSON.parse(tested.body.toString()).event, "lead_identified");
    assert.match(page.url(), /\/settings\/webhooks\/new$/, "it was not saved");

    await save(page);
    await saved(page);
    await page.waitForURL(/\/settings\/webhooks\/whk_\w+\/edit$/);
    await postLead(accountId, { id: "cold", lead: { score: 79 } });
    await postLead(accountId, { id: "hot", lead: { email: "ada@example.com", score: 80 } });
    await receiver.received(earlier + 2);
    assert.equal(JSON.parse(receiver.requests[earlier + 1]?.body.toString() ?? "").id, "hot");
    await page.reload();
    await page.getByRole("button", { name: "1 condition" }).click();
    await page.getByText("Would have been sent for 1 of the last 2 events.").waitFor();
    await page.getByRole("link", { name: "cold", exact: true }).waitFor();

    await page.getByRole("button", { name: "Add event types" }).click();
    await add(page, "Form submitted");
    await save(page);
    await saved(page);
    await page.getByRole("link", { name: "Back to webhooks" }).click();
    const row = page.getByRole("row", { name: /Leads to the CRM/ });
    await row.getByText("Lead identified and 1 more").waitFor();
    await page.getByRole("button", { name: "Actions for Leads to the CRM" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("alertdialog", { name: "Delete the webhook “Leads to the CRM”?" }).waitFor();
    await page.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  });

  test("an incomplete form goes to its first bad field, a refused condition to its own row", async () => {
    await using visit = await stage.open("/settings/webhooks/new", { expected: REFUSED });
    const { page } = visit;
    const name = page.getByLabel("Name", { exact: true });
    const search = page.getByLabel("Find an event type");
    const url = page.getByLabel("Webhook URL");
    await save(page);
    await assertFocused(url);
    await url.fill(`${receiver.url}/in`);
    await name.fill("");
    await save(page);
    await assertFocused(search);
    assert.match(await name.inputValue(), /^Webhook to 127\.0\.0\.1:\d+$/, "it was proposed");
    await url.fill("");
    await name.fill(" ");
    await save(page);
    await assertFocused(url);
    assert.equal(await readDescription(name), "Give the webhook a name.");
    await name.fill("Leads");
    await url.fill(`${receiver.url}/in`);
    await save(page);
    await assertFocused(search);
    assert.match(await readDescription(search), /^Choose at least one event type, or all events\./);
    await add(page, "Form submitted");
    await add(page, "Lead identified");
    const lead = page.getByRole("listitem").filter({ hasText: "lead_identified" });
    await lead.getByRole("button", { name: "Conditions" }).click();
    await lead.getByRole("button", { name: "Add condition" }).click();
    const field = lead.getByLabel("Field of condition 1");
    await field.fill("lead.scroe");
    await lead.getByLabel("Value of condition 1").fill("80");
    // What is folded away opens again for its error.
    await lead.getByRole("button", { name: "1 condition" }).click();
    await field.waitFor({ state: "detached" });
    await save(page);
    await assertFocused(field);
    assert.match(await readDescription(field), /lead\.score/);
    await field.fill("lead.score");
    await save(page);
    await saved(page);
  });

  test("types are found by words, added and taken away by keyboard, and one that the plan lacks says why", async () => {
    await using visit = await stage.open("/settings/webhooks/new");
    const { page } = visit;
    const gated = page.getByRole("button", { name: "Add Meeting booked" });
    assert.equal(await gated.getAttribute("aria-disabled"), "true");
    assert.match(await readDescription(gated), /need the Growth plan or higher/);
    await gated.click({ force: true });
    assert.equal(await page.getByRole("list", { name: "Chosen events" }).count(), 0, "a click on it does nothing");

    const search = page.getByLabel("Find an event type");
    await search.fill("visitor name");
    await page.getByText("1 event type to add").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove Lead identified" }).waitFor();
    await search.fill("");
    await page.getByRole("button", { name: "Add Demo viewed" }).focus();
    await page.keyboard.press("Enter");
    await assertFocused(page.getByRole("button", { name: "Add Chat completed" }));
    await page.getByRole("button", { name: "Remove Lead identified" }).focus();
    await page.keyboard.press("Enter");
    await assertFocused(page.getByRole("button", { name: "Remove Demo viewed" }));
    await page.keyboard.press("Enter");
    await assertFocused(search);
  });

  test("two people at once: both are kept, and the second is told what the first changed", async () => {
    await using ana = await stage.open("/settings/webhooks");
    await createWebhook(ana.page, { name: "Shared", url: `${receiver.url}/shared` });
    const who = { accountId: ana.accountId, person: "bo@example.com", expected: REFUSED };
    await using bo = await stage.open(new URL(ana.page.url()).pathname, who);
    await bo.page.getByLabel("Name", { exact: true }).fill("Bo's name");
    await ana.page.getByRole("radio", { name: "All events" }).check();
    await save(ana.page);
    await saved(ana.page);
    await save(bo.page);
    await bo.page.getByText(/^Saved, together with what ana@example\.com changed: All events/).waitFor();
    assert.equal(await bo.page.getByLabel("Name", { exact: true }).inputValue(), "Bo's name");
    assert.ok(await bo.page.getByRole("radio", { name: "All events" }).isChecked());
    await bo.page.getByRole("link", { name: "Back to webhooks" }).click();
    await bo.page
      .getByRole("row", { name: /Bo's name/ })
      .getByText("All events")
      .waitFor();
  });

  test("a viewer sees a webhook and is told why nothing can be changed", async () => {
    await using owner = await stage.open("/settings/webhooks");
    await createWebhook(owner.page, { name: "Read only", url: `${receiver.url}/in` });
    const who = { accountId: owner.accountId, person: "vi@example.com", role: "viewer" } as const;
    await using visit = await stage.open(new URL(owner.page.url()).pathname, who);
    const { page } = visit;
    const form = page.getByRole("form", { name: "Webhook" });
    await form.getByText("Only owners can change webhooks.").first().waitFor();
    assert.equal(await page.getByLabel("Webhook URL").isEditable(), false);
    assert.equal(await page.getByRole("button", { name: "Add event types" }).count(), 0);
    assert.equal(await page.getByRole("button", { name: "Remove Lead identified" }).count(), 0);
  });

  for (const scheme of ["light", "dark"] as const) {
    test(`list and form have no fault that axe finds, and fit into 320 px (${scheme})`, async () => {
      await using visit = await stage.open("/settings/webhooks", { scheme, width: 320 });
      const { page } = visit;
      await page.getByRole("link", { name: "Create the first webhook" }).waitFor();
      await assertSound(page);
      await page.goto(new URL("/settings/webhooks/new", page.url()).href);
      await page.getByLabel("Find an event type").waitFor();
      await assertSound(page);
      await createWebhook(page, { name: "<b>bold</b> & a-name-without-any-blank-in-it", url: `${receiver.url}/a` });
      await page.getByRole("button", { name: "Conditions" }).click();
      await page.getByRole("button", { name: "Add event types" }).click();
      await page.getByRole("button", { name: "Add condition" }).click();
      await assertSound(page);
      await page.getByRole("button", { name: "Remove condition 1" }).click();
      await page.getByRole("link", { name: "Back to webhooks" }).click();
      await page.getByRole("button", { name: /Actions for/ }).waitFor();
      await assertSound(page);
    });
  }
});

test("without a folder of event types nothing of webhooks of their own is shown", async () => {
  const plain = await setStage();
  after(() => plain[Symbol.asyncDispose]());
  await using visit = await plain.open("/", { assistants: ["support"] });
  const { page } = visit;
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  await links.first().waitFor();
  assert.deepEqual(await links.allTextContents(), [
    "Overview",
    "Sessions",
    "People",
    "Assistants",
    "Deliveries",
    "Incidents",
    "Event catalog",
    "Alerts",
    "Verification",
    "Activity",
    "Account",
  ]);
  for (const path of ["/events", "/settings/alerts/new", "/assistants/support/integrations", "/deliveries"]) {
    await page.goto(`${plain.dashboard.url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await assertSound(page);
    const hrefs = await page.locator("a[href]").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    assert.deepEqual(
      hrefs.filter((href) => href?.includes("/settings/webhooks")),
      [],
      path,
    );
  }
});
