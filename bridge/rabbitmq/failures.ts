/** RabbitMQ's refusals that a person must mend; everything else is tried again. */
import { BrokerUnusable } from "../port.ts";
import { causesOf, findTlsFault } from "../tls.ts";

/** RabbitMQ's own words, in the client's errors, with what they mean for the bridge. */
const TO_MEND: readonly (readonly [words: RegExp, sentence: string])[] = [
  [
    /Login was refused using authentication mechanism EXTERNAL/,
    "RabbitMQ has no user for the certificate in BELLWIRE_BRIDGE_TLS_CERTIFICATE",
  ],
  [
    /Login was refused/,
    "RabbitMQ refused name and password: check BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD, " +
      "or those in BELLWIRE_BRIDGE_BROKER",
  ],
  [
    /mechanism EXTERNAL is not provided/,
    "RabbitMQ does not sign in by a certificate alone: enable its plug-in rabbitmq_auth_mechanism_ssl, " +
      "or set BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD",
  ],
  [
    // The client says no more of a close that answers its choice of a virtual host.
    /NOT[-_]ALLOWED.*vhost|Expected ConnectionOpenOk; got <ConnectionClose/,
    "RabbitMQ has no such virtual host for this user: check the path of BELLWIRE_BRIDGE_BROKER and the user's rights",
  ],
  [
    /ACCESS[-_]REFUSED.*(?:queue|exchange)/,
    "RabbitMQ does not let this user read the queue of BELLWIRE_BRIDGE_SOURCE, " +
      "or write the one of BELLWIRE_BRIDGE_DEAD_LETTERS by the default exchange",
  ],
];

/** The sentence for the operator, or `null` when trying again may help. */
export function toUnusable(error: unknown): BrokerUnusable | null {
  for (const each of causesOf(error)) {
    if (each instanceof BrokerUnusable) return each;
    const [, sentence] = TO_MEND.find(([words]) => words.test(each.message)) ?? [];
    if (sentence !== undefined) return new BrokerUnusable(sentence, { cause: error });
  }
  return findTlsFault(error);
}
