/**
 * Which errors of a form are shown: a field's own once somebody has left it or tried to send, and what the service
 * refused until that field is changed. Errors move the focus to the first bad field.
 */
import { type RefObject, useState } from "react";
import { flushSync } from "react-dom";
import type { FieldErrors } from "../field-errors.ts";
import { afterPress } from "./after-press.ts";

export interface ShownErrors {
  readonly errors: FieldErrors;
  /** Somebody has left the field. */
  readonly leave: (key: string) => void;
  /** Shows these errors and goes to the first; `false` when there are none. */
  readonly isStoppedBy: (found: FieldErrors) => boolean;
  readonly focusFirst: () => void;
}

/** `found` is what is wrong now, shown or not; `refused` is what the service said. */
export function useFieldErrors(
  { found, refused }: { readonly found: FieldErrors; readonly refused: FieldErrors },
  form: RefObject<HTMLFormElement | null>,
): ShownErrors {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const shown = Object.entries(found).filter(([key]) => left.has(key));
  const reveal = (...keys: readonly string[]): void => setLeft((before) => new Set([...before, ...keys]));
  const focusFirst = (): void => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  return {
    errors: { ...Object.fromEntries(shown), ...refused },
    leave: (key) => afterPress(() => reveal(key)),
    isStoppedBy(wrong) {
      if (Object.keys(wrong).length === 0) return false;
      flushSync(() => reveal(...Object.keys(wrong)));
      focusFirst();
      return true;
    },
    focusFirst,
  };
}
