/**
 * An address for e-mail about failures: its confirmation, and the limits on confirmation emails. Pure; stores count
 * and ask here in the transaction that would write one. They are counted apart from addresses, so that removing and
 * adding an address again, or adding it to another account, does not reset the count.
 */
import { daysMs } from "../lib/duration.ts";
import { LIMITS } from "./limits.ts";

export type MailAddressState = "waiting" | "confirmed" | "stopped";

/** The fate of a confirmation email. `dropped`: the mail server did not take it for a day. */
export const CONFIRMATION_STATES = ["waiting", "sent", "no_mailbox", "dropped"] as const;

export type ConfirmationState = (typeof CONFIRMATION_STATES)[number];

/** The window in which they are counted, back from now. */
export const CONFIRMATIONS_WINDOW_MS = daysMs(1);

/** `too_soon`: the latest one is minutes old. The other two: the day's maximum is reached. */
export type ConfirmationRefusal = "too_soon" | "account_limit" | "address_limit";

export interface ConfirmationCounts {
  /** To any address, requested by this account. */
  readonly ofAccount: number;
  /** To this mailbox, requested by any account. */
  readonly ofMailbox: number;
  /** To this mailbox, requested by this account. */
  readonly ofBoth: number;
  /** The latest of those; `null` when there is none. */
  readonly latestAtMs: number | null;
}

export function confirmationRefusal(counts: ConfirmationCounts, nowMs: number): ConfirmationRefusal | null {
  const { ofAccount, ofMailbox, ofBoth, latestAtMs } = counts;
  if (latestAtMs !== null && nowMs - latestAtMs < LIMITS.confirmEmailGapMs) return "too_soon";
  if (ofBoth >= LIMITS.confirmEmailsOfBothDayMax) return "address_limit";
  if (ofMailbox >= LIMITS.confirmEmailsOfMailboxDayMax) return "address_limit";
  if (ofAccount >= LIMITS.confirmEmailsOfAccountDayMax) return "account_limit";
  return null;
}

/** One address of an account, in every way that it can be typed. */
export const toAddressKey = (address: string): string => address.normalize("NFKC").toLowerCase();

/** The mailbox that email reaches: with most providers, the part behind a `+` does not change it. */
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

/** The place in the database to which the sealed token that stops email is bound. */
export const stopTokenPlace = (addressId: string): string => `mail_addresses|sealed_stop|${addressId}`;
