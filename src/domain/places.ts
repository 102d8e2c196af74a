/** The pages that the dashboard's rail names, by address, each with the addresses that belong to it beside its own. */
export const PLACES = {
  "/": "/destinations",
  "/audience/sessions": null,
  "/audience/events": null,
  "/people": null,
  "/assistants": null,
  "/deliveries": "/replays",
  "/incidents": null,
  "/events": "/refused-records",
  "/playground": null,
  "/settings/alerts": null,
  "/settings/webhooks": null,
  "/settings/verification": null,
  "/settings/activity": null,
  "/settings/account": null,
} as const;

export type PlaceAddress = keyof typeof PLACES;

/** Whether the path is this address or one below it, or belongs to it. The root has none below it. */
export function isAt(path: string, address: string): boolean {
  const isWithin = (around: string): boolean => path === around || (around !== "/" && path.startsWith(`${around}/`));
  const also = Object.hasOwn(PLACES, address) ? PLACES[address as PlaceAddress] : null;
  return isWithin(address) || (also !== null && isWithin(also));
}
