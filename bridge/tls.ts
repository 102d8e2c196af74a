/**
 * TLS to a broker, the same for all of them: the settings as Node takes them, and what of a failed handshake a person
 * must mend. A sentence names the setting and never shows its text.
 */
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { BridgeConfig } from "./options.ts";
import { BrokerUnusable } from "./port.ts";

export type TlsSettings = Pick<BridgeConfig, "bridgeTlsCa" | "bridgeTlsCertificate">;

export interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Empty without settings: the broker's address may demand TLS all the same. */
export function readTls(settings: TlsSettings): Tls {
  const { bridgeTlsCa: ca, bridgeTlsCertificate: pair } = settings;
  for (const block of ca.match(BLOCKS) ?? []) tryRead(() => new X509Certificate(block), "BELLWIRE_BRIDGE_TLS_CA");
  if (pair === "") return ca === "" ? {} : { ca };
  // OpenSSL looks for certificates in the one and for a key in the other, and passes over all else.
  const shown = { cert: pair, key: pair };
  tryRead(() => createSecureContext(shown), "BELLWIRE_BRIDGE_TLS_CERTIFICATE");
  return { ...(ca === "" ? {} : { ca }), ...shown };
}

const BLOCKS = /-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----/g;

function tryRead(read: () => unknown, settings: string): void {
  try {
    read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH" ? "the key is another certificate's" : "it cannot be read as PEM";
    throw new BrokerUnusable(`Node does not take ${settings}: ${why}`, { cause: error });
  }
}

interface Failure {
  readonly message: string;
  readonly code?: string;
}

/** The error, and all that it was made of: clients wrap errors, and list several in one. */
export function causesOf(error: unknown): readonly (Error & Failure)[] {
  if (!(error instanceof Error)) return [];
  const { cause, errors = [] } = error as Error & { readonly errors?: readonly unknown[] };
  return [error, ...[cause, ...errors].flatMap(causesOf)];
}

/** Node's codes of a failed handshake, and what helps. */
const TO_MEND: readonly (readonly [code: RegExp, sentence: string])[] = [
  [/^ERR_TLS_CERT_ALTNAME/, "the broker's certificate is for another name than the one in BELLWIRE_BRIDGE_BROKER"],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/, "the broker's certificate is not valid at this time: renew it at the broker"],
  [
    /^(?:SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS_CERT|CERT_)/,
    "the broker's certificate is not trusted: set BELLWIRE_BRIDGE_TLS_CA to the authority that signed it",
  ],
  [
    /^ERR_SSL_\w*ALERT_(?:\w*CERTIFICATE|UNKNOWN_CA)/,
    "the broker does not take the bridge's certificate: check BELLWIRE_BRIDGE_TLS_CERTIFICATE",
  ],
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/,
    "nothing speaks TLS at the address in BELLWIRE_BRIDGE_BROKER: another port may, or the address is one without TLS",
  ],
];

/** The sentence for the operator, or `null` when TLS is not what failed. */
export function findTlsFault(error: unknown): BrokerUnusable | null {
  for (const { code = "" } of causesOf(error)) {
    const [, sentence] = TO_MEND.find(([pattern]) => pattern.test(code)) ?? [];
    if (sentence !== undefined) return new BrokerUnusable(`${sentence} (${code})`, { cause: error });
  }
  return null;
}
