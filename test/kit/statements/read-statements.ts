/**
 * Every statement of the store as its source has it, for tests that hold for all of them: the texts that begin with
 * `-- name:`, with the pieces in them that are constants of the store. A piece that a function makes is a condition or
 * a list of columns, and never names a table; it stands as `true`. A table that is chosen at run time stands as
 * `chosen_table`.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface Statement {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

const FOLDERS = ["src/store/sql", "src/store/postgres"];

export function readStatements(root: string): Statement[] {
  const files = FOLDERS.flatMap((folder) => listSources(root, folder)).map((path) => readSource(root, path));
  const everywhere = new Map(files.flatMap(({ constants }) => [...constants]));
  return files.flatMap(({ path, templates, constants }) =>
    templates
      .filter((text) => text.startsWith("-- name: "))
      .map((text) => fill(text, (name) => constants.get(name) ?? everywhere.get(name)))
      .map((text) => ({ path, name: /^-- name: (.*)\n/.exec(text)?.[1] ?? "", text: text.replace(/^.*\n/, "") })),
  );
}

const listSources = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`);

interface Source {
  readonly path: string;
  readonly templates: readonly string[];
  /** Templates by the name of their constant. */
  readonly constants: ReadonlyMap<string, string>;
}

function readSource(root: string, path: string): Source {
  const source = readFileSync(join(root, path), "utf8");
  const templates: string[] = [];
  const constants = new Map<string, string>();
  for (let at = source.indexOf("`"); at !== -1; at = source.indexOf("`", at)) {
    const text = readTemplate(source, at + 1);
    const name = /const ([A-Z][A-Z_]*)(?:: string)? =\s*$/.exec(source.slice(0, at))?.[1];
    if (name !== undefined) constants.set(name, text);
    // Marks of code in comments are templates too, of no consequence: they stand on one line.
    templates.push(text);
    at += text.length + 2;
  }
  return { path, templates, constants };
}

/** Up to its closing mark; templates within `${…}` belong to it. */
function readTemplate(source: string, from: number): string {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    if (source.startsWith("${", at)) depth += 1;
    else if (depth > 0 && source[at] === "}") depth -= 1;
    else if (depth === 0 && source[at] === "`") return source.slice(from, at);
  }
  throw new Error(`a template has no end: ${source.slice(from, from + 80)}`);
}

function fill(text: string, find: (name: string) => string | undefined): string {
  return text.replaceAll(/(\b(?:from|join|update|into|using)\s+)?\$\{([^}]*)\}/g, (_, before = "", piece: string) => {
    const found = find(piece.trim());
    if (found !== undefined) return `${before}${fill(found, find)}`;
    return before === "" ? "true" : `${before}chosen_table`;
  });
}
