/** A destination's client secret and private key at rest: sealed like secret headers, each bound to its place. */
import type { Authentication } from "../domain/authentication.ts";
import type { Sealer } from "../lib/seal.ts";

/** Throws when the encryption key is not the one that sealed it. */
export const openAuthentication = (destinationId: string, sealed: Authentication | null, sealer: Sealer) =>
  sealed === null ? null : withSecrets(sealed, (text, part) => sealer.open(text, contextOf(destinationId, part)));

/** The reverse, for the store. */
export const sealAuthentication = (destinationId: string, opened: Authentication | null, sealer: Sealer) =>
  opened === null ? null : withSecrets(opened, (text, part) => sealer.seal(text, contextOf(destinationId, part)));

type Part = "client_secret" | "certificate_key";

const contextOf = (destinationId: string, part: Part): string => `destinations|authentication|${destinationId}|${part}`;

const withSecrets = (
  { oauth, certificate }: Authentication,
  change: (text: string, part: Part) => string,
): Authentication => ({
  oauth: oauth === null ? null : { ...oauth, clientSecret: change(oauth.clientSecret, "client_secret") },
  certificate: certificate === null ? null : { ...certificate, key: change(certificate.key, "certificate_key") },
});
