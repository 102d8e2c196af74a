/** The settlement of an attempt that went well, as the path writes it. */
import type { ClaimedDelivery, Settlement } from "../../src/store/contract/path.ts";

const TIMINGS = { dnsMs: 0.1, connectMs: 0.4, tlsMs: 8.1, firstByteMs: 31.2, totalMs: 31.7 };
const REQUEST_HEADERS = {
  "content-type": "application/json",
  "user-agent": "Bellwire",
  "x-service-signature": "bm8gcmVhbCBzaWduYXR1cmUsIGJ1dCBhcyBsb25nIGFzIG9uZQ==",
};

export const delivered =
  (nowMs: number) =>
  ({ id, accountId, claim, attemptsMade }: ClaimedDelivery): Settlement => ({
    deliveryId: id,
    accountId,
    claimToken: claim.token,
    attempt: {
      number: attemptsMade + 1,
      startedAtMs: nowMs,
      url: "https://receiver.example/hook",
      requestHeaders: { ...REQUEST_HEADERS, "webhook-id": id },
      result: {
        outcome: {
          kind: "response",
          response: { status: 200, headers: { "content-type": "text/plain" }, body: OK, bodyCut: false },
        },
        timings: TIMINGS,
        address: "203.0.113.7",
      },
    },
    next: { state: "delivered" },
    isFree: false,
    isTrial: false,
    destinationOff: null,
    setUpAtMs: null,
    holdUntilMs: null,
  });

const OK = new TextEncoder().encode("ok");
