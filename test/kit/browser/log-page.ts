/** The parts of the page of deliveries that tests look at. */
import type { Page } from "playwright-core";
import type { ReceivedRequest, Receiver } from "../servers/receiver.ts";

export const deliveryRows = (page: Page) =>
  page.getByRole("table", { name: "Deliveries, newest first" }).locator("tbody tr");

/** Waits until the list has that many rows. */
export async function untilRows(page: Page, count: number): Promise<void> {
  const rows = deliveryRows(page);
  await rows.nth(count - 1).waitFor();
  await rows.nth(count).waitFor({ state: "detached" });
}

/** Opens a filter of the bar and chooses in it, as somebody with a pointer does. */
export async function filterBy(page: Page, filter: string, choice: string): Promise<void> {
  const bar = page.getByRole("search", { name: "Deliveries" });
  await bar.getByRole("button", { name: new RegExp(`^${filter}\\b`) }).click();
  await page.getByRole("dialog", { name: filter }).getByRole("button", { name: choice, exact: true }).click();
  // One status may not be all that is wanted, so that one stays open.
  await page.keyboard.press("Escape");
}

/** Requests to the destination with this path in its URL. */
export const findRequests = (receiver: Receiver, path: string): readonly ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === path);
