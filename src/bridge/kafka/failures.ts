/** Kafka's refusals that a person must mend; everything else is tried again. */
import { BrokerUnusable } from "../port.ts";

/** Kafka's names, with what they mean for the bridge. */
const TO_MEND: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED: "Kafka does not let this user read the topic, or write the one for dead letters",
  GROUP_AUTHORIZATION_FAILED: "Kafka does not let this user join the consumer group",
  CLUSTER_AUTHORIZATION_FAILED: "Kafka does not let this user in",
  INVALID_GROUP_ID: "Kafka does not take the name in BELLWIRE_BRIDGE_GROUP",
  INCONSISTENT_GROUP_PROTOCOL: "the consumer group has members that are no bridges",
  UNSUPPORTED_SASL_MECHANISM: "Kafka does not take the mechanism in BELLWIRE_BRIDGE_SASL",
};

/** The sentence for the operator, or `null` when trying again may help. */
export function toUnusable(error: unknown): BrokerUnusable | null {
  const all = causesOf(error);
  for (const each of all) {
    const why = TO_MEND[each.apiId ?? ""];
    if (why !== undefined) return new BrokerUnusable(why, { cause: error });
    if (each.code === "PLT_KFK_AUTHENTICATION") {
      return new BrokerUnusable(
        "Kafka refused name and password: check BELLWIRE_BRIDGE_USER, BELLWIRE_BRIDGE_PASSWORD and _SASL",
        { cause: error },
      );
    }
    const topic = /^Unknown topic (?<name>\S+)\.$/.exec(each.message)?.groups?.["name"];
    if (topic !== undefined) return new BrokerUnusable(`Kafka has no topic ${topic}; make it first`, { cause: error });
    if (isUntrusted(each)) {
      return new BrokerUnusable(`the broker's certificate is not trusted (${each.code}): set BELLWIRE_BRIDGE_TLS_CA`, {
        cause: error,
      });
    }
  }
  return null;
}

const UNTRUSTED = /^(?:SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS_CERT|CERT_)/;

const isUntrusted = ({ code }: Failure): boolean => UNTRUSTED.test(code ?? "");

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly apiId?: string;
}

/** The error, and all that it was made of: the client wraps errors, and lists several in one. */
function causesOf(error: unknown): readonly (Error & Failure)[] {
  if (!(error instanceof Error)) return [];
  const { cause, errors = [] } = error as Error & { readonly errors?: readonly unknown[] };
  return [error, ...[cause, ...errors].flatMap(causesOf)];
}
