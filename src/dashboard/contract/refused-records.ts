/** Records that the product emitted inside its own transactions and that could not become events. */
import type { EventType } from "../../domain/event.ts";

export interface RefusedRecord {
  /** Its number in the inbox, which the emitting call returned. */
  readonly id: number;
  readonly type: EventType;
  readonly emittedAtMs: number;
  readonly refusedAtMs: number;
  /** Why, in a few words, in a sentence, and field by field. */
  readonly title: string;
  readonly detail: string;
  readonly fields: readonly { readonly path: string; readonly message: string }[];
  /** As it was emitted; `null` once it is purged. */
  readonly record: string | null;
  /** Only its beginning is here. */
  readonly isRecordCut: boolean;
}

export interface RefusedRecordList {
  readonly records: readonly RefusedRecord[];
  readonly nextCursor: string | null;
}
