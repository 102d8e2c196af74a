/** Conditions in a form: what is typed, what is wrong with it, and the events that it is tried on. */
import type { AlertPreviewBody } from "../../../src/dashboard/contract/conditions.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { ConditionsDraft } from "./draft.ts";

export interface ConditionsProps {
  readonly legend: string;
  /** The meaning of none, where the form does not say it elsewhere. */
  readonly help?: string;
  readonly draft: ConditionsDraft;
  readonly errors: FieldErrors;
  /** `keys` are the errors that the change may mend. */
  readonly onChange: (draft: ConditionsDraft, ...keys: readonly string[]) => void;
  /** Somebody has left the field. */
  readonly onLeave: (key: string) => void;
  readonly isReadOnly: boolean;
  /** The events that they are tried on. */
  readonly tries: { readonly assistantId: string } | Omit<AlertPreviewBody, "conditions">;
}
