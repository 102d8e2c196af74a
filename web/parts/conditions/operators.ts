/** The comparisons of conditions, in words that go on from a field's name. */
import type { ConditionForm } from "../../../src/dashboard/contract/conditions.ts";

export const OPERATORS: readonly { readonly value: ConditionForm["operator"]; readonly label: string }[] = [
  { value: "is", label: "is" },
  { value: "is_not", label: "is not" },
  { value: "contains", label: "contains" },
  { value: "contains_not", label: "does not contain" },
  { value: "at_least", label: "is at least" },
  { value: "known", label: "is known" },
  { value: "not_known", label: "is not known" },
];
