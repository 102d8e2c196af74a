/**
 * Faults of a statement on a database of several servers, where an account's rows lie together in one place:
 * it must say where, and it must not change two things at once. Read `docs/store.md` for the rules.
 */
export interface Tables {
  /** Tables with a bucket. */
  readonly ofAccounts: ReadonlySet<string>;
  /** Tables of the installation, which lie on one server. */
  readonly local: ReadonlySet<string>;
}

/** Tables and their partitions, by the column `bucket` in their `create table`. */
export function readTables(schema: string): Tables {
  const ofAccounts = new Set(["chosen_table"]);
  const local = new Set<string>();
  for (const [, name = "", columns = ""] of schema.matchAll(/create table (\w+) \(\n(.*?)\n\)/gs)) {
    (/^ {2}bucket integer/m.test(columns) ? ofAccounts : local).add(name);
  }
  for (const [, name = "", parent = ""] of schema.matchAll(/create table (\w+) partition of (\w+)/g)) {
    (ofAccounts.has(parent) ? ofAccounts : local).add(name);
  }
  return { ofAccounts, local };
}

export function findBucketFaults(text: string, tables: Tables): string[] {
  const sql = toPlain(text);
  const isWriting = /^(?:with .*\) )?(?:insert|update|delete)\b/.test(withoutParentheses(sql));
  const isChanging = /(?:^|\(|\) )(?:update|delete)\b/.test(sql);
  const scopes = splitScopes(sql);
  const all = scopes.flatMap(({ refs }) => refs);
  const kinds = new Set(all.flatMap(({ table }) => kindOf(table, tables)));
  return [
    ...scopes.flatMap((scope) => faultsOfScope(scope, { tables, isChanging })),
    ...faultsOfInsert(sql, tables),
    ...(kinds.size > 1 ? ["joins a table of accounts to one of the installation"] : []),
    ...(kinds.has("accounts") ? faultsOfWriting(sql, isWriting) : []),
  ];
}

/** Names that are no table of the schema and none that the statement makes: their faults would not be seen. */
export function findUnknownTables(text: string, { ofAccounts, local }: Tables): string[] {
  const sql = toPlain(text);
  const made = new Set(
    Array.from(sql.matchAll(/\b(\w+)(?: \([^)]*\))? as (?:materialized )?\(/g), ([, name = ""]) => name),
  );
  return splitScopes(sql)
    .flatMap(({ refs }) => refs.map(({ table }) => table))
    .filter((table) => !ofAccounts.has(table) && !local.has(table) && !made.has(table) && !table.startsWith("pg_"));
}

const kindOf = (table: string, { ofAccounts, local }: Tables): string[] =>
  ofAccounts.has(table) ? ["accounts"] : local.has(table) ? ["installation"] : [];

/** On one line, without texts and comments; `any ($buckets)` without its parentheses. */
const toPlain = (text: string): string =>
  text
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/any \((\$\w+)\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .replaceAll("( ", "(")
    .trim();

interface Reference {
  readonly table: string;
  readonly alias: string;
}

/** A select or a change with the tables that it names itself; what stands in parentheses is a scope of its own. */
interface Scope {
  readonly text: string;
  readonly refs: readonly Reference[];
}

function splitScopes(sql: string): Scope[] {
  const inner = listParentheses(sql).flatMap(splitScopes);
  const own = withoutParentheses(sql)
    .split(/\bunion(?: all)?\b/)
    .map((text) => ({ text, refs: listReferences(text) }));
  return [...own, ...inner];
}

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

const NO_ALIAS = new Set(["set", "where", "on", "join", "left", "cross", "order", "group", "limit", "values", "for"]);

function listReferences(text: string): Reference[] {
  const found = text.matchAll(/\b(?:from|join|update|using) (?:only )?(\w+)(?: as)?(?: (\w+))?(?!\w|\()/g);
  return Array.from(found).flatMap(([match, table = "", alias = ""]) => {
    // Not a table: a row lock, the change of an `on conflict`, a join to a subselect.
    if (match.startsWith("update of") || match.startsWith("update skip") || NO_TABLE.has(table)) return [];
    return [{ table, alias: alias === "" || NO_ALIAS.has(alias) ? table : alias }];
  });
}

interface Rules {
  readonly tables: Tables;
  /** Rows that are there already, and so are looked for. */
  readonly isChanging: boolean;
}

function faultsOfScope({ text, refs }: Scope, { tables, isChanging }: Rules): string[] {
  const ofAccounts = refs.filter(({ table }) => tables.ofAccounts.has(table));
  const isBare = ofAccounts.length === 1 && /(?<![\w.])bucket = \$(?:buckets?|group)\b/.test(text);
  const asked = new Set(
    ofAccounts
      .map(({ alias }) => alias)
      .filter((alias) => isBare || new RegExp(`\\b${alias}\\.bucket = \\$(?:buckets?|group)\\b`).test(text)),
  );
  // A join hands it on, but not where rows are changed: there each table has to be asked by itself.
  const joined = Array.from(text.matchAll(/\b(\w+)\.bucket = (\w+)\.bucket\b/g));
  for (let before = -1; !isChanging && before < asked.size;) {
    before = asked.size;
    for (const [, one = "", other = ""] of joined) {
      if (asked.has(one)) asked.add(other);
      if (asked.has(other)) asked.add(one);
    }
  }
  if (/\bfrom \w+(?: \w+)?, (?:lateral )?\w+ \w+ (?:where|on|join)\b/.test(text))
    return ["lists tables without a join"];
  return ofAccounts
    .filter(({ alias }) => !asked.has(alias))
    .map(({ table, alias }) => `asks ${table === alias ? table : `${table} ${alias}`} in every bucket`);
}

function faultsOfInsert(sql: string, { ofAccounts }: Tables): string[] {
  const faults: string[] = [];
  for (const [, table = "", columns = ""] of sql.matchAll(/\binsert into (\w+) (?:as \w+ )?\(([^)]*)\)/g)) {
    if (!ofAccounts.has(table)) continue;
    if (!columns.startsWith("bucket,")) faults.push(`inserts into ${table} without a bucket`);
    const target = /\bon conflict \(([^)]*)\)/.exec(sql)?.[1];
    if (target !== undefined && !target.endsWith(", bucket"))
      faults.push(`finds conflicts of ${table} in every bucket`);
  }
  if (/\bvalues \([^;]*\(select\b/.test(sql)) faults.push("selects among the values of an insert");
  return faults;
}

/** The second would get the rows of the first as an intermediate result, which goes to every server. */
function faultsOfWriting(sql: string, isWriting: boolean): string[] {
  const writing = Array.from(sql.matchAll(/\bas (?:materialized )?\((?:insert|update|delete)\b/g)).length;
  return writing + (isWriting ? 1 : 0) > 1 ? ["changes two things at once"] : [];
}
