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

/** Requests to the destination with this path in its URL. */
export const findRequests = (receiver: Receiver, path: string): readonly ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === path);
