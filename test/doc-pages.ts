/**
 * The pages that people read, taken apart for their tests: links, anchors, and the commands of their `sh` blocks. Pure
 * but for reading the pages.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const ROOT = dirname(import.meta.dirname);

export interface Page {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Block {
  /** The line of its first command, from 1. */
  readonly line: number;
  readonly commands: readonly string[];
}

export function readPages(): Page[] {
  const paths = ["*.md", "{docs,bench,bridge}/**/*.md"].flatMap((glob) => globSync(glob, { cwd: ROOT }));
  return paths.map((path) => ({
    path: path.replaceAll("\\", "/"),
    text: readFileSync(join(ROOT, path), "utf8"),
  }));
}

export function linkedPages({ path, text }: Page): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s#]+\.md)/g)].map(([, target = ""]) => target);
  return targets.map((target) => join(dirname(path), target).replaceAll("\\", "/"));
}

/** Relative links that lead nowhere, as `page:line: what`. */
export function brokenLinks(page: Page, read: (path: string) => string | null): string[] {
  return withoutBlocks(page.text)
    .split("\n")
    .flatMap((text, index) => {
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
      const broken = targets.filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target, read));
      return broken.map((target) => `${page.path}:${index + 1}: ${target}`);
    });
}

function leadsSomewhere(page: Page, target: string, read: (path: string) => string | null): boolean {
  const [file = "", anchor] = target.split("#", 2);
  const path = file === "" ? page.path : join(dirname(page.path), file).replaceAll("\\", "/");
  const text = read(path);
  return text !== null && (anchor === undefined || listAnchors(text).includes(anchor));
}

/** As the usual sites make them from headings. */
export function listAnchors(text: string): string[] {
  const headings = [...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The lines stay, so that line numbers do. */
const withoutBlocks = (text: string): string =>
  text.replaceAll(/^```.*\n[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ""));

export function parseBlocks({ text }: Page): Block[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((found) => ({
    line: text.slice(0, found.index).split("\n").length + 1,
    commands: parseCommands(found[1] ?? ""),
  }));
}

/** A comment is not inside of a quotation. */
const COMMENT = /^((?:[^']|'[^']*')*?)(?:^|\s+)#(?: .*)?$/;

/** A command goes on over a backslash at a line's end and over a quotation that is open. Comments are taken away. */
export function parseCommands(block: string): string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of block.split("\n")) {
    open += open === "" ? line.replace(COMMENT, "$1") : `\n${line}`;
    if (/(?:\\|&&)$/.test(open) || open.split("'").length % 2 === 0) continue;
    if (open.trim() !== "") commands.push(open);
    open = "";
  }
  return open === "" ? commands : [...commands, open];
}

/** A project file's text; a folder counts as empty. `null` when there is neither. */
export function readProject(path: string): string | null {
  if (!existsSync(join(ROOT, path))) return null;
  return path.endsWith(".md") ? readFileSync(join(ROOT, path), "utf8") : "";
}

export type Kind =
  /** Names a script of this project. */
  | "npm"
  /** Runs until it is stopped. */
  | "stays"
  /** Needs more than the stage has: `e2e/migrate-to.long.test.ts` and `src/commands/pull.test.ts` run them. */
  | "elsewhere"
  | "runs";

const COMMANDS_RUN = "send|events|doctor|dashboard-link|sessions|accounts|read-keys|listen|backup|restore|erase";
const RUNS = new RegExp(`^npx (?:node|--no bellwire (?:${COMMANDS_RUN})) ?`);

/** How a command is tested, or why it is not. */
export function findKind(command: string, scripts: ReadonlySet<string>): Kind | Error {
  const bare = command.replace(/^(?:(?:BELLWIRE|OTEL)_\w+=\S+ )+/, "");
  const [start = ""] = bare.split(/\s/, 1);
  if (start === "npm") {
    const unknown = command.split(" && ").filter((part) => !isKnownScript(part, scripts));
    return unknown.length === 0 ? "npm" : new Error(`there is no script for: ${unknown.join(" && ")}`);
  }
  if (/^npx --no bellwire listen\b(?!.*--replay)/.test(command)) return "stays";
  if (/^npx --no bellwire (?:migrate-to|shards|pull)\b/.test(command)) return "elsewhere";
  if (RUNS.test(bare)) return "runs";
  if (["curl", "echo", "openssl", "grep", "mkdir", "chmod"].includes(start) || /^[A-Z]+=/.test(start)) return "runs";
  return new Error(`nothing tests this command: ${command}`);
}

function isKnownScript(command: string, scripts: ReadonlySet<string>): boolean {
  if (["npm ci", "npm install ./bellwire-npm-*.tgz"].includes(command)) return true;
  const name = /^(?:(?:BELLWIRE|OTEL)_\w+=\S+ )*npm (?:run ([\w-]+)(?: -- .*)?|(test|start))$/.exec(command);
  return scripts.has(name?.[1] ?? name?.[2] ?? "");
}

/**
 * Blocks that are not `sh`, since the stage lacks what their commands need: the test that runs them, or why none does.
 * By page, with the first command's first word.
 */
export const OFF_STAGE: Readonly<Record<string, string>> = {
  "README.md $": "e2e/demo.long.test.ts",
  "bridge/README.md npx": "bridge/command.test.ts",
  "bridge/README.md nats": "bridge/readme.long.test.ts",
  "bridge/README.md kafka-topics.sh": "bridge/readme.long.test.ts",
  "bridge/README.md aws": "bridge/readme.long.test.ts",
  "bridge/README.md rabbitmqadmin": "bridge/readme.long.test.ts",
  "bridge/README.md docker": "test/image.long.test.ts",
  "bridge/README.md npm": "test/release.long.test.ts",
  "docs/containers.md docker": "test/image.long.test.ts",
  "docs/containers.md helm": "test/helm.long.test.ts",
  "docs/distributed.md map": "none: lines of nginx",
  "docs/operations.md node_modules/.bin/node": "test/bin.test.ts",
  "docs/operations.md sha256sum": "test/release.long.test.ts",
  "docs/backups.md pg_restore": "none: npm brings a PostgreSQL server and no pg_dump",
  "docs/backups.md litestream": "e2e/litestream.long.test.ts",
  "docs/backups.md pg_dump": "none: npm brings a PostgreSQL server and no pg_dump",
  "docs/backups.md rclone": "none: npm brings no rclone, and it wants a remote",
  "docs/outbox.md PRODUCT_DATABASE": "examples/outbox/outbox.long.test.ts",
};

/** The first words of the blocks without a language, but for drawings and texts. */
export function listOffStage({ path, text }: Page): string[] {
  const firsts = [...text.matchAll(/^```(\w*)\n(.*)\n[\s\S]*?^```$/gm)].filter(([, language]) => language === "");
  return firsts.flatMap(([, , line = ""]) => {
    const [, word] = /^(\$|[\w./-]+)[ =](?!.*[─►])/.exec(line) ?? [];
    return word === undefined ? [] : [`${path} ${word}`];
  });
}
