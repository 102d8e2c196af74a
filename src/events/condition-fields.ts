/**
 * The fields that conditions may name, as the body's schema has them, and the check of conditions that a person made. A
 * name that no payload can have is refused with the nearest one; below `utm_params`, `extracted_variables` and whatever
 * else a schema leaves open, names are the account's own, and any name goes. Pure.
 */
import {
  CONDITION_JOINS,
  CONDITION_OPERATORS,
  type Condition,
  type Conditions,
  isComparable,
  LIST_OPERATORS,
} from "../domain/conditions.ts";
import type { ConditionForm, ConditionsForm } from "../domain/conditions-form.ts";
import { LIMITS } from "../domain/limits.ts";
import type { FieldError, Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { EventType } from "./event-type.ts";
import { nearestName } from "../lib/nearest-name.ts";
import { type Field, listFields } from "./schema/fields.ts";

/** `choices` has those of a boolean too. */
export type ConditionField = Pick<Field, "path" | "description" | "isOpen" | "choices">;

/** Those of any of the types, in the order of their bodies, the fields of an object below it. */
export const listConditionFields = (types: readonly EventType[]): readonly ConditionField[] => [
  ...knowFields(types).byPath.values(),
];

interface KnownFields {
  readonly byPath: ReadonlyMap<string, ConditionField>;
  /** Below these any name goes. */
  readonly open: readonly ConditionField[];
}

/** 200 types may have 400,000 fields, and a template asks for 200 names. */
const knownFields = new WeakMap<readonly EventType[], KnownFields>();

const knowFields = (types: readonly EventType[]): KnownFields => knownFields.getOrInsertComputed(types, findFields);

function findFields(types: readonly EventType[]): KnownFields {
  const byPath = new Map<string, ConditionField>();
  for (const type of types) for (const field of fieldsOf(type)) byPath.getOrInsert(field.path, field);
  return { byPath, open: [...byPath.values()].filter(({ isOpen }) => isOpen) };
}

/** Every mistake by its path (`list[0].field`), or the conditions as they are kept. */
export function checkConditions(
  types: readonly EventType[],
  { join, list }: ConditionsForm,
): Result<Conditions | null, readonly FieldError[]> {
  const { conditionsMax } = LIMITS;
  if (list.length > conditionsMax) return refuse([{ path: "list", message: `has more than ${conditionsMax} entries` }]);
  const errors = list.flatMap((condition, index) =>
    checkCondition(types, condition).map(({ path, message }) => ({ path: `list[${index}].${path}`, message })),
  );
  if (!CONDITION_JOINS.includes(join)) errors.push({ path: "join", message: "must be all or any" });
  if (errors.length > 0) return refuse(errors);
  return ok(list.length === 0 ? null : { join, list: list.map(toCondition) });
}

function checkCondition(types: readonly EventType[], condition: ConditionForm): FieldError[] {
  const { field, operator, value = "" } = condition;
  const errors: FieldError[] = [];
  const fieldFault = findFieldFault(types, field.trim());
  if (fieldFault !== null) errors.push({ path: "field", message: fieldFault });
  if (!CONDITION_OPERATORS.includes(operator)) {
    errors.push({ path: "operator", message: `must be one of ${CONDITION_OPERATORS.join(", ")}` });
  }
  const isList = LIST_OPERATORS.some((known) => known === operator);
  const valueFault = isList ? findListFault(listValues(condition)) : findValueFault(operator, value.trim());
  if (valueFault !== null) errors.push({ path: isList ? "values" : "value", message: valueFault });
  return errors;
}

function toCondition(form: ConditionForm): Condition {
  const { operator, value = "" } = form;
  const field = form.field.trim();
  if (operator === "known" || operator === "not_known") return { field, operator };
  if (operator === "one_of" || operator === "none_of") return { field, operator, values: listValues(form) };
  return { field, operator, value: value.trim() };
}

/** Trimmed; empty ones and those that stand there twice are left out. */
const listValues = ({ values = [] }: ConditionForm): readonly string[] => [
  ...new Set(values.map((each) => each.trim()).filter((each) => each !== "")),
];

/** Goes on from the list's name, and says which of its values is wrong. */
function findListFault(values: readonly string[]): string | null {
  const { conditionValuesMax } = LIMITS;
  if (values.length === 0) return "is empty: enter at least one value, each on a line of its own";
  if (values.length > conditionValuesMax) {
    return `has ${values.length} values, and at most ${conditionValuesMax} are taken`;
  }
  const faults = values.map((value, index) => [index + 1, findValueFault("is", value)] as const);
  const [place, fault] = faults.find(([, found]) => found !== null) ?? [];
  return fault === undefined ? null : `has a mistake: value ${place} ${fault}`;
}

/** Goes on from the field's name. */
function findValueFault(operator: Condition["operator"], value: string): string | null {
  const { conditionValueCharsMax } = LIMITS;
  if (operator === "known" || operator === "not_known") return null;
  if (value === "") return 'is missing: enter what to compare with, or ask whether the field "is known"';
  if (value.length > conditionValueCharsMax) return `is longer than ${conditionValueCharsMax} characters`;
  if (/\p{Cc}/u.test(value)) return "must be one line of visible characters";
  if ((operator === "at_least" || operator === "at_most") && !isComparable(value)) {
    return "must be a number, or one of low, medium and high";
  }
  return null;
}

/** Below an open object, any name goes. */
export function isFieldOf(types: readonly EventType[], field: string): boolean {
  const { byPath, open } = knowFields(types);
  return byPath.has(field) || open.some(({ path }) => isNameBelow(path, field));
}

/** Goes on from the field's name; `null` where an event of one of the types may have it. */
export function findFieldFault(types: readonly EventType[], field: string): string | null {
  const { conditionFieldCharsMax } = LIMITS;
  if (field === "") return "is missing: choose a field of the payload";
  if (field.length > conditionFieldCharsMax) return `is longer than ${conditionFieldCharsMax} characters`;
  if (/\p{Cc}/u.test(field)) return "must be one line of visible characters";
  if (isFieldOf(types, field)) return null;
  const { byPath, open: openFields } = knowFields(types);
  const open = openFields.find(({ path }) => field === `${path}.`);
  if (open !== undefined) {
    const { path } = open;
    return `needs a name behind ${path}, such as ${path}.${EXAMPLES[path] ?? "name"}`;
  }
  const nearest = findNearest(field, byPath.keys().take(COMPARED_MAX).toArray());
  const hint = nearest === undefined ? "" : `: did you mean ${nearest}?`;
  return `is none of the payload of ${types.map(({ type }) => type).join(" or ")}${hint}`;
}

/** Guess: a hint is not worth more. */
const COMPARED_MAX = 2_000;

/** Behind the brackets of a list too. */
const isNameBelow = (path: string, field: string): boolean =>
  field.startsWith(path) && /^(?:\[\])*\../s.test(field.slice(path.length));

const EXAMPLES: Readonly<Record<string, string>> = { utm_params: "utm_source", extracted_variables: "team_size" };

/** The whole path first, and then its last name alone: `email` is meant to be `lead.email`. */
function findNearest(field: string, paths: readonly string[]): string | undefined {
  const whole = nearestName(field, paths);
  if (whole !== undefined) return whole;
  if (field.startsWith("utm_") && paths.includes("utm_params")) return `utm_params.${field}`;
  const last = nearestName(
    lastName(field),
    paths.map((path) => lastName(path)),
  );
  return last === undefined ? undefined : paths.find((path) => lastName(path) === last);
}

const lastName = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const fieldsOf = ({ bodySchema }: EventType): readonly ConditionField[] =>
  listFields(bodySchema).map(({ path, types, description, isOpen, choices }) => {
    const withBoolean = types.includes("boolean") && choices.length === 0 ? [true, false] : choices;
    return { path, description, isOpen, choices: withBoolean };
  });
