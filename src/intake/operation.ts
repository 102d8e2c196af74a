/** The parts of OpenAPI 3.1 that our calls use, and the pieces that several of them share. */
import Type, { type TSchema } from "typebox";
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

/** An id in the address, as the product chose it. */
export const idSchema = (what: string) => productId({ description: `The product's own id of the ${what}.` });

export const pathParameter = (name: string, schema: TSchema) =>
  ({ name, in: "path", required: true, schema }) as unknown as TSchema;

export const accountParameter = pathParameter("account_id", idSchema("account"));

/** Codes that only readers meet: without a read key no document has a word of them. */
const CODES_OF_READERS: readonly ProblemCode[] = [
  "key_not_allowed",
  "too_many_reads",
  "read_key_not_found",
  "read_key_limit_reached",
  "event_not_found",
];

const ALL_CODES = Object.keys(PROBLEMS) as ProblemCode[];

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

export const problemSchema = toProblemSchema(ALL_CODES.filter((code) => !CODES_OF_READERS.includes(code)));
const readersProblemSchema = toProblemSchema(ALL_CODES);

/** The refusals of every call on an account that has a body. */
export const BODY_REFUSALS = [
  "invalid_json",
  "invalid_parameter",
  "invalid_record",
  "account_not_found",
  "unsupported_media_type",
  "body_too_large",
] as const satisfies ProblemCode[];

/** The refusals of a call, by status; every call shares those of the second list. */
export function refusals(...codes: ProblemCode[]): Operation["responses"] {
  const all: ProblemCode[] = [
    ...codes,
    "unauthorized",
    "too_many_bad_keys",
    "store_unavailable",
    "held",
    "internal_error",
  ];
  const schema = codes.some((code) => CODES_OF_READERS.includes(code)) ? readersProblemSchema : problemSchema;
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
