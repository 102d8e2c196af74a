/** Lists in windows between a phone and a desktop: nothing lies beyond an edge, and names can be read. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { setDestinationState } from "../../src/accounts/set-destination-state.ts";
import { assertSound, settled } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { giveWebhook } from "../../test/kit/world/alerts.ts";
import { ADA, toValue } from "../../test/kit/world/world.ts";
import { putAlert, untilInLog } from "../../test/kit/browser/webhooks.ts";

const { stage, receiver } = await setStageWithReceiver();

/** On both sides of where the rail appears (1024 px), and where a list becomes a table. */
const WIDTHS = [320, 640, 700, 768, 900, 1020, 1024, 1130, 1280, 1440];
const NAME = "New leads of the enterprise team in the northern regions";
const ASSISTANT = "Receptionist of the enterprise team";
const NAME_PX_MIN = 100;

/** How far the list can be scrolled sideways, and the width that its names have. */
const MEASURED = `(() => {
  const lists = [...document.querySelectorAll("[role=region]:has(> table)")];
  const names = [...document.querySelectorAll("[data-row]")];
  return {
    hidden: Math.max(...lists.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)),
    name: Math.min(...names.map((name) => name.closest("td").clientWidth)),
  };
})()`;

async function assertListFits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.locator("[data-row]").first().waitFor();
  await settled(page);
  const { hidden, name } = await page.evaluate<{ hidden: number; name: number }>(MEASURED);
  assert.equal(hidden, 0, `${hidden} px lie off the edge in a window of ${width}`);
  assert.ok(name >= NAME_PX_MIN, `a name has ${name} px in a window of ${width}`);
}

/** One alert that sends, and one with the longest word for its state. */
async function openAccount() {
  const visit = await stage.open("/deliveries", { assistants: [ASSISTANT] });
  const { accountId } = visit;
  const { accounts } = stage.dashboard.app;
  const url = `${receiver.url}/hooks/bellwire/enterprise/leads`;
  await putAlert(stage.dashboard, accountId, { name: NAME, url });
  await giveWebhook(accounts, { accountId, assistantId: ASSISTANT, url });
  const destinationId = await putAlert(stage.dashboard, accountId, { name: "Warehouse", url: `${url}/all` });
  const paused = { accountId, destinationId, state: "paused", reason: "paused", by: ADA } as const;
  toValue(await setDestinationState(accounts, paused));
  await stage.dashboard.postSession(1, {}, accountId);
  await untilInLog(stage.dashboard, accountId, { status: "delivered", count: 1 });
  return visit;
}

describe("the lists fit from a phone to a desktop", () => {
  for (const path of ["/", "/settings/alerts", "/assistants"]) {
    test(path, async () => {
      await using visit = await openAccount();
      const { page } = visit;
      await page.goto(`${stage.dashboard.url}${path}`);
      for (const width of WIDTHS) await assertListFits(page, width);
      await page.setViewportSize({ width: 768, height: 900 });
      await assertSound(page);
    });
  }
});
