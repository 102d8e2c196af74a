/** The numbers of a bridge that an operator watches. Every metric of the bridge is declared here. */
import { Registry } from "prom-client";
import { collectProcessMetrics } from "../src/lib/event-loop.ts";
import { askedOnce, instrumentsOf } from "../src/lib/instruments.ts";
import type { BridgeNow } from "./bridge.ts";

export type BridgeMetrics = ReturnType<typeof createBridgeMetrics>;

/** `now` is asked at each scrape. `events`: the names of event types whose counters begin at zero. */
export function createBridgeMetrics(now: () => Promise<BridgeNow>, events: readonly string[]) {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const { counter, gauge } = instrumentsOf(registry);
  const asked = askedOnce(now);
  gauge(
    "bellwire_bridge_waiting_messages",
    "Consumer lag: messages at the broker that are in no bridge's hand. Absent while it does not answer.",
    async () => (await asked()).waiting,
  );
  gauge(
    "bellwire_bridge_held_back",
    "Accounts and events whose records this bridge cannot hand over at the moment.",
    async () => (await asked()).queuesHeld,
  );
  gauge(
    "bellwire_bridge_in_hand_messages",
    "Messages that this bridge has taken and not acknowledged.",
    async () => (await asked()).inHand,
  );
  const metrics = {
    messages: counter(
      "bellwire_bridge_messages_total",
      "Messages by their end in this bridge: acknowledged, or given_back to the broker.",
      "result",
    ),
    records: counter(
      "bellwire_bridge_records_total",
      "Records that Bellwire took from this bridge: accepted, or duplicate when their event was known.",
      "event",
      "result",
    ),
    refused: counter(
      "bellwire_bridge_records_refused_total",
      "Records that this bridge sent to the dead letters, by the reason.",
      "reason",
    ),
    heldBack: counter(
      "bellwire_bridge_held_back_total",
      "Calls that Bellwire did not take; their records wait and are sent again.",
    ),
    brokerFailures: counter(
      "bellwire_bridge_broker_failures_total",
      "Calls of the broker that failed, and lost connections; the log says why.",
    ),
  };
  // Prometheus sees no growth in a series that appears with 1.
  for (const result of ["acknowledged", "given_back"]) metrics.messages.inc({ result }, 0);
  for (const event of events) {
    for (const result of ["accepted", "duplicate"]) metrics.records.inc({ event, result }, 0);
  }
  return { registry, ...metrics };
}
