/**
 * The page itself: the build of `web/`, read once at start and served from memory, so that a build beside a running
 * service never gives a browser half of each. Every page address answers with the same document, signed in or not: it
 * asks who it is for, and says how to sign in.
 */
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addSecurityHeaders, securityHeadersFor } from "../../http/security-headers.ts";
import { type Asset, type AssetSource, createAsset, encodingFor, readBuild } from "./assets.ts";

export interface StaticOptions {
  /** The folder that Vite builds into. */
  readonly folder: string;
  /** Where browsers see this service, without a slash at the end; empty for the root. */
  readonly basePath: string;
  readonly hasPlayground: boolean;
}

export interface StaticPages {
  register(server: FastifyInstance): Promise<void>;
  /** The page for browsers at addresses where nothing is; `null` for everybody else. */
  notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply | null;
}

/** Those of `web/routes.tsx`. */
const PAGES = [
  "/",
  "/sign-in/:token",
  "/mail/:token",
  "/audience/sessions",
  "/audience/sessions/:id",
  "/assistants",
  "/assistants/:id",
  "/assistants/:id/:tab",
  "/assistants/:id/conversations/:conversationId",
  "/deliveries",
  "/deliveries/:id",
  "/replays/:id",
  "/events",
  "/events/:type",
  "/refused-records",
  "/settings/alerts",
  "/settings/alerts/:id",
  "/settings/verification",
  "/settings/account",
];

/** Its name changes with its content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Asked for each time, and answered with 304 when it is still the same. */
const REVALIDATED = "no-cache";

export function createStaticPages({ folder, basePath, hasPlayground }: StaticOptions): StaticPages {
  const build = readBuild(folder);
  const page = createAsset({ path: "index.html", content: Buffer.from(renderDocument(build, basePath)) });
  const files = build.filter(({ path }) => path !== "index.html").map(createAsset);

  return {
    async register(server) {
      await server.register(async (scope) => {
        addSecurityHeaders(scope);
        for (const path of hasPlayground ? [...PAGES, "/playground"] : PAGES) {
          scope.get(path, (request, reply) => send(request, reply, page));
        }
        for (const file of files) scope.get(`/${file.path}`, (request, reply) => send(request, reply, file));
      });
    },
    notFound(request, reply) {
      const isBrowser = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
      if (!isBrowser) return null;
      reply.headers({ ...securityHeadersFor(request), "cache-control": "no-store" });
      return reply.code(404).type(page.type).send(page.content);
    },
  };
}

async function send(request: FastifyRequest, reply: FastifyReply, asset: Asset): Promise<FastifyReply> {
  const encoding = encodingFor(asset, request.headers["accept-encoding"]);
  const etag = `"${asset.hash}-${encoding}"`;
  reply.headers({ "cache-control": asset.isHashed ? IMMUTABLE : REVALIDATED, vary: "accept-encoding", etag });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type(asset.type).send(await asset.encoded(encoding));
}

/** The document with the path under which browsers see it; without a build, a page that says so. */
function renderDocument(build: readonly AssetSource[], basePath: string): string {
  const index = build.find(({ path }) => path === "index.html");
  if (index === undefined) return NOT_BUILT;
  return index.content.toString("utf8").replace(/<base href="[^"]*"/, `<base href="${attribute(basePath)}/"`);
}

/** The settings take nothing into the path that could end the attribute; this is for the day when they do. */
const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const NOT_BUILT = readFileSync(new URL("./not-built.html", import.meta.url), "utf8");
