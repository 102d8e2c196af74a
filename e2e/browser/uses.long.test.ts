/** An account with events of its own alone: no page speaks of demos, visitors, chats or alerts, nor leads to them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { accept } from "../../src/delivery/accept.ts";
import { toDeclaration } from "../../src/events/declared/declared.kit.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { assertSound, settled } from "../../test/kit/browser/page-facts.ts";
import { eventually } from "../../test/kit/wait.ts";
import { type SignedIn, type Who, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { untilInLog } from "../../test/kit/browser/webhooks.ts";
import { createWebhook } from "../../test/kit/world/alerts.ts";
import { toValue } from "../../test/kit/world/world.ts";

const ORDER = "order.paid";
const types = createEventTypes([toDeclaration({ type: ORDER, title: "Order paid", search: ["/customer"] })]);
const { stage, receiver } = await setStageWithReceiver({ changes: { types } });
const folder = process.env["USES_PICTURES"];

const OTHERS = /\b(?:demos?|visitors?|sessions?|conversations?|chat assistants?|assistants?|alerts?)\b/gi;

async function open(path: string, who: Who): Promise<SignedIn & { readonly webhookId: string }> {
  const visit = await stage.open("/healthz", who);
  const { accountId, page } = visit;
  const { accounts, delivery, engine } = stage.dashboard.app;
  const events = [{ type: ORDER }];
  const webhookId = await createWebhook(accounts, { accountId, name: "ERP", url: `${receiver.url}/erp`, events });
  const record = JSON.stringify({ id: "o-17", customer: "jane@acme.example" });
  const order = toValue(types.find(ORDER)?.parse(record) ?? assert.fail());
  toValue(await accept({ ctx: delivery, engine }, accountId, [order]));
  await untilInLog(stage.dashboard, accountId, { status: "delivered", count: 1 });
  await page.goto(`${stage.dashboard.url}${path}`);
  return { ...visit, webhookId };
}

async function findOthers(page: Page): Promise<readonly string[]> {
  await settled(page);
  const text = await page.evaluate<string>("document.body.innerText");
  return text.match(OTHERS) ?? [];
}

describe("where there are only events of one’s own", () => {
  for (const look of [
    { width: 1440, scheme: "light" },
    { width: 390, scheme: "dark" },
    { width: 320, scheme: "light" },
  ] as const) {
    test(`pages speak of those alone, ${look.width} px`, async () => {
      await using visit = await open("/", look);
      const { page, webhookId } = visit;
      const own = `/settings/webhooks/${webhookId}`;
      for (const path of ["/", "/audience/events", "/people", "/deliveries", "/destinations", "/events", own]) {
        await page.goto(`${stage.dashboard.url}${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        assert.deepEqual(await findOthers(page), [], path);
        await assertSound(page);
        if (folder !== undefined) {
          const name = path.replaceAll("/", "-").slice(0, 20);
          await page.screenshot({ path: `${folder}/uses${name}-${look.width}.png` });
        }
      }
    });
  }

  test("the log’s filter and its empty list offer no other", async () => {
    await using visit = await open("/deliveries", { width: 1440 });
    const { page } = visit;
    await page.getByRole("button", { name: "Event", exact: true }).click();
    await page.getByRole("dialog", { name: "Event" }).getByRole("button", { name: "Order paid" }).waitFor();
    assert.deepEqual(await findOthers(page), []);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("o-17");
    await page.getByRole("option", { name: /^Deliveries with/ }).waitFor();
    assert.deepEqual(await findOthers(page), []);
  });

  test("the first session brings the rest back", async () => {
    await using visit = await open("/", {});
    const { page, accountId } = visit;
    const rail = page.getByRole("navigation", { name: "Main" });
    await rail.getByRole("link", { name: "Events", exact: true }).waitFor();
    assert.equal(await rail.getByRole("link", { name: "Sessions" }).count(), 0);
    let rounds = 0;
    await createWebhook(stage.dashboard.app.accounts, { accountId, name: "Lake", url: `${receiver.url}/lake` });
    await page.getByText("Live", { exact: true }).first().waitFor();
    await page.clock.install();
    await stage.dashboard.postSession(1, {}, accountId);
    // By itself: who is signed in, and what is used there, is asked again at most every 15 s.
    await eventually("the rail leads to alerts", async () => {
      await page.clock.fastForward(5_000);
      await stage.dashboard.postSession(2 + (rounds += 1), {}, accountId);
      return await rail.getByRole("link", { name: "Alerts" }).isVisible();
    });
    assert.equal(await rail.getByRole("link", { name: "Assistants" }).count(), 0);
  });
});
