/**
 * The Helm chart for tests: rendered by Helm where it is there, and read without it otherwise. Reading keeps what a
 * template says as plain text and takes in the named blocks; what a value decides is left out or an "x".
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { HELM_PATH, KUBERNETES } from "../tools/chart/places.ts";
import { ROOT, read } from "./deployment.ts";

export const CHART = "ops/helm/bellwire";
export const EXAMPLES: readonly string[] = globSync("ops/helm/examples/*.yaml", { cwd: ROOT }).map((path) =>
  path.replaceAll("\\", "/"),
);

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

/** Ends with a status other than 0 and a sentence in `stderr` when the values are refused. */
export function helm(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(HELM_PATH, args, { cwd: ROOT, encoding: "utf8" });
}

/** Values by path (`replicas=3`) go on top of the file. */
export function template(valuesFile: string, { set = [] }: { set?: readonly string[] } = {}) {
  const values = ["--values", valuesFile, ...set.flatMap((each) => ["--set", each])];
  const version = ["--kube-version", KUBERNETES[1]];
  return helm(["template", "bellwire", CHART, "--namespace", "bellwire", ...version, ...values]);
}

/** The templates as YAML, without Helm. */
export function readTemplates(): Manifest[] {
  const paths = globSync(`${CHART}/templates/*`, { cwd: ROOT });
  const blocks = readBlocks(paths.filter((path) => path.endsWith(".tpl")).map((path) => read(path)));
  const files = paths.filter((path) => path.endsWith(".yaml"));
  return files.flatMap((path) => parseManifests(readTemplate(read(path), blocks)));
}

export interface Values {
  readonly replicas: number;
  readonly resources: object;
  readonly service: { readonly port: number };
  readonly podDisruptionBudget: object;
  readonly secretFiles: Readonly<Record<string, { readonly secret: string; readonly key: string }>>;
  readonly networkPolicy: Readonly<Record<string, unknown>>;
}

export const readValues = (): Values => parse(read(join(CHART, "values.yaml"))) as Values;

/** Named blocks of text. */
function readBlocks(texts: readonly string[]): ReadonlyMap<string, string> {
  const found = texts.flatMap((text) => [
    ...text.matchAll(/\{\{-? define "([\w.]+)" -?\}\}\n([\s\S]*?)\n\{\{-? end -?\}\}\n(?=\n|$)/g),
  ]);
  return new Map(found.map(([, name = "", body = ""]) => [name, body]));
}

function readTemplate(text: string, blocks: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/\{\{-? ?\/\*[\s\S]*?\*\/ ?-?\}\}/g, "")
    .split("\n")
    .flatMap((line) => {
      const [, name = "", indent = "0"] = /^\s*\{\{- include "([\w.]+)".* nindent (\d+) \}\}$/.exec(line) ?? [];
      const block = blocks.get(name);
      if (block !== undefined) return [indentBy(readTemplate(block, blocks), Number(indent))];
      return /^\s*\{\{.*\}\}$/.test(line) ? [] : [line.replaceAll(/\{\{.*?\}\}/g, "x")];
    })
    .join("\n");
}

const indentBy = (text: string, spaces: number): string => text.replaceAll(/^(?=.)/gm, " ".repeat(spaces));
