/** Settings → Verification: the secret and the public key, their rotation, and "check a signature". */
import type { FormOf } from "../../domain/form.ts";
import type { endRotationForm, revealForm, rotateForm } from "../forms/bodies.ts";

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

export type RevealBody = FormOf<typeof revealForm>;

export interface RevealAnswer {
  readonly secret: string;
}

export type RotateBody = FormOf<typeof rotateForm>;
export type RotatedKind = RotateBody["kind"];
export type EndRotationBody = FormOf<typeof endRotationForm>;

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
