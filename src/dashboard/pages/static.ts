/**
 * The page itself: the build of `web/`, read once at start and served from memory, so that a build beside a running
 * service never gives a browser half of each. A page's address answers with the same document, signed in or not: it
 * asks who it is for, and says how to sign in.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createSharedAnswer, type SharedAnswer } from "../../http/shared-answer.ts";
import { type Brand, OUR_ACCENT } from "../../domain/brand.ts";
import { sendProblem } from "../../http/problem-response.ts";
import { BRAND_LOGO, createRenderer, NOWHERE, type Page, PAGES, PLAYGROUND } from "./documents.ts";
import { BRAND_STYLES, LOOK_STYLES, makeLookStyles, writeBrandStyles } from "./look-styles.ts";
import { addSecurityHeaders, framedBy, securityHeadersFor } from "../../http/security-headers.ts";

interface StaticOptions {
  /** The folder that Vite builds into. */
  readonly folder: string;
  /** Where browsers see this service, without a slash at the end; empty for the root. */
  readonly basePath: string;
  readonly hasPlayground: boolean;
  /** Who may frame the page. */
  readonly embedOrigins: readonly string[];
  readonly brand: Brand;
}

interface StaticPages {
  register(server: FastifyInstance): Promise<void>;
  /** The page for browsers at addresses where nothing is; `null` for everybody else. */
  notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply | null;
}

/** Its name changes with its content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Asked for each time, and answered with 304 when it is still the same. */
const REVALIDATED = "no-cache";

/** Made by its address alone, and by this version. Guess. */
const BRIEFLY = "public, max-age=600";

export function createStaticPages({ folder, basePath, brand, ...options }: StaticOptions): StaticPages {
  const securityHeaders = framedBy(options.embedOrigins);
  const build = readBuild(folder);
  const { embedOrigins } = options;
  const render = createRenderer({ folder, index: readIndex(build), basePath, brand, embedOrigins });
  const toAsset = (page: Page): Asset => createAsset({ path: "index.html", content: Buffer.from(render(page)) });
  const nowhere = Buffer.from(render(NOWHERE));
  const files = [...build.filter(({ path }) => path !== "index.html"), ...brandFiles(brand)].map(createAsset);

  return {
    async register(server) {
      await server.register(async (scope) => {
        addSecurityHeaders(scope, securityHeaders);
        for (const page of options.hasPlayground ? [...PAGES, PLAYGROUND] : PAGES) {
          const document = toAsset(page);
          scope.get(page.path, (request, reply) => send(request, reply, document));
        }
        scope.get(`/${LOOK_STYLES}`, (request, reply) => {
          const styles = makeLookStyles(request.query, brand.colors?.given ?? OUR_ACCENT);
          if (!styles.ok) return sendProblem(reply, styles.error);
          return reply
            .header("cache-control", BRIEFLY)
            .type(TYPES[".css"] ?? "")
            .send(styles.value);
        });
        for (const file of files) scope.get(`/${file.path}`, (request, reply) => send(request, reply, file));
      });
    },
    notFound(request, reply) {
      const isBrowser = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
      if (!isBrowser) return null;
      reply.headers({ ...securityHeadersFor(request, securityHeaders), "cache-control": "no-store" });
      return reply
        .code(404)
        .type(TYPES[".html"] ?? "")
        .send(nowhere);
    },
  };
}

function send(request: FastifyRequest, reply: FastifyReply, asset: Asset): Promise<FastifyReply> {
  reply.header("cache-control", asset.isHashed ? IMMUTABLE : REVALIDATED);
  if (asset.policy !== undefined) reply.header("content-security-policy", asset.policy);
  return asset.answer(request, reply);
}

function brandFiles({ logo, colors }: Brand): readonly AssetSource[] {
  return [
    ...(logo === null
      ? []
      : [{ path: BRAND_LOGO, content: Buffer.from(logo.content), type: logo.type, policy: PICTURE_ONLY }]),
    ...(colors === null ? [] : [{ path: BRAND_STYLES, content: Buffer.from(writeBrandStyles(colors)) }]),
  ];
}

/** An SVG can have scripts in it: opened by its own address it is a picture, as it is inside of the page. */
const PICTURE_ONLY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/** A page that says so, where there is no build. */
function readIndex(build: readonly AssetSource[]): string {
  return build.find(({ path }) => path === "index.html")?.content.toString("utf8") ?? NOT_BUILT;
}

const NOT_BUILT = readFileSync(new URL("./not-built.html", import.meta.url), "utf8");

/* Files of the built page in memory, each with its type and its compressed forms: the build's, or made when asked. */

interface AssetSource {
  /** Below the build's folder, with forward slashes. */
  readonly path: string;
  readonly content: Buffer;
  /** In brotli, where the build has done it. */
  readonly brotli?: Buffer;
  /** Of a file whose name says nothing of it. */
  readonly type?: string;
  /** In place of the page's. */
  readonly policy?: string;
}

interface Asset extends Pick<AssetSource, "path" | "policy"> {
  readonly answer: SharedAnswer;
  /** The name carries a hash of the content: it never changes. */
  readonly isHashed: boolean;
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

/** Everything in the folder but hidden files, which are the build's own notes; empty without a build. */
function readBuild(folder: string): readonly AssetSource[] {
  if (!existsSync(join(folder, "index.html"))) return [];
  const read = (path: string): Buffer => readFileSync(join(folder, path));
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")))
    .filter((path) => statSync(join(folder, path)).isFile());
  const compressed = new Set(paths.filter((path) => path.endsWith(BROTLI_ENDING)));
  return paths
    .filter((path) => !compressed.has(path))
    .map((path) => {
      const brotli = `${path}${BROTLI_ENDING}`;
      return { path, content: read(path), ...(compressed.has(brotli) && { brotli: read(brotli) }) };
    });
}

/** The build's own compressed form of the file of that name (web/compress-plugin.ts). */
const BROTLI_ENDING = ".br";

function createAsset(source: AssetSource): Asset {
  const extension = extname(source.path);
  const { type = TYPES[extension] ?? "application/octet-stream" } = source;
  const answer = createSharedAnswer({ ...source, type, mayShrink: !COMPRESSED_ALREADY.has(extension) });
  return { ...source, answer, isHashed: source.path.startsWith("assets/") };
}
