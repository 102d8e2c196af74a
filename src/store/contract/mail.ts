/**
 * News for owners, told by mail: which addresses may get it, what waits to be told, and which node sends it.
 *
 *     waiting ──the reader confirms──► confirmed ──the reader stops──► stopped
 *        └────────────the reader stops────────────────────────────────►┘ └──the reader starts──► confirmed
 *
 * Only the reader of the mailbox leads from one state to another. An owner adds and removes: an address that comes back
 * waits again, and one that its reader has stopped stays stopped.
 */
import type { Actor } from "../../domain/actor.ts";
import type { LetterRefusal, LetterState, MailAddressState } from "../../domain/mail-address.ts";
import type { ReportedDestination } from "./destinations.ts";
import { inARow, OF_ACCOUNT, OF_TOKEN, withLess, type VerbTable } from "./verb-table.ts";

export interface MailVerbs {
  /** Writes the address down together with its first confirmation letter; nothing when the letter is refused. */
  addMailAddress(params: AddMailAddress): Promise<AddMailAddressResult>;
  /** News that waits for it goes, and its confirmation links with it. Its link to stop letters works on. */
  removeMailAddress(params: DecideMailAddress): Promise<"removed" | "missing">;
  /** One more confirmation letter, for an address that waits. */
  requestConfirmation(params: RequestConfirmation): Promise<RequestConfirmationResult>;
  /** In the order in which they were added. */
  loadMailAddresses(params: { readonly accountId: string }): Promise<readonly StoredMailAddress[]>;
  /** `null`: no letter that is remembered had this link. */
  loadMailLink(params: { readonly tokenHash: string; readonly nowMs: number }): Promise<StoredMailLink | null>;
  /** Does nothing unless the link is `good` and is made for this; answers how it was found, and what is so now. */
  useMailLink(params: UseMailLink): Promise<StoredMailLink | null>;
  /**
   * Takes free confirmation letters, oldest first, one for each of `secretHashes`, by which its link is
   * known from then on. One that is not settled before the claim ends is given out again, with another link.
   */
  claimConfirmations(params: ClaimConfirmations): Promise<readonly ClaimedConfirmation[]>;
  settleConfirmationIfClaimed(params: SettleConfirmation): Promise<void>;
  /**
   * Takes all news of addresses that have had no digest for `LIMITS.digestGapMs`: the claim itself begins the next such
   * time, so that a node which dies causes no second letter within it. News that comes in meanwhile waits. An address
   * that was told of a failure is due again `REMIND_MS` later, also without news, in case the failure lasts.
   */
  claimDigests(params: ClaimDigests): Promise<readonly ClaimedDigest[]>;
  /**
   * `retryAtMs`: it was not tried, and is given out again from then on; `null`: its news goes, because it was sent at
   * `toldAtMs` or (`null` too) because there was nothing to tell.
   */
  settleDigestIfClaimed(params: SettleDigest): Promise<void>;
}

export const MAIL_VERBS = {
  addMailAddress: { kind: "side", route: OF_ACCOUNT },
  removeMailAddress: { kind: "side", route: OF_ACCOUNT },
  requestConfirmation: { kind: "side", route: OF_ACCOUNT },
  loadMailAddresses: { kind: "side", route: OF_ACCOUNT },
  loadMailLink: { kind: "side", route: OF_TOKEN },
  useMailLink: { kind: "side", route: OF_TOKEN },
  claimConfirmations: {
    kind: "side",
    route: {
      kind: "in all",
      none: [],
      rest(params, claimed) {
        const secretHashes = params.secretHashes.slice(claimed.length);
        return secretHashes.length === 0 ? null : { ...params, secretHashes };
      },
      join: inARow,
    },
  },
  settleConfirmationIfClaimed: { kind: "side", route: OF_ACCOUNT },
  claimDigests: {
    kind: "side",
    route: {
      kind: "in all",
      none: [],
      rest: (params, claimed) => withLess(params, "digestsMax", claimed.length),
      join: inARow,
    },
  },
  settleDigestIfClaimed: { kind: "side", route: OF_ACCOUNT },
} satisfies VerbTable<MailVerbs>;

