/** NATS's refusals that a person must mend; everything else is tried again. */
import { BrokerUnusable } from "../port.ts";
import { causesOf, findTlsFault } from "../tls.ts";

const REFUSED =
  "NATS refused the bridge's credentials: check BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD, " +
  "or BELLWIRE_BRIDGE_CREDENTIALS";

/** The sentence for the operator, or `null` when trying again may help. */
export function toUnusable(error: unknown): BrokerUnusable | null {
  for (const each of causesOf(error)) {
    if (each instanceof BrokerUnusable) return each;
    if (/^(?:Authorization|UserAuthenticationExpired)Error$/.test(each.name)) {
      return new BrokerUnusable(REFUSED, { cause: error });
    }
    if (each.name === "PermissionViolationError") {
      const { operation, subject } = each as Error & { readonly operation?: string; readonly subject?: string };
      return new BrokerUnusable(`NATS does not give this user the right of ${operation} for the subject ${subject}`, {
        cause: error,
      });
    }
    if (each.message.includes("does not support 'tls'")) {
      return new BrokerUnusable(
        "NATS does not speak TLS at the address in BELLWIRE_BRIDGE_BROKER, and the settings demand it",
        { cause: error },
      );
    }
    if (each.name === "InvalidNameError" || /^invalid \w+ name/.test(each.message)) {
      return new BrokerUnusable(
        `BELLWIRE_BRIDGE_SOURCE or BELLWIRE_BRIDGE_GROUP is no name for NATS: ${each.message}`,
        { cause: error },
      );
    }
  }
  return findTlsFault(error);
}
