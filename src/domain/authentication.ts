/**
 * How a destination's requests prove who sends them, besides signature and custom headers: an access token that the
 * owner's identity provider gives out (OAuth 2 client credentials, RFC 6749 §4.4), a client certificate, or both.
 * `docs/authentication.md` says it in the words of a receiver.
 */

/** Where a client's id and secret stand in the token request: RFC 6749 §2.3.1 prefers `basic`. */
export const CLIENT_AUTHENTICATIONS = ["basic", "post"] as const;

export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

export interface ClientCredentials {
  /** The checked text: the `href` of a URL. */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Sealed at rest, and sent to the token URL only. */
  readonly clientSecret: string;
  /** Names separated by blanks; empty for none. */
  readonly scope: string;
  /** Empty for none. */
  readonly audience: string;
  readonly clientAuthentication: ClientAuthentication;
}

export interface ClientCertificate {
  /** The certificate, and behind it those of its issuers that the receiver may not have. PEM. */
  readonly chain: string;
  /** Without a passphrase; sealed at rest. PEM. */
  readonly key: string;
}

/** At least one of the two. A destination without either has `null` in place of this. */
export interface Authentication {
  readonly oauth: ClientCredentials | null;
  readonly certificate: ClientCertificate | null;
}

/** Compared by content, because each reading of an account makes new objects. */
export function isSameCertificate(one: ClientCertificate | null, other: ClientCertificate | null): boolean {
  return one === other || (one?.chain === other?.chain && one?.key === other?.key);
}
