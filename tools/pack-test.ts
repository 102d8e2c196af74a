/**
 * `npm run pack-test`: the published package on every version of Node that it is for. npm brings those; each has to run
 * the same sample as the package's own test. Ends with exit code 1 when one fails or could not be had.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SAMPLE_PRINTS, createConsumer } from "../test/package-consumer.ts";
import { npm } from "./package-build.ts";

/** The last ones that npm's registry has as packages; the last is our own. */
const VERSIONS = ["20.20.2", "22.23.3", "24.21.0", "26.10.0"];
const NODE_PACKAGE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

using consumer = createConsumer();
for (const version of VERSIONS) {
  const verdict = tryOn(version);
  console.log(`${verdict === null ? "✓" : "✗"} Node ${version}${verdict === null ? "" : `\n${verdict}`}`);
  if (verdict !== null) process.exitCode = 1;
}

/** `null` when it works. */
function tryOn(version: string): string | null {
  const folder = join(consumer.folder, "..", `node-${version}`);
  mkdirSync(folder);
  try {
    npm(["install", "--prefix", folder, "--no-audit", "--no-fund", `${NODE_PACKAGE}@${version}`], folder);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const windows = process.platform === "win32";
  const node = join(folder, "node_modules", NODE_PACKAGE, "bin", windows ? "node.exe" : "node");
  const printed = consumer.run(node);
  return printed === SAMPLE_PRINTS ? null : printed;
}
