/** Rows tell themselves apart: which event, whose, and where it went, at every width, in each direction of writing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { toDeclaration } from "../../src/events/declared/declared.kit.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { deliveryRows, untilRows } from "../../test/kit/browser/log-page.ts";
import { assertSound, settled } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { indexAll, putAlert, TWO_ATTEMPTS, untilInLog } from "../../test/kit/browser/webhooks.ts";
import { API_KEY } from "../../test/kit/world/app-under-test.ts";
import { createWebhook } from "../../test/kit/world/alerts.ts";

const TITLES = { "order.created": "Order created", "order.paid": "Order paid", "refund.deleted": "Refund deleted" };
const types = createEventTypes(
  Object.entries(TITLES).map(([type, title]) =>
    toDeclaration({ type, title, headline: ["/who", "/carrier"], search: ["/email", "/note"] }),
  ),
);
const { stage, receiver } = await setStageWithReceiver({ changes: { types, schedule: TWO_ATTEMPTS } });

const ARABIC = "شركة الأفق للتجارة الدولية والخدمات اللوجستية المتكاملة والحلول الرقمية";
const NAMES = ["CRM", "CRM", ARABIC];
const NOOR = "noor@acme.example";

async function createTwins(accountId: string): Promise<void> {
  for (const [place, name] of NAMES.entries()) {
    const url = `${receiver.url}/rows/a%20b%C3%A9ta/long-segment/number-${place}`;
    await createWebhook(stage.dashboard.app.accounts, { accountId, url, name });
  }
}

async function post(accountId: string, type: string, record: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const address = `${stage.dashboard.url}/v1/accounts/${accountId}/events/${type}`;
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(record) });
  assert.equal(answer.status, 202, await answer.text());
}

/** Two orders and a refund of one person, and a parcel of nobody's, to each of three webhooks; two alerts beside. */
async function fill(accountId: string): Promise<void> {
  await createTwins(accountId);
  for (const level of ["high", "low"]) {
    await putAlert(stage.dashboard, accountId, { name: "CRM", url: `${receiver.url}/alerts`, intentLevels: [level] });
  }
  for (const type of Object.keys(TITLES)) {
    await post(accountId, type, { id: `${type}-1`, who: "Noor Haddad", carrier: "ups", email: NOOR, note: ARABIC });
  }
  await post(accountId, "order.paid", { id: "JD0146001", carrier: "ups" });
  await untilInLog(stage.dashboard, accountId, { status: "delivered", count: 4 * NAMES.length });
  await indexAll(stage.dashboard);
}

interface Text {
  readonly text: string;
  readonly isCut: boolean;
  readonly direction: string;
}

/** Of each row the texts that can be cut, as they are seen. */
const TEXTS = `[...document.querySelectorAll("main tbody tr")].map((row) =>
  [...row.querySelectorAll("[dir=auto]")].map((cut) => ({
    text: cut.textContent,
    isCut: cut.scrollWidth > cut.clientWidth,
    direction: getComputedStyle(cut).direction,
  })))`;

async function assertDiffer(rows: Locator, count: number, where: string): Promise<void> {
  await rows.nth(count - 1).waitFor();
  const told = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
  assert.equal(told.length, count, where);
  assert.equal(new Set(told).size, count, `${where}: two rows are the same:\n${told.join("\n")}`);
}

const WORD = "الأفق";

/** Directions of what a search has found, in rows of webhooks whose own names have none of it. */
const FOUND = `[...document.querySelectorAll("main tbody [dir=auto]")]
  .filter((cut) => cut.textContent.includes("${WORD}") && cut.closest("tr").textContent.includes("CRM"))
  .map((cut) => getComputedStyle(cut).direction)`;

/** Each list but the log, with how many rows it has. */
const LISTS: Readonly<Record<string, number>> = {
  "/settings/alerts": 2,
  "/settings/webhooks": NAMES.length,
  "/destinations": 2 + NAMES.length,
  "/audience/events": 4,
};

async function assertLists(page: Page, width: number): Promise<void> {
  for (const [path, count] of Object.entries(LISTS)) {
    await page.goto(`${stage.dashboard.url}${path}`);
    await assertDiffer(page.locator("main tbody tr"), count, `${path} at ${width} px`);
    await assertSound(page);
  }
  await page.goto(`${stage.dashboard.url}/people#email=${NOOR}`);
  const events = page.getByRole("table", { name: /^Deliveries of this/ });
  await events.nth(2).waitFor();
  for (const event of await events.all()) {
    await assertDiffer(event.locator("tbody tr"), NAMES.length, `a person's event at ${width} px`);
  }
}

async function assertRows(page: Page, width: number): Promise<void> {
  await assertDiffer(deliveryRows(page), 4 * NAMES.length, `the log at ${width} px`);
  for (const texts of await page.evaluate<readonly (readonly Text[])[]>(TEXTS)) {
    const seen = JSON.stringify(texts);
    const whole = texts.filter(({ isCut }) => !isCut).map(({ text }) => text);
    const arabic = texts.find(({ text }) => text === ARABIC);
    assert.ok(
      Object.values(TITLES).some((title) => whole.some((text) => text.startsWith(title))),
      `at ${width} px a row has no event: ${seen}`,
    );
    assert.ok(whole.includes("CRM") || arabic !== undefined, `at ${width} px a row has no webhook: ${seen}`);
    assert.equal(arabic?.direction ?? "rtl", "rtl", "its end is at the left");
  }
}

for (const { width, scheme } of [
  { width: 1440, scheme: "light" },
  { width: 1024, scheme: "dark" },
  { width: 390, scheme: "light" },
] as const) {
  test(`each row of the log has its event and its webhook, ${width} px, ${scheme}`, async () => {
    await using visit = await stage.open("/deliveries", { width, scheme });
    const { page, accountId } = visit;
    await fill(accountId);
    await page.reload();
    await untilRows(page, 4 * NAMES.length);
    await settled(page);
    await assertRows(page, width);
    // An event of nobody's is called by its key, and not by what comes second in its headline.
    assert.equal(await deliveryRows(page).getByText("JD0146001", { exact: true }).count(), NAMES.length);
    assert.equal(await page.getByText("Visitor").count(), 0);
    await assertSound(page);
    await assertLists(page, width);
    await page.goto(`${stage.dashboard.url}/deliveries#q=${encodeURIComponent(WORD)}`);
    await untilRows(page, 3 * NAMES.length);
    assert.deepEqual(
      await page.evaluate(FOUND),
      Array.from({ length: 6 }, () => "rtl"),
    );
  });
}

test("incidents of two webhooks of one name and host say whose each is", async () => {
  await using visit = await stage.open("/incidents", { width: 390 });
  const { page, accountId } = visit;
  receiver.script = () => ({ status: 503 });
  await createTwins(accountId);
  for (const number of [1, 2, 3]) await post(accountId, "order.paid", { id: `o-${number}`, carrier: "ups" });
  await untilInLog(stage.dashboard, accountId, { status: "failed", count: 3 * NAMES.length });
  await page.reload();
  await page
    .locator("main summary")
    .nth(NAMES.length - 1)
    .waitFor();
  for (const place of [0, 1]) await page.locator("main summary", { hasText: `number-${place}` }).waitFor();
  await assertSound(page);
});
