/** A destination's settings as the form shows them. A secret's value never leaves the server. Pure. */
import type { DestinationView } from "../../accounts/account-view.ts";
import type { WebhookSettings } from "../contract/destinations.ts";

export function toWebhookSettings(destination: DestinationView | null): WebhookSettings | null {
  if (destination === null) return null;
  const { id, url, headers, ratePerSecond } = destination;
  return {
    destinationId: id,
    url,
    headers: headers.map(({ name, value, secret }) => ({ name, value: secret ? null : value, secret })),
    ratePerSecond,
  };
}
