/** A call of the dashboard: its handler's type, and how its parts are read from a request and refused. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import type { FormOf } from "../../domain/form.ts";
import { type FieldError, type Problem, problem, type Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { readUtf8 } from "../../lib/record-text.ts";
import type { Role } from "../../domain/account.ts";
import { parseJson } from "../../events/exact-json.ts";
import { createValidator, type Validate } from "../../events/validate.ts";
import { FORM_BYTES_MAX } from "../forms/bodies.ts";
import type { RouteName, Routes, ROUTES } from "../contract/routes.ts";
import type { Session } from "../guard/session.ts";
import type { DashboardContext } from "./context.ts";

/** The calls that somebody makes who is signed in. The others stand in sign-in.ts and mail-links.ts. */
export type TableRoute = {
  [Name in RouteName]: (typeof ROUTES)[Name] extends { readonly role: Role } ? Name : never;
}[RouteName];

export type HandlerTable = { readonly [Name in TableRoute]: Handler<Name> };

/** Some of the table, as a file of one subject gives them: `alertHandlers = {…} satisfies Handlers`. */
export type Handlers = Partial<HandlerTable>;

export type Handler<Name extends TableRoute> = (
  ctx: DashboardContext,
  call: Call<Name>,
) => Promise<Result<Routes[Name]["answer"]>>;

/** The parts of the address are decoded, and have at most 128 characters each. */
export type Call<Name extends TableRoute> = Omit<Routes[Name], "answer"> & { readonly session: Session };

/* The parts of a call, from a request: what cannot be taken is refused with every field's path and a message. */

/** Longer than any id that we or the product make. */
const PARAM_CHARS_MAX = 128;

/** Nothing but JSON is taken: forms of other sites cannot send it, and each route reads it with its own schema. */
export function registerJsonParser(scope: FastifyInstance): void {
  const options = { parseAs: "buffer", bodyLimit: FORM_BYTES_MAX } as const;
  scope.addContentTypeParser("application/json", options, (_request, body, done) => done(null, body));
}

export function readBody({ body }: FastifyRequest, validate: Validate): Result<unknown> {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    return refuse(problem("invalid_json", "The body is empty. Send one JSON object."));
  }
  const text = readUtf8(body);
  if (!text.ok) return refuse(problem("invalid_json", `The body ${text.error}.`));
  const parsed = parseJson(text.value);
  if (!parsed.ok) return parsed;
  const errors = validate(parsed.value);
  const refused = errors.length > 0 ? errors : nulErrors(parsed.value);
  return refused.length === 0 ? ok(parsed.value) : refuse(invalidForm(refused));
}

/** PostgreSQL keeps this character in no text, and people do not type it: a text with it is refused. */
const NUL = "\0";
const NUL_MESSAGE = "has a NUL character in it, which no text can have";

/** Looks into a value that its schema has taken, so its depth is bounded. */
function nulErrors(value: unknown, path = ""): readonly FieldError[] {
  if (typeof value === "string") return value.includes(NUL) ? [{ path, message: NUL_MESSAGE }] : [];
  if (Array.isArray(value)) return value.flatMap((member, place) => nulErrors(member, `${path}[${place}]`));
  if (typeof value !== "object" || value === null) return [];
  const start = path === "" ? "" : `${path}.`;
  return Object.entries(value).flatMap(([name, member]) => nulErrors(member, `${start}${name}`));
}

export function invalidForm(errors: NonNullable<Problem["errors"]>): Problem {
  const [first = { path: "", message: "" }] = errors;
  const more = errors.length === 1 ? "" : ` ${errors.length - 1} more in errors.`;
  return problem("invalid_form", `${first.path === "" ? "The body" : first.path} ${first.message}.${more}`, errors);
}

/** The names in the address. A name that no id can be like is not found. */
export function readParams(request: FastifyRequest): Result<Readonly<Record<string, string>>> {
  const params = request.params as Readonly<Record<string, string>>;
  const isId = Object.values(params).every((value) => value.length <= PARAM_CHARS_MAX && !value.includes(NUL));
  return isId ? ok(params) : refuse(problem("not_found", "Nothing has an id like the one in this address."));
}

/** A page leaves a filter blank that is cleared; in a program's address a value is missing. */
type Blanks = "left out" | "refused";

/** Reads a query by its schema. A part that is given twice is refused. */
export function createQueryReader<Schema extends TSchema>(schema: Schema, blanks: Blanks = "left out") {
  const validate = createValidator(schema);
  return ({ query }: Pick<FastifyRequest, "query">): Result<FormOf<Schema>> => {
    const parts: Record<string, string> = {};
    for (const [name, value] of Object.entries(query as Readonly<Record<string, string | readonly string[]>>)) {
      if (typeof value !== "string") return refuse(invalidQuery([{ path: name, message: "is given more than once" }]));
      if (value.trim() !== "") parts[name] = value.trim();
      else if (blanks === "refused") return refuse(invalidQuery([{ path: name, message: BLANK }]));
    }
    const errors = validate(parts);
    const refused = errors.length > 0 ? errors : nulErrors(parts);
    return refused.length === 0 ? ok(parts as FormOf<Schema>) : refuse(invalidQuery(refused));
  };
}

const BLANK = "is blank: give it a value, or leave it out";

export function invalidQuery(errors: readonly FieldError[]): Problem {
  const [first = { path: "", message: "" }] = errors;
  // A search is typed into a box, whatever it is called in the address.
  const what = first.path === "q" ? "The search" : `"${first.path}" in the address`;
  return problem("invalid_parameter", `${what} ${first.message}.`, errors);
}

/** `If-Match: "7"`, as RFC 9110 writes a revision. */
export function readRevision({ headers }: FastifyRequest): Result<number> {
  const [, digits] = /^"(\d{1,15})"$/.exec(headers["if-match"] ?? "") ?? [];
  if (digits !== undefined) return ok(Number(digits));
  return refuse(problem("revision_missing", 'Send the revision that you have seen, as `If-Match: "7"`.'));
}

/** The token of a link, and nothing else; anybody may send it. */
export const LINK_BYTES_MAX = 4 * 1024;
