/** Settings → Verification: the secret, its rotation, and "check a signature". */

export interface VerificationAnswer {
  readonly current: SecretView;
  /** While the secret is being rotated. */
  readonly next: (SecretView & { readonly becomesCurrentAtMs: number }) | null;
  /** Where webhooks come from, for receivers' firewalls; empty where the operator does not say. */
  readonly sourceAddresses: readonly string[];
  readonly lastRevealed: { readonly by: string; readonly atMs: number } | null;
}

/** Everything about a secret but the secret. */
export interface SecretView {
  readonly createdAtMs: number;
}

export interface RevealBody {
  readonly which: "current" | "next";
}

export interface RevealAnswer {
  readonly secret: string;
}

/** `overlap`: both for 24 hours. `now`: it leaked; the old one stops working at once. */
export interface RotateBody {
  readonly mode: "overlap" | "now";
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
  | "matches_old_secret"
  | "matches_next_secret"
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
  /** The result of each of the two signature headers by itself. */
  readonly checks: readonly { readonly header: string; readonly matches: boolean; readonly note: string }[];
}
