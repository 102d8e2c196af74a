/** The contract's documents, open to every caller like `/openapi.json`: they contain no account's data. */
import type { FastifyInstance } from "fastify";
import { asyncApiDocument } from "./asyncapi.ts";
import { SCHEMA_NAMES, jsonSchemaDocument } from "./json-schemas.ts";

export interface DocumentsContext {
  readonly publicUrl: () => string;
  readonly signatureHeader: string;
}

/** Their paths, for the list in the OpenAPI document. */
export const DOCUMENT_PATHS: readonly string[] = [
  "/asyncapi.json",
  ...SCHEMA_NAMES.map((name) => `/schemas/${name}.json`),
];

export function registerDocuments(server: FastifyInstance, { publicUrl, signatureHeader }: DocumentsContext): void {
  server.get("/asyncapi.json", (_request, reply) =>
    reply.send(asyncApiDocument({ publicUrl: publicUrl(), signatureHeader })),
  );
  for (const name of SCHEMA_NAMES) {
    server.get(`/schemas/${name}.json`, (_request, reply) =>
      reply.type("application/schema+json").send(JSON.stringify(jsonSchemaDocument(name, publicUrl()))),
    );
  }
}
