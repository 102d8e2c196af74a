/**
 * The contract's documents: OpenAPI, AsyncAPI and JSON Schemas. They are open to every caller, because they contain no
 * account's data. They grow with the declared types, so each is made once.
 */
import type { FastifyInstance } from "fastify";
import { createSharedAnswer, type SharedAnswer } from "../http/shared-answer.ts";
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
  /** When it is first asked for: a server at port 0 learns its address when it listens. */
  const serve = (path: string, type: string, make: (publicUrl: string) => unknown): void => {
    let made: SharedAnswer | null = null;
    server.get(path, (request, reply) => {
      made ??= createSharedAnswer({ type, content: Buffer.from(JSON.stringify(make(publicUrl()))) });
      return made(request, reply);
    });
  };
  const all = { types, signatureHeader };
  serve("/openapi.json", JSON_TYPE, (url) => openApiDocument(routes, { ...all, publicUrl: url }));
  serve("/asyncapi.json", JSON_TYPE, (url) => asyncApiDocument({ ...all, publicUrl: url }));
  for (const [name, schema] of listSchemas(types)) {
    serve(`/schemas/${name}.json`, "application/schema+json; charset=utf-8", (url) =>
      jsonSchemaDocument(name, schema, url),
    );
  }
}

const JSON_TYPE = "application/json; charset=utf-8";
