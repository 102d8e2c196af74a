/** A Dockerfile as data, as much of the format as ours has, and the context that it is built from. */
import { cpSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, matchesGlob, sep } from "node:path";

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    const [, image = "", as = null] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
    if (name === "FROM") stages.push({ image, name: as, instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** The values of all instructions of a kind. */
export const listValues = ({ instructions }: Stage, name: string): string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);

/** Settings that the stage gives to what runs in it. */
export function parseEnv(stage: Stage): Record<string, string> {
  const pairs = listValues(stage, "ENV").flatMap((text) => [...text.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)]);
  return Object.fromEntries(pairs.map(([, name = "", quoted, plain = ""]) => [name, quoted ?? plain]));
}

/** An instruction's command in the form of a list, without flags. */
export function parseCommand(stage: Stage, name: string): string[] {
  const [text = ""] = listValues(stage, name);
  return JSON.parse(text.slice(text.indexOf("["))) as string[];
}

/** Copies what `.dockerignore` lets into the context. The last rule that matches a path decides. */
export function copyContext(root: string, to: string): void {
  const rules = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ isIn: line.startsWith("!"), pattern: line.replace(/^!/, "") }));
  const isIn = (path: string): boolean => {
    const found = rules.findLast(({ pattern }) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`));
    return found?.isIn ?? true;
  };
  const skipped = (path: string): boolean => /(?:^|[\\/])(?:node_modules|\.git|data)$/.test(path);
  for (const path of globSync("**/*", { cwd: root, exclude: skipped })) {
    if (!isIn(path.split(sep).join("/")) || statSync(join(root, path)).isDirectory()) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(root, path), join(to, path));
  }
}
