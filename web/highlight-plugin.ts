/**
 * Colours the example receivers while the page is built: `import pieces from "…/express.js?pieces"` gives the file's
 * text cut into `[kind, text]`. The page ships the pieces and no highlighter, which would be 40 KB and run each time.
 */
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import highlighter from "highlight.js";
import type { Plugin } from "vite";

/** Joined, the texts are the file. */
export type CodePieces = readonly (readonly [kind: CodeKind, text: string])[];
export type CodeKind = "plain" | "comment" | "string" | "keyword" | "number" | "name";

const QUERY = "?pieces";

const LANGUAGES: Readonly<Record<string, string>> = {
  ".js": "javascript",
  ".py": "python",
  ".rb": "ruby",
  ".php": "php",
  ".go": "go",
  ".java": "java",
  ".cs": "csharp",
  ".rs": "rust",
  ".cgi": "bash",
};

export function highlightPlugin(): Plugin {
  return {
    name: "bellwire:highlight",
    load(id) {
      if (!id.endsWith(QUERY)) return null;
      const path = id.slice(0, -QUERY.length);
      this.addWatchFile(path);
      const pieces = cutIntoPieces(readFileSync(path, "utf8"), LANGUAGES[extname(path)] ?? "plaintext");
      return { code: `export default ${JSON.stringify(pieces)};`, moduleType: "js" };
    },
  };
}

/** The highlighter writes HTML; its spans are read back here, so that the page never has to put HTML into itself. */
export function cutIntoPieces(code: string, language: string): CodePieces {
  const html = highlighter.highlight(code, { language }).value;
  const open: CodeKind[] = [];
  const pieces: [CodeKind, string][] = [];
  for (const [, scope, text] of html.matchAll(/<span class="([^"]*)">|<\/span>|([^<]+)/g)) {
    if (text !== undefined) addPiece(pieces, open.at(-1) ?? "plain", decode(text));
    else if (scope === undefined) open.pop();
    else open.push(toKind(scope, open.at(-1)));
  }
  return pieces;
}

function addPiece(pieces: [CodeKind, string][], kind: CodeKind, text: string): void {
  const last = pieces.at(-1);
  if (last?.[0] === kind) last[1] += text;
  else pieces.push([kind, text]);
}

const KINDS: readonly (readonly [pattern: RegExp, kind: CodeKind])[] = [
  [/comment|doctag/, "comment"],
  [/subst/, "plain"],
  [/string|regexp|char/, "string"],
  [/keyword|meta|literal|type|built_in/, "keyword"],
  [/number|symbol/, "number"],
  [/title|attr|variable|property/, "name"],
];

/** A piece that means nothing by itself looks like the piece around it. */
function toKind(scope: string, around: CodeKind | undefined): CodeKind {
  return KINDS.find(([pattern]) => pattern.test(scope))?.[1] ?? around ?? "plain";
}

const SIGNS: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#x27": "'" };

const decode = (html: string): string =>
  html.replace(/&(lt|gt|amp|quot|#x27);/g, (_, name: string) => SIGNS[name] ?? "");
