/** The section and its parts take the same: the draft, what is wrong with it, and who is told of a change. */
import type { FieldErrors } from "../field-errors.ts";
import type { AuthenticationDraft } from "./authentication-draft.ts";

export interface AuthenticationProps {
  readonly draft: AuthenticationDraft;
  /** The Webhook URL leads to another server than the saved one. */
  readonly hasMoved: boolean;
  readonly errors: FieldErrors;
  /** `keys` are the fields that have changed. */
  readonly onChange: (draft: AuthenticationDraft, ...keys: readonly string[]) => void;
  readonly onLeave: (key: string) => void;
  readonly isReadOnly: boolean;
}
