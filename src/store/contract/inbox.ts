/**
 * The outbox's other end: records that the product has put into the inbox inside its own transactions, and what became
 * of those that could not be accepted.
 *
 *     emitted ──► claimed ──► accepted: the row goes in the transaction of `acceptEvents`
 *        ▲           ├──► refused: the row becomes a refused record
 *        └───────────┴── given back, or its claim ends
 *
 * Only a database that the product can write to has an inbox. On SQLite the inbox is always empty.
 */
import type { Problem } from "../../domain/problem.ts";
import type { Claim } from "./path.ts";
import { HOME, type VerbTable } from "./verb-table.ts";

export interface InboxVerbs {
  /**
   * Takes records that are due and free, the longest due first. Rows that commit late are taken late, and
   * none is passed over. One that was claimed before comes alone, so that whatever fails or dies over it takes no other
   * else along. Each claim counts as a try.
   */
  claimInboxRecords(params: ClaimInboxRecords): Promise<ClaimedInboxRecords>;
  /** Gives records back, if they are still claimed: due again at their time. */
  releaseInboxRecordsIfClaimed(params: ReleaseInboxRecords): Promise<{ readonly released: number }>;
  /** Keeps records, if they are still claimed, with the reason why there will be no event. */
  refuseInboxRecordsIfClaimed(params: RefuseInboxRecords): Promise<{ readonly refused: number }>;
  /** Newest first. An account that does not exist can have some: that may be why they were refused. */
  listRefusedRecords(params: ListRefusedRecords): Promise<readonly StoredRefusedRecord[]>;
  /** `waiting` includes what is claimed just now; refused records are counted from an instant on. */
  countInbox(params: { readonly refusedFromMs: number }): Promise<InboxCounts>;
  /**
   * Takes a person's records out of the next ones: those that wait go, and those that were refused keep their row and
   * lose what they say. In steps, each from where the last one stopped.
   */
  eraseFromInbox(params: EraseFromInbox): Promise<ErasedFromInbox>;
}

export const INBOX_VERBS = {
  claimInboxRecords: { kind: "path", route: HOME },
  releaseInboxRecordsIfClaimed: { kind: "path", route: HOME },
  refuseInboxRecordsIfClaimed: { kind: "path", route: HOME },
  listRefusedRecords: { kind: "side", reads: true, route: HOME },
  countInbox: { kind: "side", reads: true, route: HOME },
  eraseFromInbox: { kind: "side", route: HOME },
} satisfies VerbTable<InboxVerbs>;

export interface ClaimInboxRecords {
  readonly nowMs: number;
  readonly claim: Claim;
  readonly recordsMax: number;
  /** Stops before the records' texts exceed this number of bytes in all; one is always taken. */
  readonly bytesMax: number;
}

export interface ClaimedInboxRecords {
  readonly records: readonly InboxRecord[];
  /** More were due than were taken. */
  readonly hasMore: boolean;
}

export interface InboxRecord {
  readonly seq: number;
  readonly accountId: string;
  readonly type: string;
  /** JSON text of an object. */
  readonly record: string;
  readonly emittedAtMs: number;
  /** This one included. */
  readonly tries: number;
}

export interface ReleaseInboxRecords {
  readonly claimToken: string;
  readonly records: readonly { readonly seq: number; readonly dueAtMs: number }[];
  /** False takes back the try that the claim has counted: it was no fault of the records. */
  readonly isTry: boolean;
}

export interface RefuseInboxRecords {
  readonly claimToken: string;
  readonly nowMs: number;
  readonly refusals: readonly { readonly seq: number; readonly problem: Problem }[];
}

export interface ListRefusedRecords {
  readonly accountId: string;
  readonly before: { readonly seq: number } | null;
  readonly limit: number;
  /** At most this many characters of each record's text are read. */
  readonly recordCharsMax: number;
}

export interface StoredRefusedRecord {
  readonly seq: number;
  readonly type: string;
  /** As it was emitted; `null` once it is purged. */
  readonly record: string | null;
  readonly isRecordCut: boolean;
  readonly emittedAtMs: number;
  readonly refusedAtMs: number;
  readonly problem: Problem;
}

export interface EraseFromInbox {
  readonly accountId: string;
  readonly email: string;
  /** Behind these numbers; 0 at first. */
  readonly after: InboxPlace;
  readonly recordsMax: number;
  readonly nowMs: number;
}

export interface InboxPlace {
  readonly waiting: number;
  readonly refused: number;
}

export interface ErasedFromInbox {
  readonly waiting: number;
  readonly refused: number;
  /** Left, because a node has them in hand. */
  readonly inFlight: number;
  /** `null`: that was the last of them. */
  readonly next: InboxPlace | null;
}

export interface InboxCounts {
  readonly waiting: number;
  /** When the oldest of those was emitted. */
  readonly oldestEmittedAtMs: number | null;
  readonly refused: number;
}
