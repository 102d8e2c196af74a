/** Declarations for tests. */
import type { Declaration } from "./declaration.ts";

/** A valid one, with the given members in it. */
export const toDeclaration = (given: Partial<Declaration>): Declaration => ({
  type: "thing_happened",
  title: "Thing happened",
  description: "",
  schema: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  key: "/id",
  occurredAt: null,
  headline: [],
  search: [],
  plan: null,
  exampleText: '{"id":"1"}',
  ...given,
});
