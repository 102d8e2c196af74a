/**
 * Checks a value against a schema. The compiled check answers yes or no and is all that runs on good input. It is
 * made from a copy of the schema that means the same and is faster (`named-fields.ts`). After a no, `explain.ts` walks
 * schema and value again and says field by field what is wrong, in our words. A keyword that it cannot explain is
 * refused at start.
 */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { FieldError } from "../domain/problem.ts";
import { explainErrors } from "./explain.ts";
import { nameFields } from "./named-fields.ts";
import { assertExplainable, type SchemaNode } from "./schema-node.ts";

/** Empty when the value is valid; otherwise one error for each field, at most `errorsMax` (`FIELD_ERRORS_MAX`). */
export interface Validate {
  (value: unknown, errorsMax?: number): readonly FieldError[];
  readonly schema: SchemaNode;
}

const NONE: readonly FieldError[] = [];

/** Compiles `schema` once. Throws when it uses a keyword that `explain.ts` cannot explain. */
export function createValidator(schema: TSchema): Validate {
  const node = schema as SchemaNode;
  assertExplainable(node);
  const compiled = Compile(nameFields(node) as TSchema);
  const check = (value: unknown, errorsMax?: number): readonly FieldError[] =>
    compiled.Check(value) ? NONE : explainOrName(node, value, errorsMax);
  return Object.assign(check, { schema: node });
}

/** An unexplained refusal would be a bug of ours; the caller must still get a refusal, never an acceptance. */
function explainOrName(node: SchemaNode, value: unknown, errorsMax?: number): readonly FieldError[] {
  const errors = explainErrors(node, value, errorsMax);
  return errors.length > 0 ? errors : [{ path: "", message: "does not match its schema" }];
}