export interface AddMailAddress {
  readonly accountId: string;
  readonly address: NewMailAddress;
  readonly letterId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface NewMailAddress {
  readonly id: string;
  /** As it was typed. */
  readonly address: string;
  /** `hashSecret` of the token that stops and starts letters, and the secret itself, sealed: each letter has it. */
  readonly stopHash: string;
  readonly sealedStop: string;
}

export type AddMailAddressResult =
  | { readonly kind: "added"; readonly addressId: string }
  | { readonly kind: "known" | "full" | "stopped" | "account_missing" }
  | { readonly kind: "refused"; readonly refusal: LetterRefusal };

export interface DecideMailAddress {
  readonly accountId: string;
  readonly addressId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface RequestConfirmation extends DecideMailAddress {
  readonly letterId: string;
}

export type RequestConfirmationResult =
  | { readonly kind: "queued" | "missing" | "confirmed" | "stopped" }
  | { readonly kind: "refused"; readonly refusal: LetterRefusal };

export interface StoredMailAddress {
  readonly id: string;
  readonly address: string;
  readonly state: MailAddressState;
  /** When it came into this state. */
  readonly sinceMs: number;
  /** The latest confirmation letter: when it was asked for, and what became of it. */
  readonly letter: { readonly atMs: number; readonly state: LetterState };
}

export interface StoredMailLink {
  readonly purpose: "confirm" | "stop";
  /** `removed`: the account names this address no more. Links to stop letters are always good. */
  readonly found: "good" | "used" | "expired" | "removed";
  readonly accountId: string;
  readonly accountName: string;
  readonly address: string;
  /** As it is now. */
  readonly state: MailAddressState;
}

export interface UseMailLink {
  /** The token's key (see `domain/token.ts`). */
  readonly tokenHash: string;
  /** `confirm` takes a link of that purpose, the other two one to stop letters. */
  readonly action: "confirm" | "stop" | "start";
  readonly nowMs: number;
}

export interface ClaimConfirmations {
  readonly nowMs: number;
  readonly claimToken: string;
  readonly claimUntilMs: number;
  /** The secrets of the links' tokens, hashed: the caller does not know their accounts yet. */
  readonly secretHashes: readonly string[];
}

export interface ClaimedConfirmation {
  readonly letterId: string;
  /** One of those that were given. */
  readonly secretHash: string;
  readonly linkUntilMs: number;
  readonly addressId: string;
  readonly address: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly sealedStop: string;
}

export interface SettleConfirmation {
  /** The letter's. */
  readonly accountId: string;
  readonly letterId: string;
  readonly claimToken: string;
  readonly state: "sent" | "no_mailbox";
}

export interface ClaimDigests {
  readonly nowMs: number;
  readonly claimToken: string;
  readonly digestsMax: number;
  /** For each kind; the rest is counted. */
  readonly linesMax: number;
}

export interface ClaimedDigest extends News {
  readonly addressId: string;
  readonly address: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly sealedStop: string;
}

/** All that there is to tell one reader. */
export interface News {
  /** At most `linesMax` of each kind, oldest first. */
  readonly lines: readonly DigestLine[];
  /** How many there are of each kind. */
  readonly counts: Readonly<Record<DigestKind, number>>;
  /** When a reminder fell due that is part of it; `null`: what still fails makes no message by itself. */
  readonly remindAtMs: number | null;
}

/** `still_failing`: told before, and not over yet. It is in a digest beside news, and makes one once a day. */
export const DIGEST_KINDS = ["turned_off", "failing", "still_failing", "recovered", "certificate_ends"] as const;

export type DigestKind = (typeof DIGEST_KINDS)[number];

export interface DigestLine {
  readonly kind: DigestKind;
  /** When it became news. */
  readonly atMs: number;
  /** The destination's latest incident, which the news is about; `null` when it is not kept any more, or about none. */
  readonly incidentId: string | null;
  /** Where the news is that the destination's client certificate ends. */
  readonly certificateEndsAtMs: number | null;
  readonly destination: Pick<
    ReportedDestination,
    "id" | "url" | "owner" | "offReason" | "failingSinceMs" | "lastFailure"
  >;
}

export interface SettleDigest {
  readonly accountId: string;
  readonly addressId: string;
  readonly claimToken: string;
  readonly retryAtMs: number | null;
  readonly toldAtMs: number | null;
}
