/** The numbers of a bridge that an operator watches. Every metric of the bridge is declared here. */
import { Counter, Gauge, Registry } from "prom-client";
import { collectProcessMetrics } from "../observe/event-loop.ts";
import type { BridgeNow } from "./bridge.ts";

export type BridgeMetrics = ReturnType<typeof createBridgeMetrics>;

/** `now` is asked at each scrape. `events`: the names of event types whose counters begin at zero. */
export function createBridgeMetrics(now: () => Promise<BridgeNow>, events: readonly string[]) {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const registers = [registry];
  observeNow(registers, now);
  const metrics = {
    messages: new Counter<"result">({
      name: "bellwire_bridge_messages_total",
      help: "Messages by their end in this bridge: acknowledged, or given_back to the broker.",
      labelNames: ["result"],
      registers,
    }),
    records: new Counter<"event" | "result">({
      name: "bellwire_bridge_records_total",
      help: "Records that Bellwire took from this bridge: accepted, or duplicate when their event was known.",
      labelNames: ["event", "result"],
      registers,
    }),
    refused: new Counter<"reason">({
      name: "bellwire_bridge_records_refused_total",
      help: "Records that this bridge sent to the dead letters, by the reason.",
      labelNames: ["reason"],
      registers,
    }),
    heldBack: new Counter({
      name: "bellwire_bridge_held_back_total",
      help: "Calls that Bellwire did not take; their records wait and are sent again.",
      registers,
    }),
    brokerFailures: new Counter({
      name: "bellwire_bridge_broker_failures_total",
      help: "Calls of the broker that failed, and lost connections; the log says why.",
      registers,
    }),
  };
  // Prometheus sees no growth in a series that appears with 1.
  for (const result of ["acknowledged", "given_back"]) metrics.messages.inc({ result }, 0);
  for (const event of events) {
    for (const result of ["accepted", "duplicate"]) metrics.records.inc({ event, result }, 0);
  }
  return { registry, ...metrics };
}

function observeNow(registers: Registry[], now: () => Promise<BridgeNow>): void {
  const lag = new Gauge({
    name: "bellwire_bridge_waiting_messages",
    help: "Consumer lag: messages at the broker that are in no bridge's hand. Absent while it does not answer.",
    registers,
  });
  const held = new Gauge({
    name: "bellwire_bridge_held_back",
    help: "Accounts and events whose records this bridge cannot hand over at the moment.",
    registers,
  });
  new Gauge({
    name: "bellwire_bridge_in_hand_messages",
    help: "Messages that this bridge has taken and not acknowledged.",
    registers,
    async collect() {
      const { inHand, queuesHeld, waiting } = await now();
      this.set(inHand);
      held.set(queuesHeld);
      if (waiting === null) lag.remove();
      else lag.set(waiting);
    },
  });
}
