/** The event catalog and the playground. */
import type { EventType, OwnerKind } from "../../domain/event.ts";

export interface EventTypeView {
  readonly type: EventType;
  /** One sentence: when it is sent. */
  readonly summary: string;
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

export interface EventTypeList {
  readonly types: readonly EventTypeView[];
}

/** A record as the product's back end would send it. */
export interface PlaygroundBody {
  readonly type: EventType;
  /** JSON text of the record. */
  readonly record: string;
}

export interface PlaygroundAnswer {
  readonly sourceId: string;
  readonly eventId: string;
  readonly deliveries: number;
  readonly isDuplicate: boolean;
}

export interface PlaygroundSamples {
  /** JSON texts with fresh ids, one for each type. */
  readonly samples: readonly { readonly type: EventType; readonly record: string }[];
}
