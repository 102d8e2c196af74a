/** The brokers that a bridge can consume from. A new one is a file that makes a `Source`, and a row here. */
import type { Broker } from "./port.ts";

export const BROKERS: Readonly<Record<string, Broker>> = {
  nats: {
    title: "NATS JetStream",
    packages: ["@nats-io/transport-node@3.4.0", "@nats-io/jetstream@3.4.0"],
    open: async (context) => await (await import("./nats.ts")).openNats(context),
  },
};
