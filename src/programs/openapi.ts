/** The part of programs' routes in the OpenAPI document, from their tables. */
import type { TSchema } from "typebox";
import { productId, SOURCE_ID_PATTERN } from "../events/fields.ts";
import { accountParameter, pathParameter, refusalsOfPrograms, type Operation } from "../intake/operation.ts";
import { JSON_TYPE } from "../intake/read-call.ts";
import Type from "typebox";
import type { ManageRow } from "./manage/routes.ts";
import type { ProgramRow, ReadRow } from "./routes.ts";

export function toOperation(path: string, row: ReadRow): Operation {
  const { opensFor, takesIntakeKey = false, answer, example } = row;
  const ofAll = opensFor === "all";
  return {
    ...describe(path, row, { more: ofAll ? "Needs a read key of all accounts." : "", query: example.query }),
    security: [{ readKey: [] }, ...(takesIntakeKey ? [{ intakeKey: [] }] : [])],
    responses: {
      "200": { description: "As it is now.", content: withExample("answer", answer, example.answer) },
      ...refusalsOfPrograms(...row.refusals, ...(ofAll ? (["key_not_allowed"] as const) : []), "too_many_reads"),
    },
  };
}

export function toManageOperation(path: string, row: ManageRow): Operation {
  const { answer, body, example } = row;
  const described = describe(path, row, { more: "Needs a key that manages.", query: example.query });
  const content = answer === undefined ? {} : { content: withExample("answer", answer, example.answer) };
  const done = { description: answer === undefined ? "Done." : "As it is now.", ...content };
  return {
    ...described,
    security: [{ manageKey: [] }],
    parameters: [...described.parameters, ...(row.ifMatch === true ? SEEN : [])],
    ...(body !== undefined && { requestBody: { required: true, content: withExample("body", body, example.body) } }),
    responses: {
      [answer === undefined ? "204" : "200"]: done,
      ...(row.operationId === "putWebhook" && { "201": { ...done, description: "Made." } }),
      ...refusalsOfPrograms(...row.refusals, "key_not_allowed", "too_many_reads"),
    },
  };
}

const ETAG = Type.String({ maxLength: 200 });
const SEEN = [
  { name: "if-match", in: "header", required: false, description: "The ETag of what you have seen.", schema: ETAG },
  { name: "if-none-match", in: "header", required: false, description: "`*`: only if there is none.", schema: ETAG },
] as unknown as TSchema[];

const withExample = (name: "answer" | "body", schema: TSchema, value: unknown) => ({
  [JSON_TYPE]: { schema, examples: { [name]: { value } } },
});

interface Described {
  /** Behind the row's own words. */
  readonly more: string;
  readonly query: Readonly<Record<string, string>> | undefined;
}

function describe(
  path: string,
  { operationId, summary, description, query }: ProgramRow,
  { more, query: given }: Described,
) {
  const words = [description, more].filter((part) => part !== undefined && part !== "").join(" ");
  return {
    operationId,
    summary,
    ...(words !== "" && { description: words }),
    parameters: [...listPathParameters(path), ...listQueryParameters(query, given)],
  };
}

const listPathParameters = (path: string): TSchema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) =>
    name === "account_id" ? accountParameter : pathParameter(name, name === "event" ? EVENT_ID : productId({})),
  );

const EVENT_ID = Type.String({ pattern: SOURCE_ID_PATTERN });

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
  description: "Needs a key of one account. `tools/list` says what can be asked.",
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
    ...refusalsOfPrograms(
      "key_not_allowed",
      "foreign_origin",
      "too_many_reads",
      "unsupported_media_type",
      "body_too_large",
    ),
  },
};
