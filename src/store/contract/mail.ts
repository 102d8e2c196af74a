/**
 * Addresses that are notified of failures by email (`messages.ts`).
 *
 *     waiting ──the recipient confirms──► confirmed ──the recipient stops──► stopped
 *        └────────────the recipient stops───────────────────────────────────►┘ └──the recipient starts──► confirmed
 *
 * Only a person who reads the mailbox leads from one state to another. An owner adds and removes: an address that comes
 * back waits again, and one that its recipient has stopped stays stopped.
 */
import type { Actor } from "../../domain/account.ts";
import type { ConfirmationRefusal, ConfirmationState, MailAddressState } from "../../domain/mail-address.ts";
import { OF_ACCOUNT, OF_TOKEN, type VerbTable } from "./verb-table.ts";

export interface MailVerbs {
  /** Writes the address down together with its first confirmation email; nothing when that is refused. */
  addMailAddress(params: AddMailAddress): Promise<AddMailAddressResult>;
  /** Its messages go, and its confirmation links with them. Its link to stop email works on. */
  removeMailAddress(params: DecideMailAddress): Promise<"removed" | "missing">;
  /** One more confirmation email, for an address that waits. */
  requestConfirmation(params: RequestConfirmation): Promise<RequestConfirmationResult>;
  /** In the order in which they were added. */
  loadMailAddresses(params: { readonly accountId: string }): Promise<readonly StoredMailAddress[]>;
  /**
   * Does nothing unless the link is `good` and is made for this; answers how it was found, and what is so now. `null`:
   * no email that is remembered had this link.
   */
  followMailLink(params: FollowMailLink): Promise<StoredMailLink | null>;
}

export const MAIL_VERBS = {
  addMailAddress: { kind: "side", route: OF_ACCOUNT },
  removeMailAddress: { kind: "side", route: OF_ACCOUNT },
  requestConfirmation: { kind: "side", route: OF_ACCOUNT },
  loadMailAddresses: { kind: "side", route: OF_ACCOUNT },
  followMailLink: { kind: "side", route: OF_TOKEN },
} satisfies VerbTable<MailVerbs>;

export interface AddMailAddress {
  readonly accountId: string;
  readonly address: NewMailAddress;
  readonly link: NewConfirmationLink;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface NewMailAddress {
  readonly id: string;
  /** As it was typed. */
  readonly address: string;
  /** `hashSecret` of the token that stops and starts email, and the secret itself, sealed: each email has it. */
  readonly stopHash: string;
  readonly sealedStop: string;
}

export interface NewConfirmationLink {
  /** `hashSecret` of the link's token, and the secret itself, sealed. */
  readonly secretHash: string;
  readonly sealedSecret: string;
}

export type AddMailAddressResult =
  | { readonly kind: "added"; readonly addressId: string }
  | { readonly kind: "known" | "full" | "stopped" | "account_missing" }
  | { readonly kind: "refused"; readonly refusal: ConfirmationRefusal };

export interface DecideMailAddress {
  readonly accountId: string;
  readonly addressId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface RequestConfirmation extends DecideMailAddress {
  readonly link: NewConfirmationLink;
}

export type RequestConfirmationResult =
  | { readonly kind: "queued" | "missing" | "confirmed" | "stopped" }
  | { readonly kind: "refused"; readonly refusal: ConfirmationRefusal };

export interface StoredMailAddress {
  readonly id: string;
  readonly address: string;
  readonly state: MailAddressState;
  /** When it came into this state. */
  readonly sinceMs: number;
  /** The latest confirmation email: when it was asked for, and what became of it. */
  readonly confirmation: { readonly atMs: number; readonly state: ConfirmationState };
}

export interface StoredMailLink {
  readonly purpose: "confirm" | "stop";
  /** `removed`: the account names this address no more. Links to stop email are always good. */
  readonly found: "good" | "used" | "expired" | "removed";
  readonly accountId: string;
  readonly accountName: string;
  readonly address: string;
  /** As it is now. */
  readonly state: MailAddressState;
}

export interface FollowMailLink {
  /** The token's key (see `domain/token.ts`). */
  readonly tokenHash: string;
  /** `confirm` takes a link of that purpose, `stop` and `start` one to stop email; `look` changes nothing. */
  readonly action: "look" | "confirm" | "stop" | "start";
  readonly nowMs: number;
}
