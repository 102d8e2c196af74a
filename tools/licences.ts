/**
 * The packages of others that reach operators of Bellwire, and their licences: `THIRD-PARTY.md`, written by `npm run
 * docs`. Read from the lock file and from each package's own words, so that none can come in unseen.
 *
 * `license-checker-rseidelsohn` (136 packages) reads what is installed here, and would replace twenty lines: it knows
 * neither the page's packages nor those of other platforms.
 */
import { existsSync, globSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** Licences that ask for no more than to be named and passed on. Another one is a decision, not an update. */
export const ALLOWED_LICENCES: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
];

export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** SPDX, as the package says it; "unknown" when it does not. */
  readonly licence: string;
  /** Where npm has put it. */
  readonly path: string;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
  readonly integrity?: string;
}

const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as { packages: Record<string, Locked> };

/** Packages that `npm ci --omit=dev` installs. */
export function runTimePackages(): ThirdParty[] {
  return Object.keys(lock.packages)
    .filter((path) => path !== "" && lock.packages[path]?.dev !== true)
    .map(thirdParty);
}

/** The packages in the built page: those that `web/` imports, and theirs. */
export function pagePackages(): ThirdParty[] {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const path = resolve(name, from);
    if (path === null || found.has(path)) return;
    found.add(path);
    for (const next of Object.keys(lock.packages[path]?.dependencies ?? {})) add(next, path);
  };
  for (const name of importsOfPage()) add(name, "");
  return [...found].toSorted().map(thirdParty);
}

/** Where the packages are that run a script when they are installed. */
export const scriptedPackages = (): { readonly path: string; readonly isDevelopment: boolean }[] =>
  Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path, { dev = false }]) => ({ path, isDevelopment: dev }));

/** Where the packages are that npm installs without comparing them with a hash. */
export const unhashedPackages = (): { readonly path: string; readonly isForOneKindOfMachine: boolean }[] =>
  Object.entries(lock.packages)
    .filter(([path, { integrity }]) => path !== "" && integrity === undefined)
    .map(([path, { dev = false, optional = false, cpu }]) => ({
      path,
      isForOneKindOfMachine: dev && optional && cpu !== undefined,
    }));

/** As Node looks for it: beside the package, then further out. */
function resolve(name: string, from: string): string | null {
  const path = join(from, "node_modules", name).replaceAll("\\", "/");
  if (lock.packages[path] !== undefined) return path;
  const outer = from.lastIndexOf("/node_modules/");
  return from === "" ? null : resolve(name, outer === -1 ? "" : from.slice(0, outer));
}

function importsOfPage(): Set<string> {
  const isOurs = (path: string): boolean =>
    !/(?:^|[\\/])(?:dist|\.build-[\w-]+)[\\/]|\.test\.ts$|-plugin\.ts$/.test(path);
  const files = globSync("web/**/*.{ts,tsx,css}", { cwd: ROOT }).filter(isOurs);
  const names = files.flatMap((path) => {
    if (path.endsWith("vite.config.ts")) return [];
    const text = readFileSync(join(ROOT, path), "utf8");
    const imports = text.matchAll(/^@?import (?!type )[^"]*"([^"]+)"|^(?:export [^"]*|\}) from "([^"]+)"/gm);
    return [...imports].map(([, a, b]) => a ?? b ?? "");
  });
  const packages = names.filter((name) => !/^[./]|^node:/.test(name));
  return new Set(packages.map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/")));
}

function thirdParty(path: string): ThirdParty {
  const name = path.replace(/^.*node_modules\//, "");
  return { name, version: lock.packages[path]?.version ?? "", licence: readLicence(path), path };
}

/** A package of another platform is not installed here: then what the lock file has copied from it. */
function readLicence(path: string): string {
  const manifest = join(ROOT, path, "package.json");
  const said = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, "utf8")) as { license?: unknown }).license
    : lock.packages[path]?.license;
  return typeof said === "string" ? said : "unknown";
}

/** The whole page as Markdown. `withTexts`: for a program that has the run-time packages in it. */
export function documentLicences({ withTexts = false } = {}): string {
  const inside = withTexts ? runTimePackages().filter(({ path }) => existsSync(join(ROOT, path))) : [];
  return [
    INTRODUCTION,
    table(runTimePackages()),
    PAGE,
    table(pagePackages()),
    ...licenceTexts([...inside, ...pagePackages()]),
    "",
  ].join("\n");
}

const INTRODUCTION = `# Packages of others

<!-- Written by \`npm run docs\` from package-lock.json and the packages: do not change it here. -->

Bellwire itself is under the MIT licence. At run time it uses these packages; each comes with its licence in its folder
of \`node_modules\`. A test fails for any licence that is not one of these:
${ALLOWED_LICENCES.join(", ")}.
`;

const PAGE = `
## In the page

The dashboard's page is built from these and has parts of them in it, so their licences stand here.
`;

function table(packages: readonly ThirdParty[]): string {
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return ["| Package | Version | Licence |", "|---|---|---|", ...new Set(rows)].join("\n");
}

/** Each text once, under the names of all that come with it. */
function licenceTexts(packages: readonly ThirdParty[]): string[] {
  const namesByText = new Map<string, string[]>();
  for (const { name, path } of packages) {
    const text = licenceText(path);
    if (text !== null) namesByText.set(text, [...(namesByText.get(text) ?? []), name]);
  }
  return [...namesByText].map(([text, names]) => `\n### ${names.join(", ")}\n\n\`\`\`text\n${text}\n\`\`\``);
}

function licenceText(path: string): string | null {
  const folder = join(ROOT, path);
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  return file === undefined ? null : wrapped(readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
}

/** Some are written without line ends; the words stay as they are. */
const wrapped = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line.length <= 120 ? line : line.replaceAll(/(.{1,120})(?: |$)/g, "$1\n").trimEnd()))
    .join("\n");
