/**
 * What an account's webhooks are signed with, opened, and which of it signs at a given instant. Pure but for the
 * opening.
 *
 *     while a rotation lasts   the previous secret signs `x-service-signature`; both sign `webhook-signature`
 *     from then on             the current one signs alone, also while the rows still have the previous one
 *
 * A signing key signs `webhook-signature` beside them, and is rotated in the same way. The clock decides and not the
 * rows: every node changes at the same instant, without a write.
 */
import type { Sealer } from "../lib/seal.ts";
import type { SecretKind, StoredRotating, StoredSecrets } from "../store/contract/accounts.ts";

export interface OpenedSecret {
  readonly secret: string;
  readonly createdAtMs: number;
}

export interface Rotating {
  readonly current: OpenedSecret;
  readonly previous: (OpenedSecret & { readonly stopsAtMs: number }) | null;
}

export interface AccountSecrets extends Rotating {
  /** `null`: the owner has not asked for signatures with a public key. */
  readonly signingKey: Rotating | null;
  readonly phases: readonly Phase[];
}

/** The list stays the same object: `domain/signature.ts` keeps the parsed keys of each. */
interface Phase {
  readonly untilMs: number;
  readonly secrets: readonly string[];
}

/** Throws when the encryption key is not the one that sealed them. */
export function openSecrets(stored: StoredSecrets, sealer: Sealer, accountId: string): AccountSecrets {
  const secret = openRotating(stored, (sealed) => sealer.open(sealed, secretContext(accountId)));
  const key =
    stored.signingKey === null
      ? null
      : openRotating(stored.signingKey, (sealed) => sealer.open(sealed, secretContext(accountId, "key")));
  return { ...secret, signingKey: key, phases: listPhases(secret, key) };
}

function openRotating({ current, previous }: StoredRotating, open: (sealed: string) => string): Rotating {
  const toOpened = ({ sealed, createdAtMs }: StoredRotating["current"]) => ({ secret: open(sealed), createdAtMs });
  return {
    current: toOpened(current),
    previous: previous === null ? null : { ...toOpened(previous), stopsAtMs: previous.stopsAtMs },
  };
}

/** One for each instant at which something stops, and the rest of time. */
function listPhases(secret: Rotating, key: Rotating | null): readonly Phase[] {
  const ends = [secret.previous, key?.previous ?? null].flatMap((each) => (each === null ? [] : [each.stopsAtMs]));
  return [...new Set(ends), Number.POSITIVE_INFINITY]
    .toSorted((one, other) => one - other)
    .map((untilMs) => ({
      untilMs,
      secrets: [...listUntil(secret, untilMs), ...(key === null ? [] : listUntil(key, untilMs))],
    }));
}

const listUntil = ({ current, previous }: Rotating, untilMs: number): readonly string[] =>
  previous !== null && previous.stopsAtMs >= untilMs ? [previous.secret, current.secret] : [current.secret];

/** The first one signs `x-service-signature`; all of them sign `webhook-signature`. */
export function secretsAt({ phases }: AccountSecrets, nowMs: number): readonly string[] {
  for (const { untilMs, secrets } of phases) if (nowMs < untilMs) return secrets;
  throw new Error("time has no end");
}

/** `null` once it has stopped, although the row may still be there. */
export const previousAt = ({ previous }: Rotating, nowMs: number): Rotating["previous"] =>
  previous !== null && nowMs < previous.stopsAtMs ? previous : null;

/**
 * The AAD of an account's secrets: a sealed value that is copied to another account, or from secret to key, does not
 * open there. Previous and current have the same, so that one becomes the other without being opened.
 */
export const secretContext = (accountId: string, kind: SecretKind = "secret"): string =>
  `verification_secrets|${kind}|${accountId}`;
