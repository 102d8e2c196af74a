/**
 * The contract's documents: OpenAPI, AsyncAPI and JSON Schemas. They are open to every caller, because they contain no
 * account's data. They grow with the declared types, so each is made once.
 */
import type { FastifyInstance } from "fastify";
import { createMadeAnswer, sendShared } from "../http/shared-answer.ts";
import { asyncApiDocument } from "../schemas/asyncapi.ts";
import { jsonSchemaDocument, listSchemas } from "../schemas/json-schemas.ts";
import type { IntakeContext, IntakeRoute } from "./context.ts";
import { openApiDocument } from "./openapi.ts";

type DocumentsContext = Pick<IntakeContext["accounts"], "types" | "publicUrl" | "signatureHeader">;

export function registerOpenDocuments(
  server: FastifyInstance,
  { types, publicUrl, signatureHeader }: DocumentsContext,
  routes: readonly IntakeRoute[],
): void {
  /** By its public URL, which a server at port 0 learns when it listens; all else stays. */
  const serve = (path: string, type: string, make: (publicUrl: string) => unknown): void => {
    const toAnswer = (url: string) => ({ type, content: Buffer.from(JSON.stringify(make(url))) });
    const answer = createMadeAnswer(publicUrl, toAnswer);
    server.get(path, (request, reply) => sendShared(request, reply, answer()));
  };
  const all = { types, signatureHeader };
  serve("/openapi.json", JSON_TYPE, (url) => openApiDocument(routes, { ...all, publicUrl: url }));
  serve("/asyncapi.json", JSON_TYPE, (url) => asyncApiDocument({ ...all, publicUrl: url }));
  for (const [name, schema] of listSchemas(types)) {
    serve(`/schemas/${name}.json`, SCHEMA_TYPE, (url) => jsonSchemaDocument(name, schema, url));
  }
}

const JSON_TYPE = "application/json; charset=utf-8";
const SCHEMA_TYPE = "application/schema+json; charset=utf-8";
