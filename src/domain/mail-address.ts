/**
 * An address for e-mail about failures: its confirmation, and the limits on confirmation letters. Pure; stores count
 * and ask here in the transaction that would write the letter. Letters are counted apart from addresses, so that
 * removing and adding an address again, or adding it to another account, does not reset the count.
 */
import { daysMs, hoursMs, secondsMs } from "../lib/duration.ts";
import { LIMITS } from "./limits.ts";

export type MailAddressState = "waiting" | "confirmed" | "stopped";

/** The fate of a confirmation letter. `dropped`: the mail server did not take it for a day. */
export const LETTER_STATES = ["waiting", "sent", "no_mailbox", "dropped"] as const;

export type LetterState = (typeof LETTER_STATES)[number];

/** The window in which letters are counted, back from now. */
export const LETTERS_WINDOW_MS = daysMs(1);

/** A letter that no mail server took for this long is dropped: the person who asked for it has gone. */
export const LETTER_MS_MAX = hoursMs(24);

/** The time that the first digest waits for more news: receivers on one machine fail one after the other. */
export const DIGEST_GATHER_MS = secondsMs(30);

/** A digest that is older than a day would contradict what the dashboard shows by then. */
export const NEWS_MS_MAX = hoursMs(24);

/** `too_soon`: the latest letter is minutes old. The other two: the day's maximum is reached. */
export type LetterRefusal = "too_soon" | "account_limit" | "address_limit";

export interface LetterCounts {
  /** Letters to any address, requested by this account. */
  readonly ofAccount: number;
  /** Letters to this mailbox, requested by any account. */
  readonly ofMailbox: number;
  /** Letters to this mailbox, requested by this account. */
  readonly ofBoth: number;
  /** The latest of those; `null` when there is none. */
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

/** One address of an account, in every way that it can be typed. */
export const toAddressKey = (address: string): string => address.normalize("NFKC").toLowerCase();

/** The mailbox that letters reach: with most providers, the part behind a `+` does not change it. */
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

/** The place in the database to which the sealed token that stops letters is bound. */
export const stopTokenPlace = (addressId: string): string => `mail_addresses|sealed_stop|${addressId}`;
