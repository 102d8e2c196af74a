/**
 * The contract's documents: OpenAPI, AsyncAPI and JSON Schemas. They are open to every caller, because they contain no
 * account's data. They grow with the declared types, so each is made once; the first
 * has read routes in it where these are open.
 */
import type { FastifyInstance } from "fastify";
import { createSharedAnswer, type SharedAnswer } from "../http/shared-answer.ts";
import { asyncApiDocument } from "../schemas/asyncapi.ts";
import { jsonSchemaDocument, listSchemas } from "../schemas/json-schemas.ts";
import type { IntakeContext, IntakeRoute, MoreRoutes } from "./context.ts";
import { openApiDocument } from "./openapi.ts";

type DocumentsContext = Pick<IntakeContext["accounts"], "types" | "publicUrl" | "signatureHeader">;

export function registerOpenDocuments(
  server: FastifyInstance,
  { types, publicUrl, signatureHeader }: DocumentsContext,
  { routes, more }: { readonly routes: readonly IntakeRoute[]; readonly more: MoreRoutes },
): void {
  /** When it is first asked for: a server at port 0 learns its address when it listens. */
  const createDocument = (type: string, make: (publicUrl: string) => unknown): SharedAnswer => {
    let made: SharedAnswer | null = null;
    return (request, reply) => {
      made ??= createSharedAnswer({ type, content: Buffer.from(JSON.stringify(make(publicUrl()))) });
      return made(request, reply);
    };
  };
  const serve = (path: string, type: string, make: (publicUrl: string) => unknown): void =>
    void server.get(path, createDocument(type, make));
  const all = { types, signatureHeader };
  const ofRoutes = (listed: readonly IntakeRoute[]): SharedAnswer =>
    createDocument(JSON_TYPE, (url) => openApiDocument(listed, { ...all, publicUrl: url }));
  const openApi = ofRoutes(routes);
  const openApiWithMore = ofRoutes([...routes, ...more.routes]);
  server.get("/openapi.json", async (request, reply) =>
    (await more.areOpen()) ? await openApiWithMore(request, reply) : await openApi(request, reply),
  );
  serve("/asyncapi.json", JSON_TYPE, (url) => asyncApiDocument({ ...all, publicUrl: url }));
  for (const [name, schema] of listSchemas(types)) {
    serve(`/schemas/${name}.json`, "application/schema+json; charset=utf-8", (url) =>
      jsonSchemaDocument(name, schema, url),
    );
  }
}

const JSON_TYPE = "application/json; charset=utf-8";
