/** The tables of docs/large.md, from the sums. Each stands between two comments of the page that name it. */
import { FIGURES, of } from "./figures.ts";
import { GROUPS, PEAK_PER_NODE, sumAccounts, sumLoad, sumNodes, sumTables } from "./sums.ts";

const NODES = [10, 100, 1_000];
const ACCOUNTS = [1_000, 10_000, 100_000];
const DAYS = [7, 30, 90, 365];

const count = (value: number): string => Math.round(value).toLocaleString("en");
const cores = (value: number): string => (value < 9.5 ? Number(value.toPrecision(2)).toString() : count(value));

/** In units of a thousand: 60.6 MB. */
function bytes(value: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1_000 ** power;
  return `${scaled < 9.95 ? scaled.toFixed(1) : scaled.toFixed(0)} ${units[power] ?? ""}`;
}

type Row = readonly string[];

const line = (cells: Row): string => `| ${cells.join(" | ")} |`;

const lines = (head: Row, rows: readonly Row[]): string =>
  [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");

/** A row for each quantity, a column for each size. */
const across = <Sums>(sums: readonly Sums[], rows: readonly (readonly [string, (sum: Sums) => string])[]): Row[] =>
  rows.map(([what, show]) => [what, ...sums.map(show)]);

const TABLES: Readonly<Record<string, () => string>> = {
  nodes: () =>
    lines(
      ["Nodes", ...NODES.map(count)],
      across(NODES.map(sumNodes), [
        [`connections, ${of("connections")} a node`, (sum) => count(sum.connections)],
        [`sessions behind PgBouncer, ${of("pooled")} a node`, (sum) => count(sum.pooledSessions)],
        ["renewals of leases a second", (sum) => count(sum.renewalsPerSecond)],
        ["cores of the server while all idle", (sum) => cores(sum.idleCores)],
        ["cores for looks, with hints but none sent", (sum) => cores(sum.looksCores)],
        ["cores for looks, behind a pooler", (sum) => cores(sum.pooledLooksCores)],
        ["hints heard a second, when all nodes send as many as they may", (sum) => count(sum.heardPerSecond)],
        ["cores for these and the looks that they cause", (sum) => cores(sum.hintsCores)],
        [`cores to confirm ${count(of("viewsMax"))} accounts in use on each node`, (sum) => cores(sum.versionsCores)],
      ]),
    ),
  load: () =>
    lines(
      [`Nodes, each with ${count(PEAK_PER_NODE)} webhooks a second at peak`, ...NODES.map(count)],
      across(NODES.map(sumLoad), [
        ["webhooks a second at peak", (sum) => count(sum.peak)],
        ["webhooks a day", (sum) => `${count(sum.perDay / 1e6)} million`],
        ["cores of all nodes at peak", (sum) => cores(sum.nodeCores)],
        ["cores of the database, 25 webhooks in a commit", (sum) => cores(sum.serverCores)],
        ["cores of the database, one in a commit", (sum) => cores(sum.serverCoresAlone)],
        ["the database's log, a second", (sum) => bytes(sum.logBytesPerSecond)],
        ["disk after 90 days", (sum) => bytes(sum.diskBytes)],
        ["keys against repeats, each year", (sum) => bytes(sum.keyBytesPerYear)],
      ]),
    ),
  accounts: () =>
    lines(
      ["Accounts, all in use on every node", ...ACCOUNTS.map(count)],
      across(ACCOUNTS.map(sumAccounts), [
        ["memory of a node for them", (sum) => bytes(sum.heldBytes)],
        ["webhooks whose account has to be loaded", (sum) => `${count(sum.missing * 100)} %`],
        ["µs of a node for a webhook then", (sum) => count(sum.nodeMicros)],
        ["µs of the database", (sum) => count(sum.serverMicros)],
        ["accounts in a bucket", (sum) => count(sum.perBucket)],
        [`accounts in a group of ${GROUPS}`, (sum) => count(sum.perGroup)],
      ]),
    ),
  tables: () =>
    lines(
      ["Rows are kept for", ...DAYS.map((days) => `${days} days`)],
      across(DAYS, [
        ["days with tables", (days) => count(sumTables(days, 1).days)],
        ["tables, one PostgreSQL", (days) => count(sumTables(days, 1).tables)],
        [`tables, ${GROUPS} shards`, (days) => count(sumTables(days, GROUPS).tables)],
      ]),
    ),
  figures: () =>
    lines(
      ["Figure", "What it is", "From"],
      Object.values(FIGURES).map(({ value, what, from }) => [value.toLocaleString("en"), what, from]),
    ),
};

/** The page with its tables written anew. Throws where it has none of a name, or a table that it does not name. */
export function documentLarge(page: string): string {
  const written = new Set<string>();
  const text = page.replaceAll(/(?<=<!-- sums: (\w+) -->\n)[\s\S]*?(?=<!-- end -->)/g, (_, name: string) => {
    const table = TABLES[name];
    if (table === undefined) throw new Error(`docs/large.md asks for the sums of "${name}", which are not there`);
    written.add(name);
    return `${table()}\n`;
  });
  const missing = Object.keys(TABLES).filter((name) => !written.has(name));
  if (missing.length > 0) throw new Error(`docs/large.md has no place for the sums of ${missing.join(", ")}`);
  return text;
}
