/**
 * An account's verification secrets, opened, and which of them sign at a given instant. Pure but for the opening.
 *
 *     before the switch   the current one signs `x-service-signature`; both sign `webhook-signature`
 *     from then on        the next one signs alone, also while the rows still call it the next one
 *
 * The clock decides and not the rows: every node switches at the same instant, without a write.
 */
import type { Sealer } from "../lib/seal.ts";
import type { StoredSecrets } from "../store/contract/accounts.ts";

export interface OpenedSecret {
  readonly secret: string;
  readonly createdAtMs: number;
}

export interface AccountSecrets {
  readonly current: OpenedSecret;
  readonly next: (OpenedSecret & { readonly becomesCurrentAtMs: number }) | null;
  /** These lists stay the same objects: `domain/signature.ts` keeps the parsed keys of each. */
  readonly beforeSwitch: readonly string[];
  readonly afterSwitch: readonly string[];
}

/** Throws when the encryption key is not the one that sealed them. */
export function openSecrets(stored: StoredSecrets, sealer: Sealer, accountId: string): AccountSecrets {
  const open = ({ sealed, createdAtMs }: StoredSecrets["current"]): OpenedSecret => ({
    secret: sealer.open(sealed, secretContext(accountId)),
    createdAtMs,
  });
  const current = open(stored.current);
  if (stored.next === null) {
    const only = [current.secret];
    return { current, next: null, beforeSwitch: only, afterSwitch: only };
  }
  const next = { ...open(stored.next), becomesCurrentAtMs: stored.next.becomesCurrentAtMs };
  return { current, next, beforeSwitch: [current.secret, next.secret], afterSwitch: [next.secret] };
}

/** The first one signs `x-service-signature`; all of them sign `webhook-signature`. */
export function secretsAt({ next, beforeSwitch, afterSwitch }: AccountSecrets, nowMs: number): readonly string[] {
  return next !== null && nowMs >= next.becomesCurrentAtMs ? afterSwitch : beforeSwitch;
}

/**
 * The AAD of an account's secrets: a sealed value that is copied to another account does not open there. The next
 * secret has the same AAD as the current one, so that it becomes the current one without being opened.
 */
export const secretContext = (accountId: string): string => `verification_secrets|current|${accountId}`;
