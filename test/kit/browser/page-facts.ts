/**
 * Facts that tests ask a page for: focus, what describes a control, and whether axe or the window's edges find a fault.
 */
import assert from "node:assert/strict";
import type { Locator, Frame, Page } from "playwright-core";
import { eventually } from "../wait.ts";
import { findLooseTexts, findOverflows, findViolations } from "./axe.ts";

/** The browser's own line for each answer of 4xx or 5xx, in tests that provoke one. */
export const REFUSED: readonly RegExp[] = [/Failed to load resource: the server responded with a status of 4\d\d/];

/** Focus may follow in the next frame, as it does when a menu opens. */
export async function assertFocused(control: Locator): Promise<void> {
  const page = control.page();
  const isFocused = await control
    .and(page.locator(":focus"))
    .waitFor({ timeout: FOCUS_MS_MAX })
    .then(
      () => true,
      () => false,
    );
  const focused = await page.evaluate<string>("document.activeElement.outerHTML.slice(0, 200)");
  assert.ok(isFocused, `focus is on ${focused}`);
}

/** As long as anything else on a page is waited for: a slow machine is no fault of the page. */
const FOCUS_MS_MAX = 15_000;

/** The text of everything that describes it, as a reader of the screen would say it. */
export async function readDescription(control: Locator): Promise<string> {
  const ids = ((await control.getAttribute("aria-describedby")) ?? "").split(" ").filter((id) => id !== "");
  const texts = await Promise.all(ids.map((id) => control.page().locator(`[id="${id}"]`).textContent()));
  return texts.join(" ").trim();
}

/**
 * Waits until the page stands still: no answer that its tables and skeletons wait for is on its way, and nothing fades
 * or moves. The states in between are a test of their own in pages.long.test.ts, where each is held.
 */
export async function settled(page: Page | Frame): Promise<void> {
  await eventually("no answer is on its way", async () => (await page.locator(ON_ITS_WAY).count()) === 0);
  await untilStill(page);
}

const ON_ITS_WAY = ".animate-appear, table[aria-busy=true], section[aria-busy=true]";

/** Nothing fades or moves, but what does so without an end, such as a spinner. */
export async function untilStill(page: Page | Frame): Promise<void> {
  await eventually("the page stands still", async () => await page.evaluate<boolean>(IS_STILL));
}

const IS_STILL = `document.getAnimations().every(({ playState, effect }) =>
  playState !== "running" || effect.getComputedTiming().endTime === Infinity)`;

/** No fault that axe finds, and nothing outside the window, once the page stands still. */
export async function assertSound(page: Page): Promise<void> {
  await settled(page);
  await assertSoundNow(page);
}

/** The same, of a state in between: answers that the page waits for may be on their way. */
export async function assertSoundNow(page: Page): Promise<void> {
  await untilStill(page);
  assert.deepEqual(await findFaults(page), []);
}

/** A line for each. */
export const findFaults = async (page: Page): Promise<string[]> => [
  ...(await findViolations(page)),
  ...(await findOverflows(page)),
  ...(await findLooseTexts(page)),
];

/** The current secret, as its owner gets it. */
export async function revealSecret(page: Page, address: string): Promise<string> {
  await page.goto(`${address}/settings/verification`);
  const secret = page.getByRole("group", { name: "Current secret" });
  await secret.getByRole("button", { name: "Reveal" }).click();
  return (await secret.getByText(/^whsec_[\w+/=]+$/).textContent()) ?? "";
}
