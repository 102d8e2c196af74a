/** Debian's packages for tests, on a machine that says it is there for builds: a developer's own is left as it is. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Several files of tests may ask at once: the second one waits, and finds them there. */
const OPTIONS = ["-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"];

/** Tries to; who calls it looks whether they are there then. */
export function installForBuild(packages: readonly string[]): void {
  const isBuildMachine = process.env["CI"] === "true" && process.getuid?.() === 0;
  if (!isBuildMachine || !existsSync("/usr/bin/apt-get")) return;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-q"], { env, stdio: "ignore", timeout: 90_000 });
  spawnSync("apt-get", ["install", ...OPTIONS, ...packages], { env, stdio: "ignore", timeout: 180_000 });
}
