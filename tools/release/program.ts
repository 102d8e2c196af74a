/** The program as a folder: what the archive and the image hold, without tests, tools and packages of development. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { documentLicences } from "../licences.ts";
import { bundleProgram } from "./bundle.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Taken as it stands. */
const KEPT = [
  "LICENSE",
  "CHANGELOG.md",
  "web/dist",
  "docs/*.md",
  "bridge/*.md",
  "ops/systemd/*",
  "ops/prometheus/{alarms,recording}.yml",
  "ops/grafana/*",
];

/** Writes the program into `folder`; the built page must be there. The files have the commit's time. */
export async function layOutProgram(folder: string, commitSeconds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await bundleProgram(join(folder, "lib"));
  for (const path of globSync(KEPT, { cwd: ROOT })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  for (const path of globSync(["CHANGELOG.md", "{docs,bridge}/*.md"], { cwd: folder })) keepLinksWithin(folder, path);
  writeFileSync(join(folder, "THIRD-PARTY.md"), documentLicences({ withTexts: true }));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  mkdirSync(join(folder, "bin"));
  const program = readFileSync(join(ROOT, "bin", "bellwire.js"), "utf8");
  writeFileSync(
    join(folder, "bin", "bellwire.js"),
    program.replace("../src/main.ts", "../lib/main.js").replace(NPM, OWN),
  );
  writeFileSync(join(folder, "bin", "bellwire"), LAUNCHER, { mode: 0o755 });
  // The doctor compares the clock with the time of these files.
  for (const path of globSync("**/*", { cwd: folder })) utimesSync(join(folder, path), commitSeconds, commitSeconds);
}

/** A link to a source or an example, which are not there, becomes its words. */
function keepLinksWithin(folder: string, path: string): void {
  const isThere = (target: string): boolean => existsSync(join(folder, dirname(path), target));
  const text = readFileSync(join(folder, path), "utf8");
  const links = /\[([^[\]]+)\]\((?!https?:|#)([^)\s#]+)[^)\s]*\)/g;
  const kept = text.replaceAll(links, (link, words: string, target: string) => (isThere(target) ? link : words));
  writeFileSync(join(folder, path), kept);
}

/** What an old Node is told: here nothing comes by npm. */
const NPM = /(?<=advice = )".*"/;
const OWN = '"Put a newer one in the PATH, or its program at bin/node in this folder."';

/** What Node and the program itself read of it. */
function manifest(): Record<string, unknown> {
  const { name, version, license, type, engines } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  return { name, version, private: true, license, type, engines };
}

/** A heap that leaves room for bodies in 512 MB (`docs/size.md`). The Dockerfile has it too: its image has no shell. */
export const HEAP_OPTIONS = "--max-old-space-size=192 --max-semi-space-size=8";

/** A Node that lies beside it is taken before the machine's own, and an operator's `NODE_OPTIONS` before ours. */
export const LAUNCHER = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
if [ -x "$here/node" ]; then node=$here/node; else node=node; fi
if ! command -v "$node" > /dev/null; then
  echo "Bellwire needs Node: put it in the PATH, or its program at $here/node." >&2
  exit 1
fi
export NODE_OPTIONS="\${NODE_OPTIONS-${HEAP_OPTIONS}}"
exec "$node" "$here/bellwire.js" "$@"
`;
