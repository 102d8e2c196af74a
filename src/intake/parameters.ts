/** Ids in the address: the product's own, checked before any other code sees them. */
import type { FastifyRequest } from "fastify";
import { type Result, ok, problem, refuse } from "../domain/problem.ts";
import { PRODUCT_ID_PATTERN } from "../events/fields.ts";

const ID = new RegExp(PRODUCT_ID_PATTERN);

export const readAccountId = (request: FastifyRequest): Result<string> => readParameter(request, "account_id");
export const readAssistantId = (request: FastifyRequest): Result<string> => readParameter(request, "assistant_id");

function readParameter(request: FastifyRequest, name: string): Result<string> {
  const value = (request.params as Record<string, string | undefined>)[name] ?? "";
  if (ID.test(value)) return ok(value);
  const message = "must have 1 to 128 characters of A-Z a-z 0-9 . _ : -";
  return refuse(problem("invalid_parameter", `The ${name} in the address ${message}.`, [{ path: name, message }]));
}
