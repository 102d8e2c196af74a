/**
 * Reads a call's parts: its body as text, and the product's ids in its address, which are checked before any other code
 * sees them. Records keep their exact digits, so no JSON parser reads them before the route's own.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Actor } from "../domain/account.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Result, problem } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { NDJSON_TYPES, isNdjsonType, readUtf8 } from "../lib/record-text.ts";
import type { Exactly } from "../events/exact-json.ts";
import { readRecord, type Validate } from "../events/validate.ts";
import { DECLARATION_LIMITS } from "../events/declared/declaration.ts";
import { PRODUCT_ID_PATTERN, SOURCE_ID_PATTERN } from "../events/fields.ts";
import { callerAddress } from "../http/client-address.ts";

export const JSON_TYPE = "application/json";
export const [NDJSON_TYPE] = NDJSON_TYPES;

/** Bodies arrive as bytes, each type with its own maximum; any other type is refused with 415. */
export function registerBodyParsers(server: FastifyInstance): void {
  const keepBytes = (_request: FastifyRequest, body: Buffer, done: (error: null, body: Buffer) => void) =>
    done(null, body);
  server.addContentTypeParser(JSON_TYPE, { parseAs: "buffer", bodyLimit: LIMITS.recordBytesMax }, keepBytes);
  server.addContentTypeParser([...NDJSON_TYPES], { parseAs: "buffer", bodyLimit: LIMITS.batchBytesMax }, keepBytes);
}

/** The audit's name for the holder of an intake key: the product, or an operator with a command. */
export const byIntakeKey = (request: FastifyRequest): Actor => ({
  person: "intake key",
  role: "system",
  address: callerAddress(request),
});

export function isNdjson(request: FastifyRequest): boolean {
  const type = request.headers["content-type"] ?? "";
  // As most write it, which need not be parsed.
  return type !== JSON_TYPE && isNdjsonType(type);
}

/** `Idempotency-Key`: a text in quotes, as its draft writes it, or without them, as many do. */
export function readCallerKey({ "idempotency-key": given }: IncomingHttpHeaders): string | undefined {
  return typeof given === "string" ? given.replace(/^"(.*)"$/, "$1") : undefined;
}

/** The body as text; `invalid_json` when there is none or it is not UTF-8. */
export function readText(body: unknown): Result<string> {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    return refuse(problem("invalid_json", "The body is empty. Send one JSON object."));
  }
  return toText(body, "body");
}

export function toText(bytes: Buffer, what: "body" | "line"): Result<string> {
  const text = readUtf8(bytes);
  return text.ok ? ok(text.value) : refuse(problem("invalid_json", `The ${what} ${text.error}.`));
}

/** A small body that a schema describes, such as an account's. `Value` must be the schema's static type. */
export function readObject<Value>(request: FastifyRequest, validate: Validate): Result<Exactly<Value>> {
  const text = readText(request.body);
  return text.ok ? readRecord<Value>(text.value, { validate }) : text;
}

const ID = { pattern: new RegExp(PRODUCT_ID_PATTERN), message: "must have 1 to 128 characters of A-Z a-z 0-9 . _ : -" };
/** Of an event or of what it tells about, which may be any text. */
const EVENT_ID = {
  pattern: new RegExp(SOURCE_ID_PATTERN, "u"),
  message: `must have 1 to ${DECLARATION_LIMITS.keyCharsMax} characters`,
};

export const readAccountId = (request: FastifyRequest): Result<string> => readId(request, "account_id");

/** An id in the address, by its name there. */
export function readId(request: FastifyRequest, name: string): Result<string> {
  const { pattern, message } = name === "event" ? EVENT_ID : ID;
  const value = (request.params as Record<string, string | undefined>)[name] ?? "";
  if (pattern.test(value)) return ok(value);
  return refuse(problem("invalid_parameter", `The ${name} in the address ${message}.`, [{ path: name, message }]));
}

/** A parameter of the query. */
export const badParameter = (path: string, message: string) =>
  problem("invalid_parameter", `The parameter ${path} ${message}.`, [{ path, message }]);
