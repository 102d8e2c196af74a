/**
 * The inbox, which is always empty here: the product cannot write to a file that this process has for itself, so no
 * transaction of its can hold a record.
 */
import { assert } from "../../lib/assert.ts";
import type {
  ClaimedInboxRecords,
  ErasedFromInbox,
  InboxCounts,
  RefuseInboxRecords,
  ReleaseInboxRecords,
  StoredRefusedRecord,
} from "../contract/inbox.ts";

export const claimInboxRecords = (): ClaimedInboxRecords => ({ records: [], hasMore: false });

export function releaseInboxRecordsIfClaimed(_: unknown, { records }: ReleaseInboxRecords): { released: number } {
  assert(records.length === 0, "a record of an inbox that is always empty cannot be given back");
  return { released: 0 };
}

export function refuseInboxRecordsIfClaimed(_: unknown, { refusals }: RefuseInboxRecords): { refused: number } {
  assert(refusals.length === 0, "a record of an inbox that is always empty cannot be refused");
  return { refused: 0 };
}

export const eraseFromInbox = (): ErasedFromInbox => ({ waiting: 0, refused: 0, inFlight: 0, next: null });

export const listRefusedRecords = (): StoredRefusedRecord[] => [];

export const countInbox = (): InboxCounts => ({ waiting: 0, oldestEmittedAtMs: null, refused: 0 });
