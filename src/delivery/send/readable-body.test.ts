import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { LIMITS } from "../../domain/limits.ts";
import { maskEcho } from "../mask-echo.ts";
import { MASK } from "./request.ts";
import { toReadable } from "./readable-body.ts";

const TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };
type Headers = Readonly<Record<string, string>>;

async function read(body: Uint8Array, headers: Headers, bodyCut = false) {
  const outcome = { kind: "response", response: { status: 400, headers, body, bodyCut } } as const;
  const result = await toReadable({ outcome, timings: TIMINGS, address: null }, LIMITS.responseBytesMax);
  const masked = maskEcho(result, [{ name: "authorization", value: "Bearer c4nary+token1234", secret: true }]);
  assert.ok(masked.outcome.kind === "response");
  const { response } = masked.outcome;
  return { text: Buffer.from(response.body).toString(), isCut: response.bodyCut, body: response.body };
}

const bytes = (...values: number[]) => Uint8Array.from(values);
const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

const TEXTS: readonly (readonly [what: string, type: string | null, body: Uint8Array, text: string])[] = [
  ["UTF-8", "text/plain; charset=utf-8", Buffer.from("ungültig"), "ungültig"],
  ["UTF-8 without a word", null, Buffer.from("ungültig"), "ungültig"],
  ["Latin-1", "text/html; charset=ISO-8859-1", latin1("Schlüssel ungültig"), "Schlüssel ungültig"],
  ["Latin-1 in quotes", 'text/html; x=1;Charset = "iso-8859-1" ; y', latin1("ungültig"), "ungültig"],
  ["Windows-1252", "application/json;charset=windows-1252", bytes(0x80, 0x31), "€1"],
  ["a text without a word of its charset", "text/plain", latin1("ungültig"), "ungültig"],
  ["Shift_JIS", "text/plain; charset=Shift_JIS", bytes(0x93, 0xfa, 0x96, 0x7b), "日本"],
  ["EUC-KR", "text/plain; charset=euc-kr", bytes(0xc7, 0xd1), "한"],
  ["GBK", "text/plain; charset=gbk", bytes(0xd6, 0xd0), "中"],
  ["ISO-2022-JP", "text/plain; charset=iso-2022-jp", latin1("\u001b$BF|K\\\u001b(B"), "日本"],
  ["KOI8-R", "text/plain; charset=koi8-r", bytes(0xce, 0xc5, 0xd4), "нет"],
  ["UTF-16 that says so", "text/plain; charset=utf-16", Buffer.from("ungültig", "utf16le"), "ungültig"],
  ["UTF-16 with a mark", "text/plain", Buffer.from("\ufeffnein", "utf16le"), "nein"],
  ["UTF-16 of the other order with a mark", "application/json", utf16be("\ufeff{}"), "{}"],
  ["UTF-8 with a byte that is none", "text/plain; charset=utf-8", latin1("a\u00ffb"), "a\ufffdb"],
  ["an unknown charset that is UTF-8", "text/plain; charset=klingon", Buffer.from("ä"), "ä"],
];
for (const [what, type, body, text] of TEXTS) {
  test(`an answer's text is read: ${what}`, async () => {
    assert.equal((await read(body, type === null ? {} : { "content-type": type })).text, text);
  });
}

const OTHERS: readonly (readonly [what: string, headers: Headers, body: Uint8Array])[] = [
  ["an image", { "content-type": "image/png" }, bytes(0x89, 0x50, 0x4e, 0x47, 0, 1)],
  ["bytes that say they are text", { "content-type": "text/html; charset=utf-8" }, bytes(0, 1, 2, 0xff)],
  ["an unknown charset", { "content-type": "text/plain; charset=ebcdic" }, bytes(0xc1, 0xc2)],
  ["a coding that nobody unpacks", { "content-encoding": "compress" }, bytes(0x1f, 0x9d, 0x90)],
  ["a coding that it has not", { "content-encoding": "br" }, Buffer.from("plain")],
  ["nothing", { "content-encoding": "gzip" }, bytes()],
];
for (const [what, headers, body] of OTHERS) {
  test(`a body stays as it came: ${what}`, async () => {
    assert.deepEqual(Buffer.from((await read(body, headers)).body), Buffer.from(body));
  });
}

const PACKINGS: readonly (readonly [coding: string, pack: (text: string) => Uint8Array])[] = [
  ["gzip", (text) => gzipSync(text)],
  ["X-GZIP", (text) => gzipSync(text)],
  ["deflate", (text) => deflateSync(text)],
  ["br", (text) => brotliCompressSync(text)],
  ["zstd", (text) => zstdCompressSync(text)],
];
for (const [coding, pack] of PACKINGS) {
  test(`a packed answer (${coding}) is unpacked, within the limit, and no secret in it passes the mask`, async () => {
    const headers = { "content-encoding": coding };
    const echo = `{"error":"no","seen":"Bearer c4nary\\u002btoken1234"}`;
    assert.deepEqual((await read(pack(echo), headers)).text, `{"error":"no","seen":"Bearer ${MASK}"}`);
    const bomb = await read(pack("x".repeat(4_000_000)).subarray(0, LIMITS.responseBytesMax), headers, true);
    assert.deepEqual([bomb.text.length, bomb.isCut], [LIMITS.responseBytesMax, true]);
    const half = pack(Array.from({ length: 40_000 }, (_, nth) => `line ${nth}\n`).join(""));
    const cut = await read(half.subarray(0, half.length / 2), headers, true);
    assert.match(cut.text, /^line 0\nline 1\n/);
  });
}

test("no secret in UTF-16 passes the mask", async () => {
  const echo = `{"seen":"Bearer c4nary+token1234\u0000"}`;
  for (const [body, type] of [
    [Buffer.from(`\ufeff${echo}`, "utf16le"), "application/octet-stream"],
    [utf16be(`\ufeff${echo}`), "text/plain"],
    [Buffer.from(echo, "utf16le"), "application/json; charset=utf-16"],
  ] as const) {
    assert.doesNotMatch((await read(body, { "content-type": type })).text, /token1234/);
  }
});

test("a text that grows beyond the limit in UTF-8 is cut, and a half character at its end is left out", async () => {
  const grown = await read(latin1("ü".repeat(LIMITS.responseBytesMax)), { "content-type": "text/plain" });
  assert.deepEqual([grown.body.length, grown.isCut], [LIMITS.responseBytesMax, true]);
  const half = await read(bytes(0x93, 0xfa, 0x96), { "content-type": "text/plain; charset=shift_jis" }, true);
  assert.equal(half.text, "日");
});
