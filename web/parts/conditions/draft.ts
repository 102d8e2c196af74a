/** Conditions on a payload's fields while somebody edits them. Pure: every change gives a new draft. */
import type { AlertDetail } from "../../../src/dashboard/contract/alerts.ts";
import type { AlertPreviewBody, ConditionForm, ConditionsForm } from "../../../src/dashboard/contract/conditions.ts";
import type { FieldErrors } from "../field-errors.ts";

export interface ConditionRow {
  readonly id: number;
  readonly field: string;
  readonly operator: ConditionForm["operator"];
  /** As typed; of a list one on each line. */
  readonly value: string;
}

export interface ConditionsDraft {
  readonly join: ConditionsForm["join"];
  readonly rows: readonly ConditionRow[];
  /** The id of the next new row. */
  readonly nextId: number;
}

export function toConditionsDraft(saved: AlertDetail["conditions"]): ConditionsDraft {
  const rows = (saved?.list ?? []).map((condition, index): ConditionRow => {
    const value = "value" in condition ? condition.value : "values" in condition ? condition.values.join("\n") : "";
    return { id: index + 1, field: condition.field, operator: condition.operator, value };
  });
  return { join: saved?.join ?? "all", rows, nextId: rows.length + 1 };
}

export const comparesValue = ({ operator }: Pick<ConditionRow, "operator">): boolean =>
  operator !== "known" && operator !== "not_known";

export const comparesList = ({ operator }: Pick<ConditionRow, "operator">): boolean =>
  operator === "one_of" || operator === "none_of";

const toValues = (typed: string): string[] =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** `null` for none: the join of no conditions says nothing. */
export function toConditionsForm({ join, rows }: ConditionsDraft): ConditionsForm | null {
  if (rows.length === 0) return null;
  return { join, list: rows.map((row) => toForm(row)) };
}

function toForm(row: ConditionRow): ConditionForm {
  const { operator } = row;
  const field = row.field.trim();
  if (comparesList(row)) return { field, operator, values: toValues(row.value) };
  return comparesValue(row) ? { field, operator, value: row.value.trim() } : { field, operator };
}

/** Two drafts are the same when they would send the same. */
export const sendsConditions = (draft: ConditionsDraft): string => JSON.stringify(toConditionsForm(draft));

/** The service knows which fields there are; here only what is empty is found. */
export function checkConditions({ rows }: ConditionsDraft): FieldErrors {
  const errors: Record<string, string> = {};
  for (const [index, row] of rows.entries()) {
    if (row.field.trim() === "") errors[errorKey(index, "field")] = "Choose a field, or remove the row.";
    if (comparesValue(row) && row.value.trim() === "") {
      errors[errorKey(index, "value")] = comparesList(row)
        ? "Enter at least one value."
        : "Enter what to compare with.";
    }
  }
  return errors;
}

/** As the service's paths become keys (`../webhook/refusals.ts`). */
export const errorKey = (index: number, part: "field" | "operator" | "value"): string => `condition:${index}:${part}`;

/** A change in one row can move all others. */
export const listErrorKeys = ({ rows }: ConditionsDraft): readonly string[] => [
  "conditions",
  ...rows.flatMap((_, index) => (["field", "operator", "value"] as const).map((part) => errorKey(index, part))),
];

export const addCondition = (draft: ConditionsDraft): ConditionsDraft => ({
  ...draft,
  rows: [...draft.rows, { id: draft.nextId, field: "", operator: "is", value: "" }],
  nextId: draft.nextId + 1,
});

export const removeCondition = (draft: ConditionsDraft, id: number): ConditionsDraft => ({
  ...draft,
  rows: draft.rows.filter((row) => row.id !== id),
});

export const changeCondition = (
  draft: ConditionsDraft,
  id: number,
  change: Partial<Omit<ConditionRow, "id">>,
): ConditionsDraft => ({
  ...draft,
  rows: draft.rows.map((row) => (row.id === id ? inOneLine({ ...row, ...change }) : row)),
});

/** A field of one line would show the lines of a former list as one word. */
const inOneLine = (row: ConditionRow): ConditionRow =>
  comparesList(row) ? row : { ...row, value: row.value.replace(/\n.*/s, "") };

/* The comparisons of conditions, in words that go on from a field's name. */

export const OPERATORS: readonly { readonly value: ConditionForm["operator"]; readonly label: string }[] = [
  { value: "is", label: "is" },
  { value: "is_not", label: "is not" },
  { value: "one_of", label: "is one of" },
  { value: "none_of", label: "is none of" },
  { value: "contains", label: "contains" },
  { value: "contains_not", label: "does not contain" },
  { value: "begins_with", label: "begins with" },
  { value: "begins_not", label: "does not begin with" },
  { value: "at_least", label: "is at least" },
  { value: "at_most", label: "is at most" },
  { value: "known", label: "is known" },
  { value: "not_known", label: "is not known" },
];

/** Of a form that two people may change at once (`../editor/form-fields.ts`). */
export const conditionsField = { sends: sendsConditions, show: conditionsInWords };

function conditionsInWords({ join, rows }: ConditionsDraft): string {
  const words = rows.map(({ field, operator, value }) => {
    const compared = comparesValue({ operator }) ? ` ${value.trim().replaceAll("\n", ", ")}` : "";
    return `${field.trim()} ${OPERATORS.find((each) => each.value === operator)?.label ?? ""}${compared}`;
  });
  return words.length === 0 ? "None" : words.join(join === "any" ? " or " : " and ");
}

/* Conditions in a form: what is typed, what is wrong with it, and the events that it is tried on. */

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
  readonly tries: Omit<AlertPreviewBody, "conditions"> | { readonly assistantId: string } | { readonly type: string };
}
