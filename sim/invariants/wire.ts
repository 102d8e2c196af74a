/** What receivers are promised: the same bytes each time, signatures that verify, and only at addresses as set up. */
import { verify } from "../../src/receiver/verify.ts";
import type { Ledger } from "../ledger.ts";
import type { SendRecord } from "../records.ts";
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
  see(fact, { ledger, swarm, secretOf }) {
    if (fact.kind !== "send_started") return null;
    const { deliveryId, request, number } = fact.send;
    // A clock may jump between signing and sending; the time is then as wrong as the clock.
    const signedMs = Number(request.headers["webhook-timestamp"]) * 1000;
    const nodeStartedMs = swarm.isOn("clock_jump") ? signedMs : fact.send.nodeStartedMs;
    const accountId = ledger.deliveries.get(deliveryId)?.event.accountId ?? "";
    const options = { nowMs: nodeStartedMs, requireStandard: true };
    const verified = verify({ body: request.body, headers: request.headers }, [secretOf(accountId)], options);
    if (verified.valid && verified.webhookId === deliveryId) return null;
    const why = verified.valid ? `webhook-id is ${verified.webhookId}` : verified.reason;
    return { message: `send ${number} of ${deliveryId} does not verify: ${why}`, about: deliveryId };
  },
});

const goesWhereItIsSetUp = (): Invariant => ({
  name: "a request goes to its destination as it was set up when it was claimed, or later, and only while that is on",
  see(fact, { ledger }) {
    if (fact.kind !== "send_started" || fact.send.claim === null) return null;
    const { deliveryId, destinationId, request, number } = fact.send;
    if (ledger.deliveries.get(deliveryId)?.destinationId === destinationId && isSetUp(ledger, fact.send)) return null;
    const message = `send ${number} of ${deliveryId} goes to ${request.url.href}, where nothing (more) is to be sent`;
    return { message, about: deliveryId };
  },
});

function isSetUp(ledger: Ledger, { deliveryId, destinationId, request, claim }: SendRecord): boolean {
  const accountId = ledger.deliveries.get(deliveryId)?.event.accountId ?? "";
  const versions = ledger
    .configsOf(accountId)
    .filter(({ account }) => account.configVersion >= (claim?.configVersion ?? 0));
  const owners = versions.flatMap(({ account }) => [...account.alerts, ...account.assistants]);
  return owners.some(
    ({ destination }) =>
      destination?.id === destinationId && destination.url === request.url.href && destination.state === "on",
  );
}

export const WIRE: readonly NewInvariant[] = [bytesAreThose, signaturesVerify, goesWhereItIsSetUp];
