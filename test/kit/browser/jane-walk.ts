/**
 * "The webhook of jane@acme.example did not arrive": an owner's way from the overview to the cause, and from the mended
 * receiver to everything delivered, counted in clicks, fields and seconds. A key that is pressed by itself counts as a
 * click; what is typed counts as a field. It is typed key by key: Playwright fills a field of Firefox in a way that no
 * person can, and that React does not see.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { parsePhrases } from "../../../src/domain/search-words.ts";
import type { Receiver } from "../servers/receiver.ts";
import { eventually } from "../wait.ts";
import type { Stage } from "./stage.ts";
import { indexAll, putAlert } from "./webhooks.ts";

const BODY = "upstream is down";
export const WAITING = 12;
const ACCOUNT = "janes-account";
const JANE = {
  id: "00000000-0000-4000-8000-0000000007a1",
  email: "jane@acme.example",
  first_name: "Jane",
  last_name: "Roe",
};

export interface Walked {
  readonly toCause: Counted;
  readonly toDelivered: Counted;
}

export interface Counted {
  readonly clicks: number;
  readonly fields: number;
  readonly seconds: number;
}

/** Called after each step with the page as the owner sees it; its time is not counted. */
export type OnStep = (page: Page, step: string) => Promise<void>;

export async function walkJane(stage: Stage, receiver: Receiver, onStep: OnStep = async () => {}): Promise<Walked> {
  await breakDown(stage, receiver);
  await using visit = await stage.open("/", { accountId: ACCOUNT, width: 1440, height: 900 });
  const { page } = visit;
  await page.getByText(`${WAITING} deliveries wait`).first().waitFor();
  await onStep(page, "1-overview");
  const toCause = await count(async ({ step, type, aside }) => {
    await step(() => page.getByRole("navigation").getByRole("link", { name: "Deliveries" }).click());
    const box = page.getByLabel("Search deliveries");
    await type(() => box.pressSequentially(JANE.email));
    await step(() => box.press("Enter"));
    const row = page.getByRole("table").getByRole("link", { name: /Jane Roe/ });
    await row.first().waitFor();
    await aside(() => onStep(page, "2-found"));
    await step(() => row.first().click());
    await page
      // On a slow machine the rest is over by then, and hers was the probe.
      .getByText(/webhooks to New leads have failed since .* Their last answer: 503|Your endpoint answered 503/)
      .first()
      .waitFor();
    // What the receiver said is part of the cause, without scrolling.
    const said = page.getByRole("region", { name: "Delivery" }).getByText(BODY, { exact: true }).first();
    await said.waitFor();
    const place = await said.boundingBox();
    assert.ok(place !== null && place.y > 0 && place.y + place.height < 900, `the answer is at ${place?.y}`);
  });
  await onStep(page, "3-cause");
  // Between her press and what it does: a moment earlier, the breaker's own next try could send everything before it.
  await page.route(/\/resend$/, async (route) => {
    receiver.script = () => ({});
    await route.continue();
  });
  const before = receiver.requests.length;
  const toDelivered = await count(async ({ step }) => {
    // Its success shows that the receiver is well again, which lets the others go.
    await step(() => page.getByRole("button", { name: "Send now", exact: true }).click());
    await receiver.received(before + WAITING);
    await page.getByText("Delivered", { exact: true }).first().waitFor();
  });
  await onStep(page, "4-delivered");
  return { toCause, toDelivered };
}

/** Its receiver answers 503 until it rests; Jane's session is one of those that wait. The search has read them all. */
async function breakDown({ dashboard }: Stage, receiver: Receiver): Promise<void> {
  receiver.script = () => ({ status: 503, body: BODY });
  await dashboard.putAccount(ACCOUNT);
  await putAlert(dashboard, ACCOUNT, { url: `${receiver.url}/crm` });
  const before = receiver.requests.length;
  for (let number = 1; number < WAITING; number += 1) await dashboard.postSession(number, {}, ACCOUNT);
  await receiver.received(before + 8);
  await dashboard.postSession(WAITING, { lead: JANE }, ACCOUNT);
  await indexAll(dashboard);
  const { store } = dashboard.app.accounts;
  await eventually("the search knows of Jane", async () => {
    const phrases = parsePhrases(JANE.email);
    const search = { accountId: ACCOUNT, phrases, withTests: false, before: null, limit: 1, nowMs: Date.now() };
    return (await store.searchDeliveries(search)).deliveries.length > 0;
  });
}

type Act = (act: () => Promise<unknown>) => Promise<void>;

interface Steps {
  /** One of the owner's own clicks. */
  readonly step: Act;
  /** One field that the owner fills. */
  readonly type: Act;
  /** It takes no time. */
  readonly aside: Act;
}

async function count(walk: (steps: Steps) => Promise<void>): Promise<Counted> {
  let [clicks, fields, asideMs] = [0, 0, 0];
  const startedMs = performance.now();
  await walk({
    async step(act) {
      clicks += 1;
      await act();
    },
    async type(act) {
      fields += 1;
      await act();
    },
    async aside(act) {
      const beganMs = performance.now();
      await act();
      asideMs += performance.now() - beganMs;
    },
  });
  return { clicks, fields, seconds: (performance.now() - startedMs - asideMs) / 1000 };
}
