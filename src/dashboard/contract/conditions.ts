/** Conditions on a payload's fields: as forms send them, what they let through, and why something was not sent. */
import type { About } from "../../domain/event.ts";
import type * as form from "../../domain/conditions-form.ts";
import type { FormOf } from "../../domain/form.ts";
import type { alertPreviewForm, previewForm } from "../forms/bodies.ts";
import type { DestinationOwner } from "./destinations.ts";

export type ConditionsForm = form.ConditionsForm;
export type ConditionForm = form.ConditionForm;

/** A field that conditions may name. */
export interface ConditionFieldView {
  readonly path: string;
  /** Its meaning; empty for a name of the account's own, which was seen lately. */
  readonly about: string;
  /** Any name may stand below it. */
  readonly isOpen: boolean;
  /** Some of its values among the latest events, the most frequent first; then those that the schema lists. */
  readonly seen: readonly string[];
}

export interface ConditionFields {
  readonly fields: readonly ConditionFieldView[];
}

export type AlertPreviewBody = FormOf<typeof alertPreviewForm>;
export type PreviewBody = FormOf<typeof previewForm>;

/** "Would have fired for `fired` of the last `events`": of those accepted last whose payload is still there. */
export interface ConditionsPreview {
  readonly events: number;
  readonly fired: number;
  /** A few of both kinds, newest first. */
  readonly examples: readonly PreviewExample[];
}

export interface PreviewExample {
  readonly type: string;
  readonly sourceId: string;
  readonly acceptedAtMs: number;
  readonly about: About;
  readonly fires: boolean;
  /** Why it does not; empty when it does. */
  readonly why: string;
}

/** Webhooks that an event did not go to when it was accepted. */
export interface NotSentView {
  readonly webhooks: readonly {
    /** `null` once nothing of it is left. */
    readonly destination: { readonly id: string; readonly owner: DestinationOwner } | null;
    /** Goes on from "Not sent to …:". */
    readonly why: string;
  }[];
  /** How many besides. */
  readonly more: number;
}
