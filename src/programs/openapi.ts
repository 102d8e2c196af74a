/** The read routes' part of the OpenAPI document, from their table. */
import type { TSchema } from "typebox";
import { accountParameter, pathParameter, refusals, type Operation } from "../intake/operation.ts";
import { JSON_TYPE } from "../intake/read-call.ts";
import Type from "typebox";
import type { ReadRow } from "./routes.ts";

export function toOperation(path: string, row: ReadRow): Operation {
  const { operationId, summary, description, opensFor, takesIntakeKey = false, query, answer, example } = row;
  const whose = opensFor === "all" ? "Needs a read key of all accounts." : "";
  const words = [description, whose].filter((part) => part !== undefined && part !== "").join(" ");
  const content = { schema: answer, examples: { answer: { value: example.answer } } };
  return {
    operationId,
    summary,
    ...(words !== "" && { description: words }),
    security: [{ readKey: [] }, ...(takesIntakeKey ? [{ intakeKey: [] }] : [])],
    parameters: [...listPathParameters(path), ...listQueryParameters(query, example.query)],
    responses: {
      "200": { description: "As it is now.", content: { [JSON_TYPE]: content } },
      ...refusals(...row.refusals, ...(opensFor === "all" ? (["key_not_allowed"] as const) : []), "too_many_reads"),
    },
  };
}

const listPathParameters = (path: string): TSchema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) =>
    name === "account_id" ? accountParameter : pathParameter(name, Type.String({ maxLength: 128 })),
  );

function listQueryParameters(query: TSchema | undefined, examples: Readonly<Record<string, string>> = {}): TSchema[] {
  const { properties = {} } = (query ?? {}) as { readonly properties?: Readonly<Record<string, TSchema>> };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as TSchema & { readonly description?: string };
    const example = examples[name];
    const parameter = { name, in: "query", required: false, description, schema: rest };
    return { ...parameter, ...(example !== undefined && { example }) };
  });
}
