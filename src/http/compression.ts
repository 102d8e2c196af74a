/** What an answer weighs on its way: the form that a caller takes, and how it is made. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export type Encoding = "br" | "gzip" | "identity";

/** Below it compression saves less than its headers. */
export const COMPRESSED_BYTES_MIN = 1_024;

/** The best form that the caller takes, by its `Accept-Encoding`. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  if (accepted === undefined) return "identity";
  const parts = accepted.split(",").map((part) => part.trim().toLowerCase());
  const taken = new Set(
    parts.filter((part) => !/;\s*q=0(\.0*)?$/.test(part)).map((part) => part.split(";", 1)[0]?.trim()),
  );
  return taken.has("br") ? "br" : taken.has("gzip") ? "gzip" : "identity";
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Off the caller's thread. `quality` is brotli's, from 0 to 11. */
export async function compress(content: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === "identity") return content;
  if (encoding === "gzip") return await toGzip(content);
  return await toBrotli(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
}
