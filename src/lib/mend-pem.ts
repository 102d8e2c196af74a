/**
 * Restores the lines of PEM text that lost them on the way: indented in YAML, on one line in a variable, with `\n`
 * written out, in quotes, with invisible characters. Base64 has no other meaning for any of these, and the
 * certificate or the key proves itself when it is read. Pure.
 */
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g;
const LINE_CHARS = 64;

/** Text without a whole block, or with headers in it as a locked key has, comes back trimmed. */
export function mendPem(text: string): string {
  const lines = text.replaceAll(/\\r|\\n|[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\r\u0085\u00a0]/gu, toLineBreak);
  const blocks = Array.from(lines.matchAll(BLOCK), ([block, kind = "", body = ""]) => {
    const base64 = body.replaceAll(/\s/g, "");
    if (!/^[A-Za-z0-9+/]+=*$/.test(base64)) return block;
    return [`-----BEGIN ${kind}-----`, ...(base64.match(BASE64_LINE) ?? []), `-----END ${kind}-----`].join("\n");
  });
  return blocks.length === 0 ? lines.trim() : blocks.join("\n");
}

const BASE64_LINE = new RegExp(`.{1,${LINE_CHARS}}`, "g");

const toLineBreak = (found: string): string => (found === "\\r" || found === "\r" ? "" : "\n");
