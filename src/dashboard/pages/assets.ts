/** Files of the built page in memory, each with its type and its compressed forms, made when first asked for. */
import { hash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export type Encoding = "br" | "gzip" | "identity";

export interface AssetSource {
  /** Below the build's folder, with forward slashes. */
  readonly path: string;
  readonly content: Buffer;
}

export interface Asset extends AssetSource {
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
export function readBuild(folder: string): readonly AssetSource[] {
  if (!existsSync(join(folder, "index.html"))) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")))
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => ({ path, content: readFileSync(join(folder, path)) }));
}

export function createAsset({ path, content }: AssetSource): Asset {
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
export function encodingFor({ isCompressible }: Asset, accepted: string | undefined): Encoding {
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
