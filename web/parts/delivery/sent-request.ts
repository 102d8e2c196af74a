/** A delivery's latest request as it was sent, to be made into a command. Pure. */
import type { DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import type { SentRequest } from "../../curl.ts";

/** `null` when `notCopyable` says why. */
export function findSentRequest({ attempts, body }: DeliveryDetail): SentRequest | null {
  const last = attempts.at(-1);
  if (last === undefined || body === null) return null;
  return { url: last.url, headers: last.requestHeaders, body };
}

/** The reason for a missing request, in words; `null` when there is one. */
export function notCopyable({ attempts, body }: DeliveryDetail): string | null {
  if (body === null) return "Its payload has reached the end of its retention time and was deleted.";
  return attempts.length === 0 ? "Nothing was sent yet." : null;
}

/**
 * The same request to another place: what is typed is an origin, or an address with a path that is used instead of the
 * webhook's. `null` for what is no http address.
 */
export function redirected(request: SentRequest, typed: string): SentRequest | null {
  // Browsers make a host of "a b", which is a mistake in every case.
  if (/\s/.test(typed.trim())) return null;
  const target = URL.parse(/^[a-z]+:\/\//i.test(typed.trim()) ? typed.trim() : `http://${typed.trim()}`);
  if (target === null || !/^https?:$/.test(target.protocol) || target.hostname === "") return null;
  const original = URL.parse(request.url);
  if (original !== null && target.pathname === "/" && target.search === "") {
    target.pathname = original.pathname;
    target.search = original.search;
  }
  target.hash = "";
  return { ...request, url: target.href };
}
