/** Checks the conditions of a form that saves an alert or an assistant's webhook; keeps those that it leaves out. */
import type { Conditions } from "../domain/conditions.ts";
import type { EventType } from "../domain/event.ts";
import { type Result, ok, problem, refuse } from "../domain/problem.ts";
import { type ConditionsForm, checkConditions } from "../events/condition-fields.ts";

/** `given` left out: a form that knows of no conditions, such as a page of an older version, takes none away. */
export function checkConditionsForm(
  types: readonly EventType[],
  given: ConditionsForm | null | undefined,
  saved: Conditions | null,
): Result<Conditions | null> {
  if (given === undefined) return ok(saved);
  if (given === null) return ok(null);
  const checked = checkConditions(types, given);
  if (checked.ok) return checked;
  const errors = checked.error.map(({ path, message }) => ({ path: `conditions.${path}`, message }));
  return refuse(problem("invalid_conditions", "Some conditions cannot be used.", errors));
}
