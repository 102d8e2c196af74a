/** The promises to receivers: the same bytes each time, signatures that verify, and only at addresses as set up. */
import { secondsMs } from "../../src/lib/duration.ts";
import { verify } from "../../src/receiver/verify.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { listDestinations, type SendRecord } from "../records.ts";
import type { Invariant, NewInvariant } from "./invariant.ts";

const bytesAreThose = (): Invariant => ({
  name: "every attempt sends the bytes that were committed",
  see(fact, { ledger }) {
    if (fact.kind !== "send_started") return null;
    const { deliveryId, request, number } = fact.send;
    if (ledger.deliveries.get(deliveryId)?.event.body === request.body) return null;
    return { message: `send ${number} of ${deliveryId} has another body than its event`, about: deliveryId };
  },
});

const signaturesVerify = (): Invariant => ({
  name: "every signature verifies",
  see(fact, { ledger, swarm, findSecret }) {
    if (fact.kind !== "send_started") return null;
    const { deliveryId, request, number } = fact.send;
    // A clock may jump between signing and sending; the time is then as wrong as the clock.
    const signedMs = Number(request.headers["webhook-timestamp"]) * 1000;
    const nodeStartedMs = swarm.isOn("clock_jump") ? signedMs : fact.send.nodeStartedMs;
    const accountId = ledger.deliveries.get(deliveryId)?.event.accountId ?? "";
    const options = { nowMs: nodeStartedMs, requireStandard: true };
    const verified = verify({ body: request.body, headers: request.headers }, [findSecret(accountId)], options);
    if (verified.valid && verified.webhookId === deliveryId) return null;
    const why = verified.valid ? `webhook-id is ${verified.webhookId}` : verified.reason;
    return { message: `send ${number} of ${deliveryId} does not verify: ${why}`, about: deliveryId };
  },
});

const goesWhereItIsSetUp = (): Invariant => ({
  name: "a request goes to its destination as it was set up when it was claimed, or later, and only while that is on",
  see(fact, { ledger }) {
    if (fact.kind !== "send_started" || fact.send.claim === null) return null;
    const { deliveryId, destinationId, request, number, claim: claimed } = fact.send;
    if (
      ledger.deliveries.get(deliveryId)?.destinationId === destinationId &&
      wasSetUp(ledger, fact.send, claimed.configVersion)
    )
      return null;
    const message = `send ${number} of ${deliveryId} goes to ${request.url.href}, where nothing (more) is to be sent`;
    return { message, about: deliveryId };
  },
});

/** In that version of the account, or a later one. */
function wasSetUp(ledger: Ledger, { deliveryId, destinationId, request }: SendRecord, versionMin: number): boolean {
  const accountId = ledger.deliveries.get(deliveryId)?.event.accountId ?? "";
  const versions = ledger.configs.versions(accountId).filter(({ account }) => account.configVersion >= versionMin);
  const destinations = versions.flatMap(({ account }) => listDestinations(account));
  return destinations.some(({ id, url, state }) => id === destinationId && url === request.url.href && state === "on");
}

/** As the documents have it, for several nodes; one alone has nothing to wait for. */
const REACH_MS = secondsMs(2);

/** From the commit on where the answer follows it: the promise is made from the answer, which is never earlier. */
const changesReachEveryNode = (): Invariant => {
  const answered = new Map<string, number>();
  return {
    name: "no request starts for an address that was changed, paused or gone 2 s before, on one node at all",
    see(fact, { ledger, isShared, nowMs }) {
      if (fact.kind === "change_answered") {
        answered.set(fact.accountId, Math.max(fact.configVersion, answered.get(fact.accountId) ?? 0));
      }
      if (fact.kind !== "send_started") return null;
      const { deliveryId, request, number } = fact.send;
      const accountId = ledger.deliveries.get(deliveryId)?.event.accountId ?? "";
      const reached = ledger.configs.versions(accountId).findLast(({ atMs }) => atMs <= nowMs() - REACH_MS);
      const versionMin = isShared ? (reached?.account.configVersion ?? 0) : (answered.get(accountId) ?? 0);
      if (wasSetUp(ledger, fact.send, versionMin)) return null;
      const message = `send ${number} of ${deliveryId} starts for ${request.url.href}, replaced before ${versionMin}`;
      return { message, about: deliveryId };
    },
  };
};

export const WIRE: readonly NewInvariant[] = [
  bytesAreThose,
  signaturesVerify,
  goesWhereItIsSetUp,
  changesReachEveryNode,
];
