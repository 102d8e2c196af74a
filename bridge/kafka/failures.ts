/** Kafka's refusals that a person must mend; everything else is tried again. */
import { BrokerUnusable } from "../port.ts";
import { causesOf, findTlsFault } from "../tls.ts";

/** Kafka's names, with what they mean for the bridge. */
const TO_MEND: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED: "Kafka does not let this user read the topic, or write the one for dead letters",
  GROUP_AUTHORIZATION_FAILED: "Kafka does not let this user join the consumer group",
  CLUSTER_AUTHORIZATION_FAILED: "Kafka does not let this user in",
  INVALID_GROUP_ID: "Kafka does not take the name in BELLWIRE_BRIDGE_GROUP",
  INCONSISTENT_GROUP_PROTOCOL: "the consumer group has members that are no bridges",
  UNSUPPORTED_SASL_MECHANISM: "Kafka does not take the mechanism in BELLWIRE_BRIDGE_SASL",
};

/** Node's check of a certificate begins with a name, and the client gives it none for an IP address. */
const NO_NAME =
  "TLS needs a broker's name, as its certificate has it: BELLWIRE_BRIDGE_BROKER, or advertised.listeners of Kafka, " +
  "has an IP address";

/** The client's errors that hold an answer of Kafka's have its name. */
interface Failure {
  readonly apiId?: string;
}

/** The sentence for the operator, or `null` when trying again may help. */
export function toUnusable(error: unknown): BrokerUnusable | null {
  for (const each of causesOf(error)) {
    const why = TO_MEND[(each as Failure).apiId ?? ""];
    if (why !== undefined) return new BrokerUnusable(why, { cause: error });
    if (each.code === "PLT_KFK_AUTHENTICATION") {
      return new BrokerUnusable(
        "Kafka refused name and password: check BELLWIRE_BRIDGE_USER, BELLWIRE_BRIDGE_PASSWORD and _SASL",
        { cause: error },
      );
    }
    if (/ServerName to an IP address/.test(each.message)) return new BrokerUnusable(NO_NAME, { cause: error });
    const topic = /^Unknown topic (?<name>\S+)\.$/.exec(each.message)?.groups?.["name"];
    if (topic !== undefined) return new BrokerUnusable(`Kafka has no topic ${topic}; make it first`, { cause: error });
  }
  return findTlsFault(error);
}
