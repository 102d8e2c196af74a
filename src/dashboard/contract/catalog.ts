/** The event catalog, the playground, and records that could not become events. */
import type { OwnerKind } from "../../domain/event.ts";
import type { FormOf } from "../../domain/form.ts";
import type { playgroundForm } from "../forms/bodies.ts";

export interface EventTypeView {
  readonly type: string;
  /** Its name on pages. */
  readonly title: string;
  /** When it is sent. */
  readonly description: string;
  /** Every field of the body in its order, nested ones with dotted paths. */
  readonly fields: readonly FieldView[];
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** The exact text of a sample body, built with this account's `app_url`. */
  readonly sample: string;
  /** A TypeScript declaration of the body. */
  readonly typescript: string;
  readonly usedBy: readonly { readonly kind: OwnerKind; readonly id: string; readonly name: string }[];
}

export interface FieldView {
  readonly path: string;
  readonly type: string;
  readonly description: string;
  /** As in the sample, JSON text. */
  readonly example: string;
}

export type PlaygroundBody = FormOf<typeof playgroundForm>;

export interface PlaygroundAnswer {
  readonly sourceId: string;
  readonly eventId: string;
  readonly deliveries: number;
  readonly isDuplicate: boolean;
  /** It repeats an earlier event with other content than that one had. */
  readonly differs: boolean;
}

/** Types that a record can be sent of. */
export interface PlaygroundTypes {
  readonly types: readonly {
    readonly type: string;
    /** Its record in words. */
    readonly label: string;
  }[];
}

export interface PlaygroundSample {
  /** JSON text of a record with a fresh id. */
  readonly record: string;
}

/* Records that the product emitted inside its own transactions and that could not become events. */

export interface RefusedRecord {
  /** Its number in the inbox, which the emitting call returned. */
  readonly id: number;
  readonly type: string;
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
