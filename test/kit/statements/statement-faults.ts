/** What no statement of the store does: name a table that the schema has not, or change two things at once. */

/** Tables and their partitions. */
export const readTables = (schema: string): ReadonlySet<string> =>
  // Where a function chooses one (see `read-statements.ts`).
  new Set(["chosen_table", ...Array.from(schema.matchAll(/create table (\w+)/g), ([, name = ""]) => name)]);

/** Names that are no table of the schema and none that the statement makes. */
export function findUnknownTables(text: string, tables: ReadonlySet<string>): string[] {
  const sql = toPlain(text);
  const made = new Set(
    Array.from(sql.matchAll(/\b(\w+)(?: \([^)]*\))? as (?:materialized )?\(/g), ([, name = ""]) => name),
  );
  return listTables(sql).filter((table) => !tables.has(table) && !made.has(table) && !table.startsWith("pg_"));
}

/** Every table that the statement reads or changes, wherever in it. */
export const listNamed = (text: string): string[] => listTables(toPlain(text));

/** Sent through a Citus, the second change would get the rows of the first as an intermediate result. */
export function changesTwice(text: string): boolean {
  const sql = toPlain(text);
  const inner = Array.from(sql.matchAll(/\bas (?:materialized )?\((?:insert|update|delete)\b/g)).length;
  const isWriting = /^(?:with .*\) )?(?:insert|update|delete)\b/.test(withoutParentheses(sql));
  return inner + (isWriting ? 1 : 0) > 1;
}

/** On one line, without texts and comments. */
const toPlain = (text: string): string =>
  text
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/\s+/g, " ")
    .replaceAll("( ", "(")
    .trim();

/** The contents of the outermost parentheses. */
function listParentheses(sql: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [at, char] of Array.from(sql).entries()) {
    if (char === "(" && (depth += 1) === 1) start = at + 1;
    if (char === ")" && (depth -= 1) === 0) parts.push(sql.slice(start, at));
  }
  return parts;
}

const withoutParentheses = (sql: string): string =>
  listParentheses(sql).reduce((text, part) => text.replace(`(${part})`, "()"), sql);

const NO_TABLE = new Set(["set", "lateral"]);

function listTables(sql: string): string[] {
  const found = sql.matchAll(/\b(?:from|join|update|using|insert into) (?:only )?(\w+)(?!\w|\()/g);
  return Array.from(found).flatMap(([match, table = ""]) =>
    // Not a table: a row lock, the change of an `on conflict`, a join to a subselect.
    match.startsWith("update of") || match.startsWith("update skip") || NO_TABLE.has(table) ? [] : [table],
  );
}
