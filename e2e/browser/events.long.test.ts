/** Events of types that the operator declares in files: their list, the page of one, and every way to it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { saveWebhook } from "../../src/accounts/save-webhook.ts";
import { readEventTypes } from "../../src/events/declared/read-event-types.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { toDeclaration } from "../../src/events/declared/declared.kit.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { deliveryRows, untilRows } from "../../test/kit/browser/log-page.ts";
import { assertSound, REFUSED } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { indexAll, untilInLog } from "../../test/kit/browser/webhooks.ts";
import { API_KEY } from "../../test/kit/world/app-under-test.ts";
import { ADA, toValue } from "../../test/kit/world/world.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples/events");

/** Those of the examples, and so many others that a list of them has to be searched. */
const types = createEventTypes([
  ...toValue(readEventTypes(EXAMPLES, { taken: [] })),
  ...Array.from({ length: 120 }, (_, n) => toDeclaration({ type: `other_${n}`, title: `Other ${n}` })),
]);
const { stage, receiver } = await setStageWithReceiver({ changes: { types } });

const FORM = types.find("form_submitted");
const KEY = "900719925474099312";
/** The same number to a float. */
const NEXT = "900719925474099313";

async function post(accountId: string, type: string, record: string): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const address = `${stage.dashboard.url}/v1/accounts/${accountId}/events/${type}`;
  const answer = await fetch(address, { method: "POST", headers, body: record });
  assert.equal(answer.status, 202, await answer.text());
}

/** Two forms that differ by a digit no float has, a lead, and a session, all sent to one webhook. */
async function fill(accountId: string): Promise<void> {
  const webhook = makeWebhookForm({ url: `${receiver.url}/everything` });
  const settings = { name: "Warehouse", events: "all" } as const;
  toValue(await saveWebhook(stage.dashboard.app.accounts, { accountId, existing: null, settings, webhook, by: ADA }));
  const form = FORM?.newExample(Date.now(), "0").replace(/"submission_id":\s*\d+/, `"submission_id":${KEY}`) ?? "";
  await post(accountId, "form_submitted", form);
  await post(accountId, "form_submitted", form.replace(KEY, NEXT).replace("ada@example.com", "grace@example.com"));
  const lead = types.find("lead_identified");
  await post(accountId, "lead_identified", lead?.newExample(Date.now(), "11111111-1111-4111-8111-111111111111") ?? "");
  await stage.dashboard.postSession(1, { name: "Product tour" }, accountId);
  await untilInLog(stage.dashboard, accountId, { status: "delivered", count: 4 });
  await indexAll(stage.dashboard);
}

const LOOKS = [
  { scheme: "light", width: 1280 },
  { scheme: "dark", width: 1280 },
  { scheme: "light", width: 320 },
] as const;

/** Waits until the list has that many events: the ones before stay while others are on the way. */
async function untilEvents(page: Page, count: number): Promise<void> {
  const rows = page.getByRole("table", { name: "Events, newest first" }).locator("tbody tr");
  await rows.nth(count - 1).waitFor();
  await rows.nth(count).waitFor({ state: "detached" });
}

describe("events", () => {
  for (const look of LOOKS) {
    test(`of all types are one list, and each opens as a tree to read (${look.scheme}, ${look.width} px)`, async () => {
      await using visit = await stage.open("/audience/events", look);
      const { page, accountId } = visit;
      await page.getByRole("heading", { name: "No events yet" }).waitFor();
      await assertSound(page);
      await fill(accountId);
      await page.reload();
      const table = page.getByRole("table", { name: "Events, newest first" });
      await table.getByRole("row", { name: /Ada Lovelace Demo viewed · Product tour .*1 delivered/ }).waitFor();
      await untilEvents(page, 4);
      await assertSound(page);

      await table.getByRole("row", { name: /ada@example.com Form submitted · Contact sales/ }).click();
      await page.getByRole("heading", { level: 1, name: "ada@example.com" }).waitFor();
      assert.ok(page.url().endsWith(`/audience/events/form_submitted/${KEY}`), page.url());
      await page.getByText("What the visitor filled in, in the form's order.").waitFor();
      await page.getByText(KEY, { exact: true }).first().waitFor();
      await page.getByText("How many people are you?").waitFor();
      await page.getByRole("link", { name: "www.example.com/contact" }).waitFor();
      await page.getByRole("table", { name: "Deliveries of this event" }).getByText("Warehouse").waitFor();
      await assertSound(page);
      await page.getByRole("tab", { name: "Payload" }).click();
      await page.getByRole("region", { name: "Body" }).getByText('"submission_id"').waitFor();
      await assertSound(page);
    });
  }

  test("are filtered by a type that is searched for among many, in their list and in the log", async () => {
    await using visit = await stage.open("/");
    const { page, accountId } = visit;
    await fill(accountId);
    await page.reload();
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.getByRole("button", { name: "Event", exact: true }).click();
    await page.getByRole("searchbox", { name: "Find an event" }).fill("form sub");
    await page.getByRole("button", { name: "Form submitted", exact: true }).click();
    await page.getByRole("button", { name: "Event: Form submitted", exact: true }).waitFor();
    await page.getByRole("row", { name: /grace@example.com/ }).waitFor();
    await untilEvents(page, 2);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("button", { name: "Event", exact: true }).click();
    await page.getByRole("searchbox", { name: "Find an event" }).fill("lead");
    await page.getByRole("dialog", { name: "Event" }).getByRole("button", { name: "Lead identified" }).click();
    await untilRows(page, 1);
    await deliveryRows(page).getByText("Example Analytics").first().waitFor();
    await assertSound(page);
  });

  test("are found by their exact key, and their deliveries lead to them", async () => {
    await using visit = await stage.open("/audience/events");
    const { page, accountId } = visit;
    await fill(accountId);
    await page.goto(`${stage.dashboard.url}/deliveries?q=${NEXT}`);
    await page.getByRole("link", { name: /grace@example.com/ }).click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.getByRole("link", { name: NEXT, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "grace@example.com" }).waitFor();
    await page.goto(`${stage.dashboard.url}/audience/events?q=${KEY}`);
    await page.getByRole("row", { name: /ada@example.com/ }).waitFor();
    await untilEvents(page, 1);
  });

  test("one that is not there says so", async () => {
    await using visit = await stage.open(`/audience/events/form_submitted/1`, { expected: REFUSED });
    await visit.page.getByRole("heading", { name: "We couldn’t find this event" }).waitFor();
    await visit.page.getByRole("link", { name: "Back to Events" }).waitFor();
  });
});
