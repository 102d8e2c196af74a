/**
 * Facts that tests ask a page for: focus, what describes a control, and whether axe or the window's edges find a fault.
 */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { findOverflows, findViolations } from "./axe.ts";

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

const FOCUS_MS_MAX = 3_000;

/** The text of everything that describes it, as a reader of the screen would say it. */
export async function readDescription(control: Locator): Promise<string> {
  const ids = ((await control.getAttribute("aria-describedby")) ?? "").split(" ").filter((id) => id !== "");
  const texts = await Promise.all(ids.map((id) => control.page().locator(`[id="${id}"]`).textContent()));
  return texts.join(" ").trim();
}

export async function assertSound(page: Page): Promise<void> {
  assert.deepEqual([...(await findViolations(page)), ...(await findOverflows(page))], []);
}

/** The current secret, as its owner gets it. */
export async function revealSecret(page: Page, address: string): Promise<string> {
  await page.goto(`${address}/settings/verification`);
  const secret = page.getByRole("group", { name: "Current secret" });
  await secret.getByRole("button", { name: "Reveal" }).click();
  return (await secret.getByText(/^whsec_[\w+/=]+$/).textContent()) ?? "";
}
