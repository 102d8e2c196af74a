/**
 * Makes the package that is published: what receivers and back ends import, compiled to JavaScript with its types.
 *
 * It has the name `bellwire` and not this project's dependencies. Node does not run TypeScript inside `node_modules`,
 * so the service is run from here; and a project that only verifies a signature should not get a web server, a database
 * driver and a Node of 190 MB, which would come first in the path of their scripts.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The entry points as they stand in `src`. */
  readonly exports: Readonly<Record<string, string>>;
}

/** Writes the package into `folder`, in place of what was there. Throws with the compiler's words. */
export function buildPackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const run = spawnSync(process.execPath, [tsc, "-p", join(ROOT, "tsconfig.package.json"), "--outDir", folder], {
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`the package does not compile\n${run.stdout}${run.stderr}`);
  for (const path of globSync("**/*.d.ts", { cwd: folder })) rewriteImports(join(folder, path));
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`);
  copyFileSync(join(ROOT, "docs", "typescript.md"), join(folder, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

/** Packs `folder` into `destination` and gives the tarball's path. */
export function packPackage(folder: string, destination: string): string {
  const run = npm(["pack", folder, "--json", "--pack-destination", destination], destination);
  const [packed] = JSON.parse(run) as { filename: string }[];
  if (packed === undefined) throw new Error(`npm pack said nothing of its file:\n${run}`);
  return join(destination, packed.filename);
}

/** Returns what npm prints. Throws with its words when it fails. */
export function npm(args: readonly string[], cwd: string): string {
  const run = spawnSync("npm", [...args], { cwd, encoding: "utf8", shell: process.platform === "win32" });
  if (run.status !== 0) throw new Error(`npm ${args.join(" ")} failed\n${run.stdout}${run.stderr}`);
  return run.stdout;
}

function published({ name, version, license, exports }: Manifest): Record<string, unknown> {
  return {
    name,
    version,
    description: "Receive Bellwire's webhooks verified and typed, and send it records.",
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: {
      ...Object.fromEntries(Object.entries(exports).map(([entry, source]) => [entry, compiled(source)])),
      "./package.json": "./package.json",
    },
  };
}

/** `./src/receiver/fetch.ts` → its declaration and its code, as they stand in the package. */
function compiled(source: string): Record<"types" | "default", string> {
  const base = source.replace(/^\.\/src\//, "./").replace(/\.ts$/, "");
  return { types: `${base}.d.ts`, default: `${base}.js` };
}

/** The compiler rewrites them in code only; a consumer's compiler looks for the types beside the code. */
function rewriteImports(path: string): void {
  writeFileSync(path, readFileSync(path, "utf8").replace(/(from "\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
