/**
 * An address for e-mail about failures: whose word it waits for, and what bounds the letters that ask. Pure; stores
 * count and ask here in the transaction that would write the letter. Letters are counted apart from addresses: one that
 * is removed and added again, or added by another account, starts nothing afresh.
 */
import { daysMs, hoursMs, secondsMs } from "../lib/duration.ts";
import { LIMITS } from "./limits.ts";

export type MailAddressState = "waiting" | "confirmed" | "stopped";

/** What became of a confirmation letter. `dropped`: the mail server did not take it for a day. */
export const LETTER_STATES = ["waiting", "sent", "no_mailbox", "dropped"] as const;

export type LetterState = (typeof LETTER_STATES)[number];

/** Letters are counted within it, back from now. */
export const LETTERS_WINDOW_MS = daysMs(1);

/** A letter that no mail server took for so long is not sent any more: whoever asked for it is gone. */
export const LETTER_MS_MAX = hoursMs(24);

/** News is collected for so long before the first digest: receivers of one machine fail one after the other. */
export const DIGEST_GATHER_MS = secondsMs(30);

/** A digest that is older than a day would contradict what the dashboard says by now. */
export const NEWS_MS_MAX = hoursMs(24);

/** `too_soon`: the latest one is minutes old. The other two: as many as there may be in a day. */
export type LetterRefusal = "too_soon" | "account_limit" | "address_limit";

export interface LetterCounts {
  /** To anybody, asked for by this account. */
  readonly ofAccount: number;
  /** To this mailbox, whoever asked. */
  readonly ofMailbox: number;
  /** To this mailbox, asked for by this account. */
  readonly ofBoth: number;
  /** The latest of those; `null`: none. */
  readonly latestAtMs: number | null;
}

export function letterRefusal(counts: LetterCounts, nowMs: number): LetterRefusal | null {
  const { ofAccount, ofMailbox, ofBoth, latestAtMs } = counts;
  if (latestAtMs !== null && nowMs - latestAtMs < LIMITS.confirmLetterGapMs) return "too_soon";
  if (ofBoth >= LIMITS.confirmLettersOfBothDayMax) return "address_limit";
  if (ofMailbox >= LIMITS.confirmLettersOfMailboxDayMax) return "address_limit";
  if (ofAccount >= LIMITS.confirmLettersOfAccountDayMax) return "account_limit";
  return null;
}

/** One address of an account, however it is typed. */
export const toAddressKey = (address: string): string => address.normalize("NFKC").toLowerCase();

/** Whom letters reach: what stands behind a `+` is the same mailbox with most providers. */
export function toMailbox(address: string): string {
  const key = toAddressKey(address);
  const at = key.lastIndexOf("@");
  const [name = ""] = key.slice(0, at).split("+", 1);
  return `${name}${key.slice(at)}`;
}

export interface AddressTimes {
  readonly addedAtMs: number;
  readonly confirmedAtMs: number | null;
  readonly stoppedAtMs: number | null;
}

export function stateOfAddress({ addedAtMs, confirmedAtMs, stoppedAtMs }: AddressTimes): {
  readonly state: MailAddressState;
  readonly sinceMs: number;
} {
  if (stoppedAtMs !== null) return { state: "stopped", sinceMs: stoppedAtMs };
  if (confirmedAtMs !== null) return { state: "confirmed", sinceMs: confirmedAtMs };
  return { state: "waiting", sinceMs: addedAtMs };
}

/** To which place in the database the token that stops letters is bound, sealed. */
export const stopTokenPlace = (addressId: string): string => `mail_addresses|sealed_stop|${addressId}`;
