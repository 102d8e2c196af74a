/**
 * The page itself: the build of `web/`, read once at start and served from memory, so that a build beside a running
 * service never gives a browser half of each. Every page address answers with the same document, signed in or not: it
 * asks who it is for, and says how to sign in.
 */
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addSecurityHeaders, securityHeadersFor } from "../../http/security-headers.ts";

interface StaticOptions {
  /** The folder that Vite builds into. */
  readonly folder: string;
  /** Where browsers see this service, without a slash at the end; empty for the root. */
  readonly basePath: string;
  readonly hasPlayground: boolean;
}

interface StaticPages {
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
  "/settings/webhooks",
  "/settings/webhooks/:id",
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

/* Files of the built page in memory, each with its type and its compressed forms, made when first asked for. */

type Encoding = "br" | "gzip" | "identity";

interface AssetSource {
  /** Below the build's folder, with forward slashes. */
  readonly path: string;
  readonly content: Buffer;
}

interface Asset extends AssetSource {
  readonly type: string;
  readonly hash: string;
  /** The name carries a hash of the content: it never changes. */
  readonly isHashed: boolean;
  readonly isCompressible: boolean;
  encoded(encoding: Encoding): Promise<Buffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};
const COMPRESSED_ALREADY = new Set([".png", ".woff2"]);

/** Below it compression saves less than its headers. */
const COMPRESSED_BYTES_MIN = 1_024;

/** The best takes a second and more for the whole page, for 4 % less: measured on 600 KB. */
const BROTLI_QUALITY = 9;

/** Everything in the folder but hidden files, which are the build's own notes; empty without a build. */
function readBuild(folder: string): readonly AssetSource[] {
  if (!existsSync(join(folder, "index.html"))) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")))
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => ({ path, content: readFileSync(join(folder, path)) }));
}

function createAsset({ path, content }: AssetSource): Asset {
  const extension = extname(path);
  const made = new Map<Encoding, Promise<Buffer>>([["identity", Promise.resolve(content)]]);
  return {
    path,
    content,
    type: TYPES[extension] ?? "application/octet-stream",
    hash: hash("sha256", content, "base64url").slice(0, 22),
    isHashed: path.startsWith("assets/"),
    isCompressible: content.length >= COMPRESSED_BYTES_MIN && !COMPRESSED_ALREADY.has(extension),
    encoded(encoding) {
      const ready = made.get(encoding) ?? compress(content, encoding);
      made.set(encoding, ready);
      return ready;
    },
  };
}

/** The best form that the browser takes. */
function encodingFor({ isCompressible }: Asset, accepted: string | undefined): Encoding {
  if (!isCompressible || accepted === undefined) return "identity";
  const parts = accepted.split(",").map((part) => part.trim().toLowerCase());
  const taken = new Set(
    parts.filter((part) => !/;\s*q=0(\.0*)?$/.test(part)).map((part) => part.split(";", 1)[0]?.trim()),
  );
  return taken.has("br") ? "br" : taken.has("gzip") ? "gzip" : "identity";
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

function compress(content: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === "gzip") return toGzip(content);
  return toBrotli(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}
