/**
 * News for the operator, told by webhook. The verbs that change a destination write its news in the same transaction; a
 * node then claims a notice, tells it, and settles it.
 */
import { LOCAL, type VerbTable } from "./verb-table.ts";

export interface NoticesVerbs {
  /**
   * Writes a notice when `subject` begins or ends to be so, whichever node notices it first: `noted`. `unchanged` when
   * that was told already, or when it begins again within `quietMs` of having been told.
   */
  noteCondition(params: NoteCondition): Promise<"noted" | "unchanged">;
  /**
   * Takes free notices, oldest first, and of each subject only the oldest that there is: they are told in
   * their order. One that is not settled before the claim ends is given out again. `seq` is never used twice.
   */
  claimOperatorNotices(params: ClaimNotices): Promise<readonly StoredOperatorNotice[]>;
  /** `retryAtMs`: it is given out again from then on; `null`: it was told, or is no news any more, and goes. */
  settleOperatorNoticeIfClaimed(params: SettleOperatorNotice): Promise<void>;
}

export const NOTICES_VERBS = {
  noteCondition: { kind: "side", route: LOCAL },
  claimOperatorNotices: { kind: "side", route: LOCAL },
  settleOperatorNoticeIfClaimed: { kind: "side", route: LOCAL },
} satisfies VerbTable<NoticesVerbs>;

export interface ClaimNotices {
  readonly nowMs: number;
  readonly claimToken: string;
  readonly claimUntilMs: number;
  readonly noticesMax: number;
}

export interface NoteCondition {
  readonly subject: string;
  readonly isRaised: boolean;
  /** The notice's. */
  readonly body: string;
  readonly quietMs: number;
  readonly nowMs: number;
}

export interface StoredOperatorNotice {
  readonly seq: number;
  /** A destination's id, or what `noteCondition` was called with. */
  readonly subject: string;
  readonly atMs: number;
  readonly body: string;
  /** How often it was given out, this time included. */
  readonly attempts: number;
}

export interface SettleOperatorNotice {
  readonly noticeSeq: number;
  readonly claimToken: string;
  readonly retryAtMs: number | null;
}
