/** The brokers that a bridge can consume from. A new one is a file that makes a `Source`, and a row here. */
import type { Broker } from "./port.ts";

export const BROKERS: Readonly<Record<string, Broker>> = {
  nats: {
    title: "NATS JetStream",
    packages: ["@nats-io/transport-node@3.4.0", "@nats-io/jetstream@3.4.0"],
    open: async (context) => await (await import("./nats/nats.ts")).openNats(context),
  },
  kafka: {
    title: "Kafka",
    packages: ["@platformatic/kafka@2.12.1"],
    open: async (context) => await (await import("./kafka/kafka.ts")).openKafka(context),
  },
  sqs: {
    title: "SQS",
    packages: ["@aws-sdk/client-sqs@3.1169.0"],
    open: async (context) => await (await import("./sqs/sqs.ts")).openSqs(context),
  },
  rabbitmq: {
    title: "RabbitMQ",
    packages: ["amqplib@2.3.1"],
    open: async (context) => await (await import("./rabbitmq/rabbitmq.ts")).openRabbit(context),
  },
};
