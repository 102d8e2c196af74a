/**
 * Checks a value against a schema. The compiled check answers "is it fine?" and is all that runs on good input; only
 * when it says no, `explain.ts` walks schema and value again to say what is wrong, in our words, field by field.
 * Both read the same schema, and a schema with a keyword that `explain.ts` has no words for is refused at start.
 */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { FieldError } from "../domain/problem.ts";
import { explainErrors } from "./explain.ts";
import { assertExplainable, type SchemaNode } from "./schema-node.ts";

/** Empty when the value is fine; else one error for each field, at most `errorsMax` (`FIELD_ERRORS_MAX`). */
export interface Validate {
  (value: unknown, errorsMax?: number): readonly FieldError[];
  readonly schema: SchemaNode;
}

const NONE: readonly FieldError[] = [];

/** Compiles `schema` once; throws when it uses a keyword that errors could not be explained for. */
export function createValidator(schema: TSchema): Validate {
  const node = schema as SchemaNode;
  assertExplainable(node);
  const compiled = Compile(schema);
  const check = (value: unknown, errorsMax?: number): readonly FieldError[] =>
    compiled.Check(value) ? NONE : explainOrName(node, value, errorsMax);
  return Object.assign(check, { schema: node });
}

/** An unexplained refusal would be a bug of ours; the caller must still get a refusal, never an acceptance. */
function explainOrName(node: SchemaNode, value: unknown, errorsMax?: number): readonly FieldError[] {
  const errors = explainErrors(node, value, errorsMax);
  return errors.length > 0 ? errors : [{ path: "", message: "does not match its schema" }];
}
