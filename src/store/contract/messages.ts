/**
 * Messages that Bellwire sends by itself. Verbs that change what they are about write them in the same transaction: an
 * address that is added is asked to confirm, an outage is news for each recipient and for the operator. A node then
 * claims what is due, sends it and settles it.
 *
 *     written ──due──► claimed ──► sent: it goes, and a recipient of notifications is reminded a day later
 *        ▲                ├──► refused or put off ──┐
 *        │                └──► its node dies, the claim ends
 *        └──────────────────────────────────────────┘
 *
 * A recipient has one message in flight, and what is due to it goes out as one notification.
 */
import type { MessageRoute } from "../../domain/message.ts";
import type { ChannelAnswer, ChannelKind } from "../../domain/channel.ts";
import type { Notification } from "../../domain/notification.ts";
import type { NewConfirmationLink } from "./recipients.ts";
import { HOME, inARow, type VerbTable, withLess } from "./verb-table.ts";

export interface MessagesVerbs {
  /**
   * Writes an alert to the operator when `subject` begins or ends to be so, whichever node notices it first: `noted`.
   * `unchanged` when that was noted already, or when it begins again within `quietMs` of having been noted.
   */
  noteCondition(params: NoteCondition): Promise<"noted" | "unchanged">;
  /**
   * Takes what is due by a route, those recipients first that have waited longest. A recipient whose message was
   * claimed gets nothing else for `HOLD_MS`, also when its node dies; then what was not settled is given out again.
   * What has expired is dropped, and what there is nothing to tell about any more.
   */
  claimMessages(params: ClaimMessages): Promise<readonly ClaimedMessage[]>;
  /** Does nothing under a claim that was lost. */
  settleMessageIfClaimed(params: SettleMessage): Promise<void>;
}

export const MESSAGES_VERBS = {
  noteCondition: { kind: "side", route: HOME },
  claimMessages: {
    kind: "side",
    route: {
      kind: "all",
      rest: (params, claimed) => withLess(params, "messagesMax", claimed.length),
      join: inARow,
    },
  },
  /** An alert to the operator is about no account, and stands where its cause does. */
  settleMessageIfClaimed: { kind: "side", route: { kind: "all", join: () => {} } },
} satisfies VerbTable<MessagesVerbs>;

export interface NoteCondition {
  readonly subject: string;
  readonly isRaised: boolean;
  /** The alert's. */
  readonly body: string;
  readonly quietMs: number;
  readonly nowMs: number;
}

export interface ClaimMessages {
  readonly route: MessageRoute;
  readonly nowMs: number;
  readonly claimToken: string;
  readonly messagesMax: number;
  /** Of a notification, for each kind; the others are counted. */
  readonly linesMax: number;
}

export type ClaimedMessage = ClaimedConfirmation | ClaimedEmail | ClaimedChannelMessage | ClaimedAlert;

interface Claimed {
  readonly accountId: string;
  /** An address's id, a channel's, or the operator as one hears of one subject. */
  readonly recipient: string;
  /** Refusals in a row until now. */
  readonly refusals: number;
}

interface ToAddress extends Claimed {
  readonly accountName: string;
  readonly address: string;
  /** The token of the link that stops email, sealed. */
  readonly sealedStop: string;
}

/** An email that asks whether an address may be notified. */
export interface ClaimedConfirmation extends ToAddress, ConfirmationLink {
  readonly kind: "confirmation";
}

export interface ConfirmationLink extends NewConfirmationLink {
  readonly untilMs: number;
}

export interface ClaimedEmail extends ToAddress {
  readonly kind: "email";
  readonly notification: Notification;
}

export interface ClaimedChannelMessage extends Claimed {
  readonly kind: "channel";
  readonly channelKind: ChannelKind;
  readonly accountName: string;
  readonly sealedUrl: string;
  readonly notification: Notification;
}

export interface ClaimedAlert extends Claimed {
  readonly kind: "operator_alert";
  /** Never used twice. */
  readonly seq: number;
  /** A destination's id, or what `noteCondition` was called with. */
  readonly subject: string;
  readonly atMs: number;
  readonly body: string;
}

/**
 * - `sent`: the recipient took it.
 * - `no_mailbox`: the mail server knows no such address, and another try would not help.
 * - `refused`: the recipient did not take it; it is given out again from `retryAtMs` on.
 * - `put_off`: the same, and the recipient is not blamed: it was not tried, or the fault was ours.
 */
export type MessageEnd =
  | { readonly kind: "sent" | "no_mailbox" }
  | { readonly kind: "refused" | "put_off"; readonly retryAtMs: number };

export interface SettleMessage {
  readonly accountId: string;
  readonly recipient: string;
  readonly claimToken: string;
  readonly nowMs: number;
  readonly end: MessageEnd;
  /** A channel's, as pages show it. */
  readonly answer?: ChannelAnswer | null;
}
