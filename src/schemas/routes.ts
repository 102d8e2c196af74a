/** The contract's documents, open to every caller like `/openapi.json`: they contain no account's data. */
import type { FastifyInstance } from "fastify";
import type { EventTypes } from "../events/event-types.ts";
import { asyncApiDocument } from "./asyncapi.ts";
import { listSchemas, jsonSchemaDocument } from "./json-schemas.ts";

export interface DocumentsContext {
  readonly types: EventTypes;
  readonly publicUrl: () => string;
  readonly signatureHeader: string;
}

/** Their paths, for the list in the OpenAPI document. */
export const listDocumentPaths = (types: EventTypes): string[] => [
  "/asyncapi.json",
  ...Array.from(listSchemas(types).keys(), (name) => `/schemas/${name}.json`),
];

export function registerDocuments(server: FastifyInstance, ctx: DocumentsContext): void {
  const { types, publicUrl, signatureHeader } = ctx;
  server.get("/asyncapi.json", (_request, reply) =>
    reply.send(asyncApiDocument({ types, publicUrl: publicUrl(), signatureHeader })),
  );
  for (const [name, schema] of listSchemas(types)) {
    server.get(`/schemas/${name}.json`, (_request, reply) =>
      reply.type("application/schema+json").send(JSON.stringify(jsonSchemaDocument(name, schema, publicUrl()))),
    );
  }
}
