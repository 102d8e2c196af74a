/**
 * The contract's documents: OpenAPI, AsyncAPI and JSON Schemas. They are open to every caller, because they contain no
 * account's data. They grow with the declared types, so each is made once; the first is
 * made once for each choice of groups of routes that are open.
 */
import type { FastifyInstance } from "fastify";
import { createSharedAnswer, type SharedAnswer } from "../http/shared-answer.ts";
import { asyncApiDocument } from "../schemas/asyncapi.ts";
import { jsonSchemaDocument, listSchemas } from "../schemas/json-schemas.ts";
import type { DocumentedRoute, IntakeContext, RouteGroup } from "./context.ts";
import { openApiDocument } from "./openapi.ts";

type DocumentsContext = Pick<IntakeContext["accounts"], "types" | "publicUrl" | "signatureHeader">;

export function registerOpenDocuments(
  server: FastifyInstance,
  { types, publicUrl, signatureHeader }: DocumentsContext,
  { routes, groups }: { readonly routes: readonly DocumentedRoute[]; readonly groups: readonly RouteGroup[] },
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
  const ofRoutes = (listed: readonly DocumentedRoute[]): SharedAnswer =>
    createDocument(JSON_TYPE, (url) => openApiDocument(listed, { ...all, publicUrl: url }));
  const openApis = new Map<string, SharedAnswer>();
  server.get("/openapi.json", async (request, reply) => {
    const open = await Promise.all(groups.map(({ areOpen }) => areOpen()));
    const of = open.join();
    const openApi =
      openApis.get(of) ?? ofRoutes([...routes, ...groups.flatMap((group, at) => (open[at] ? group.routes : []))]);
    openApis.set(of, openApi);
    return await openApi(request, reply);
  });
  serve("/asyncapi.json", JSON_TYPE, (url) => asyncApiDocument({ ...all, publicUrl: url }));
  for (const [name, schema] of listSchemas(types)) {
    serve(`/schemas/${name}.json`, "application/schema+json; charset=utf-8", (url) =>
      jsonSchemaDocument(name, schema, url),
    );
  }
}

const JSON_TYPE = "application/json; charset=utf-8";
