/** Settings → Verification: the secret and the public key, their rotation, and "check a signature". */

export interface VerificationAnswer extends RotatingView<SecretView> {
  /** `null`: webhooks are not signed with a key pair. */
  readonly signingKey: RotatingView<PublicKeyView> | null;
  /** The longest time for which the previous one may go on. */
  readonly overlapMsMax: number;
  /** Where webhooks come from, for receivers' firewalls; empty where the operator does not say. */
  readonly sourceAddresses: readonly string[];
  readonly lastRevealed: { readonly by: string; readonly atMs: number } | null;
}

export interface RotatingView<View> {
  readonly current: View;
  /** While a rotation lasts. */
  readonly previous: (View & { readonly stopsAtMs: number }) | null;
}

/** Everything about a secret but the secret. */
export interface SecretView {
  readonly createdAtMs: number;
}

export interface PublicKeyView extends SecretView {
  /** `whpk_` and base64. */
  readonly publicKey: string;
  readonly pem: string;
}

export interface RevealBody {
  readonly which: "current" | "previous";
}

export interface RevealAnswer {
  readonly secret: string;
}

/** `secret` for the Webhook Verification Secret, `key` for the key pair. */
export type RotatedKind = "secret" | "key";

/** `none`: the one from before stops at once. */
export interface RotateBody {
  readonly kind: RotatedKind;
  readonly overlap: "none" | "24h" | "7d" | { readonly untilMs: number };
}

/** `current` stops the previous one now; `previous` goes back to it. */
export interface EndRotationBody {
  readonly kind: RotatedKind;
  readonly keep: "current" | "previous";
}

export interface SigningKeyBody {
  readonly isOn: boolean;
}

export interface CheckSignatureBody {
  /** `Name: value` lines as pasted. */
  readonly headers: string;
  /** The raw body as pasted. */
  readonly body: string;
}

/** Why a signature matches or does not; the first that applies. */
export type SignatureVerdict =
  | "matches"
  | "matches_previous"
  | "too_old"
  | "from_the_future"
  | "header_missing"
  | "header_malformed"
  | "body_reformatted"
  | "body_trimmed"
  | "no_match";

export interface CheckSignatureAnswer {
  readonly verdict: SignatureVerdict;
  readonly sentence: string;
  readonly advice: string;
  /** The result of each signature by itself. */
  readonly checks: readonly { readonly header: string; readonly matches: boolean; readonly note: string }[];
}
