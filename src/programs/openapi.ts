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

const message = (description: string) =>
  Type.Object({ jsonrpc: Type.Literal("2.0") }, { additionalProperties: true, description });

/** Its messages are the protocol's own: https://modelcontextprotocol.io. */
export const MCP_OPERATION: Operation = {
  operationId: "askAsAgent",
  summary: "Ask as an agent, by the Model Context Protocol",
  description: "Needs a read key of one account. `tools/list` says what can be asked; nothing can be changed.",
  security: [{ readKey: [] }],
  parameters: [],
  requestBody: {
    required: true,
    content: {
      [JSON_TYPE]: {
        schema: message("One message of the protocol."),
        examples: { ping: { value: { jsonrpc: "2.0", id: 1, method: "ping" } } },
      },
    },
  },
  responses: {
    "200": {
      description: "What was asked for, or the protocol's error.",
      content: {
        [JSON_TYPE]: {
          schema: message("The answer to it."),
          examples: { ping: { value: { jsonrpc: "2.0", id: 1, result: {} } } },
        },
      },
    },
    "202": { description: "A notification was taken." },
    ...refusals("key_not_allowed", "foreign_origin", "too_many_reads", "unsupported_media_type", "body_too_large"),
  },
};
