/**
 * Recipients of messages about failures (`messages.ts`): e-mail addresses, and channels such as Slack. Of a channel the
 * account knows what it answered last. An address has a life of its own:
 *
 *     waiting ──the recipient confirms──► confirmed ──the recipient stops──► stopped
 *        └────────────the recipient stops───────────────────────────────────►┘ └──the recipient starts──► confirmed
 *
 * Only a person who reads the mailbox leads from one state to another. An owner adds and removes: an address that comes
 * back waits again, and one that its recipient has stopped stays stopped.
 */
import type { Actor } from "../../domain/account.ts";
import type { ChannelAnswer, ChannelKind } from "../../domain/channel.ts";
import type { ConfirmationRefusal, ConfirmationState, MailAddressState } from "../../domain/mail-address.ts";
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface RecipientsVerbs {
  /** Writes the address down together with its first confirmation email; nothing when that is refused. */
  addMailAddress(params: AddMailAddress): Promise<AddMailAddressResult>;
  /** One more confirmation email, for an address that waits. */
  requestConfirmation(params: RequestConfirmation): Promise<RequestConfirmationResult>;
  /**
   * Does nothing unless the link is `good` and is made for this; answers how it was found, and what is so now. `null`:
   * no email that is remembered had this link.
   */
  followMailLink(params: FollowMailLink): Promise<StoredMailLink | null>;
  /**
   * A name stands for one channel of the account: `known` when it has one of this name. `older_nodes`: nodes may run
   * that do not know a channel of this kind.
   */
  addChannel(params: AddChannel): Promise<"added" | "known" | "full" | "account_missing" | "older_nodes">;
  /**
   * Writes down what a person's test met. When the channel took it, what waits for the channel is due at once. Answers
   * `missing`, and writes nothing, when the account does not have the channel any more.
   */
  noteChannelTest(params: NoteChannelTest): Promise<"noted" | "missing">;
  /** Each list in the order in which they were added. */
  loadRecipients(params: { readonly accountId: string }): Promise<Recipients>;
  /** Also deletes its messages, and an address's confirmation links. The link for stopping email keeps working. */
  removeRecipient(params: RemoveRecipient): Promise<"removed" | "missing">;
}

export const RECIPIENTS_VERBS = {
  addMailAddress: { kind: "side", route: OF_ACCOUNT },
  requestConfirmation: { kind: "side", route: OF_ACCOUNT },
  followMailLink: { kind: "side", route: { kind: "token", isKnown: (link) => link !== null } },
  addChannel: { kind: "side", route: OF_ACCOUNT },
  noteChannelTest: { kind: "side", route: OF_ACCOUNT },
  loadRecipients: { kind: "side", reads: true, route: OF_ACCOUNT },
  removeRecipient: { kind: "side", route: OF_ACCOUNT },
} satisfies VerbTable<RecipientsVerbs>;

export interface Recipients {
  readonly mailAddresses: readonly StoredMailAddress[];
  readonly channels: readonly StoredChannel[];
}

export interface RemoveRecipient {
  readonly accountId: string;
  /** An address's or a channel's. */
  readonly recipientId: string;
  readonly by: Actor;
  readonly nowMs: number;
}

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

export interface RequestConfirmation {
  readonly accountId: string;
  readonly addressId: string;
  readonly by: Actor;
  readonly nowMs: number;
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
  readonly state: MailAddressState;
}

export interface FollowMailLink {
  /** The token's key (see `domain/token.ts`). */
  readonly tokenHash: string;
  /** `confirm` takes a link of that purpose, `stop` and `start` one to stop email; `look` changes nothing. */
  readonly action: "look" | "confirm" | "stop" | "start";
  /** Of the caller, for the audit. */
  readonly address?: string | null;
  readonly nowMs: number;
}

export interface AddChannel {
  readonly accountId: string;
  readonly channel: NewChannel;
  readonly by: Actor;
  readonly nowMs: number;
}

export interface NewChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  /** The part of the URL that people see. */
  readonly origin: string;
  readonly sealedUrl: string;
}

export interface StoredChannel extends NewChannel {
  readonly addedAtMs: number;
  /** The latest one; `null` when nothing was sent yet. */
  readonly answer: ChannelAnswer | null;
  /** The first refusal after the latest message that was taken; `null` when there is none. */
  readonly refusedSinceMs: number | null;
}

export interface NoteChannelTest {
  readonly accountId: string;
  readonly channelId: string;
  readonly by: Actor;
  readonly nowMs: number;
  /** `null`: a fault of ours, which says nothing about the channel. */
  readonly answer: ChannelAnswer | null;
}
