/**
 * An answer that is the same for everybody, such as a file of the page or a document of the contract. Strangers may ask
 * for it as often as they like, so a request costs no more than sending it: it is compressed once for each encoding,
 * and all connections send the same bytes in memory.
 */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseEncoding, compress, COMPRESSED_BYTES_MIN, type Encoding } from "./compression.ts";

export type SharedAnswer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface SharedAnswerOptions {
  readonly type: string;
  readonly content: Buffer;
  /** In brotli, where somebody has done it already. */
  readonly brotli?: Buffer;
  /** False for what its own form compresses. */
  readonly mayShrink?: boolean;
}

/** The best takes a second and more for the whole page, for 4 % less: measured on 600 KB. */
const BROTLI_QUALITY = 9;

export function createSharedAnswer({ type, content, brotli, mayShrink = true }: SharedAnswerOptions): SharedAnswer {
  const tag = hash("sha256", content, "base64url").slice(0, 22);
  const isCompressible = mayShrink && content.length >= COMPRESSED_BYTES_MIN;
  const made = new Map<Encoding, Promise<Buffer>>();
  if (brotli !== undefined) made.set("br", Promise.resolve(brotli));
  return async ({ headers }, reply) => {
    const encoding = isCompressible ? chooseEncoding(headers["accept-encoding"]) : "identity";
    const etag = `"${tag}-${encoding}"`;
    reply.headers({ vary: "accept-encoding", etag });
    if (isKnown(headers["if-none-match"], etag)) return reply.code(304).send();
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    const encoded = made.getOrInsertComputed(encoding, () => compress(content, encoding, BROTLI_QUALITY));
    return reply.type(type).send(await encoded);
  };
}

/** Proxies that compress by themselves write `W/` before a tag (RFC 9110 §8.8.3.2 compares without it). */
const isKnown = (known = "", etag: string): boolean =>
  known.split(",").some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()));
