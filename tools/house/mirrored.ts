/**
 * How much of SQLite's store stands letter for letter in PostgreSQL's. At a high share `diff -r` hides what differs
 * instead of showing it.
 */
import type { Source } from "./sources.ts";

export interface Mirrored {
  /** Pairs of files with the same name. */
  readonly files: number;
  /** SQLite's lines in those files. */
  readonly lines: number;
  /** Those of them that PostgreSQL's file has too, in the same order. */
  readonly shared: number;
  /** SQLite's lines in all its files. */
  readonly allLines: number;
}

/**
 * Blank lines, lines of brackets and comment marks alone, and imports: any two files of TypeScript have them in common,
 * some 11 lines each.
 */
export const saysSomething = (line: string): boolean =>
  /[A-Za-z0-9]/.test(line) && !line.startsWith("import ") && !line.startsWith("} from ");

/** Only of the lines for which `isCounted`: every line unless given. */
export function shareOfMirroredLines(sources: readonly Source[], isCounted = (_line: string) => true): Mirrored {
  const sqlite = sources.filter(({ path }) => isStoreFile(path, "sqlite"));
  const postgres = new Map(sources.map(({ path, text }) => [path, text]));
  let mirrored: Mirrored = { files: 0, lines: 0, shared: 0, allLines: 0 };
  for (const { path, text } of sqlite) {
    const lines = text.split("\n").filter(isCounted);
    const other = postgres.get(path.replace("/sqlite/", "/postgres/"));
    mirrored = { ...mirrored, allLines: mirrored.allLines + lines.length };
    if (other === undefined) continue;
    mirrored = {
      ...mirrored,
      files: mirrored.files + 1,
      lines: mirrored.lines + lines.length,
      shared: mirrored.shared + countCommon(lines, other.split("\n").filter(isCounted)),
    };
  }
  return mirrored;
}

const isStoreFile = (path: string, dialect: string): boolean =>
  path.startsWith(`src/store/${dialect}/`) && path.endsWith(".ts") && !path.endsWith(".test.ts");

/** The length of the longest common subsequence: what `diff` leaves unmarked. */
function countCommon(one: readonly string[], other: readonly string[]): number {
  let previous = [0, ...other.map(() => 0)];
  for (const line of one) {
    const current = [0];
    for (const [place, candidate] of other.entries()) {
      const longer = Math.max(previous[place + 1] ?? 0, current[place] ?? 0);
      current.push(line === candidate ? (previous[place] ?? 0) + 1 : longer);
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
