/** A destination's settings as the form shows them. A secret's value never leaves the server. Pure. */
import type { DestinationView } from "../../accounts/account-view.ts";
import type { Authentication, ClientCertificate } from "../../domain/authentication.ts";
import { readCertificateFacts } from "../../egress/client-certificate.ts";
import type { AuthenticationSettings, CertificateFacts, WebhookSettings } from "../contract/destinations.ts";

export function toWebhookSettings(destination: DestinationView | null): WebhookSettings | null {
  if (destination === null) return null;
  const { id, url, headers, authentication, ratePerSecond } = destination;
  return {
    destinationId: id,
    url,
    headers: headers.map(({ name, value, secret }) => ({ name, value: secret ? null : value, secret })),
    authentication: authentication === null ? null : toAuthenticationSettings(authentication),
    ratePerSecond,
  };
}

function toAuthenticationSettings({ oauth, certificate }: Authentication): AuthenticationSettings {
  return {
    oauth: oauth === null ? null : { ...oauth, clientSecret: null },
    certificate: certificate === null ? null : { chain: certificate.chain, key: null, ...readFacts(certificate) },
  };
}

/** It was read when it was saved. */
function readFacts({ chain }: ClientCertificate): CertificateFacts {
  const facts = readCertificateFacts(chain);
  return facts.ok ? facts.value : { subject: "", issuer: "", validFromMs: 0, validToMs: 0 };
}
