/**
 * The number of errors that the answer to a batch may list. A sender that writes every record in the same wrong way
 * learns it from the first ones; a thousand records with fifty errors each would make an answer larger than the batch.
 */
import type { Result } from "../domain/problem.ts";

/** Guesses: more than people read. */
const ERRORS_PER_RECORD_MAX = 10;
const ERRORS_PER_BATCH_MAX = 1_000;

/** Calls `parse` with the number of errors it may list: fewer as the batch's are used up, and always one. */
export type WithBudget = <Value>(parse: (errorsMax: number) => Result<Value>) => Result<Value>;

export function createErrorBudget(): WithBudget {
  let left = ERRORS_PER_BATCH_MAX;
  return (parse) => {
    const parsed = parse(Math.max(1, Math.min(left, ERRORS_PER_RECORD_MAX)));
    if (!parsed.ok) left -= parsed.error.errors?.length ?? 0;
    return parsed;
  };
}
