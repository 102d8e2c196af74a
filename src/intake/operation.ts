/** The parts of OpenAPI 3.1 that our calls use, and the pieces that several of them share. */
import Type, { type Static, type TSchema } from "typebox";
import { PROBLEMS, type ProblemCode } from "../domain/problem.ts";
import { productId } from "../events/fields.ts";
import { PROBLEM_TYPE } from "../http/problem-response.ts";

interface Content {
  readonly [mediaType: string]: { readonly schema: TSchema; readonly examples?: Readonly<Record<string, unknown>> };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The intake key unless given. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly TSchema[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** JSON of a schema, with an example that keeps it. */
export const jsonContent = <Schema extends TSchema>(schema: Schema, example: Static<Schema>): Content => ({
  [JSON_TYPE]: { schema, examples: { example: { value: example } } },
});

const JSON_TYPE = "application/json";

/** An id in the address, as the product chose it. */
export const idSchema = (what: string) => productId({ description: `The product's own id of the ${what}.` });

export const pathParameter = (name: string, schema: TSchema) =>
  ({ name, in: "path", required: true, schema }) as unknown as TSchema;

export const accountParameter = pathParameter("account_id", idSchema("account"));

/** Codes that only programs meet, by a key of theirs: without any such key no document has a word of them. */
const CODES_OF_READERS: readonly ProblemCode[] = [
  "key_not_allowed",
  "too_many_reads",
  "read_key_not_found",
  "read_key_limit_reached",
  "event_not_found",
];

/** And where managing is closed none has a word of this one. */
const CODES_OF_MANAGERS: readonly ProblemCode[] = ["precondition_failed"];

/** The same of those that ask for messages: without a webhook that is asked. */
const CODES_OF_ASKERS: readonly ProblemCode[] = [
  "pull_token_unknown",
  "too_many_bad_tokens",
  "too_many_pulls",
  "pull_claim_lost",
];

const ALL_CODES = (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => !CODES_OF_ASKERS.includes(code));

const toProblemSchema = (codes: ProblemCode[]) =>
  Type.Object(
    {
      type: Type.String({ description: "`urn:bellwire:problem:<code>`" }),
      title: Type.String(),
      status: Type.Integer(),
      code: Type.Enum(codes, { description: "Stable, for programs." }),
      detail: Type.String({ description: "This very case, in words." }),
      errors: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: "Such as `lead.email` or `referers[2]`; empty for the record itself." }),
            message: Type.String(),
          }),
        ),
      ),
    },
    { description: "RFC 9457 problem document." },
  );

const isReaders = (code: ProblemCode): boolean => !CODES_OF_MANAGERS.includes(code);
const isIntakes = (code: ProblemCode): boolean => isReaders(code) && !CODES_OF_READERS.includes(code);
export const problemSchema = toProblemSchema(ALL_CODES.filter(isIntakes));
const readersProblemSchema = toProblemSchema(ALL_CODES.filter(isReaders));
const managersProblemSchema = toProblemSchema(ALL_CODES);

/** By the codes that a call may be answered with. */
function chooseSchema(codes: readonly ProblemCode[]) {
  if (!codes.every(isReaders)) return managersProblemSchema;
  return codes.every(isIntakes) ? problemSchema : readersProblemSchema;
}

/** The refusals of every call on an account that has a body. */
export const BODY_REFUSALS = [
  "invalid_json",
  "invalid_parameter",
  "invalid_record",
  "account_not_found",
  "unsupported_media_type",
  "body_too_large",
] as const satisfies ProblemCode[];

/** Every call's that needs a key. */
const OF_EVERY_CALL = ["unauthorized", "too_many_bad_keys", "store_unavailable", "internal_error"] as const;

/** The refusals of a call of the product's back end. */
export const refusals = (...codes: ProblemCode[]): Operation["responses"] =>
  toRefusals([...codes, ...OF_EVERY_CALL, "held"]);

/** The same of a program's: a copy that is held is open to them. */
export const refusalsOfPrograms = (...codes: ProblemCode[]): Operation["responses"] =>
  toRefusals([...codes, ...OF_EVERY_CALL]);

const toRefusals = (codes: readonly ProblemCode[]): Operation["responses"] => toResponses(codes, chooseSchema(codes));

/** The refusals of a call that shares none with others. */
export const onlyRefusals = (...codes: ProblemCode[]): Operation["responses"] =>
  toResponses(codes, toProblemSchema(codes));

function toResponses(all: readonly ProblemCode[], schema: TSchema): Operation["responses"] {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of all) byStatus.set(PROBLEMS[code].status, [...(byStatus.get(PROBLEMS[code].status) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      String(status),
      {
        description: same.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(" "),
        content: { [PROBLEM_TYPE]: { schema } },
      },
    ]),
  );
}
