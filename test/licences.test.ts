/** Packages of others: every licence is one that we may pass on, and nothing runs a script when it is installed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  ALLOWED_LICENCES,
  documentLicences,
  pagePackages,
  runTimePackages,
  scriptedPackages,
} from "../tools/licences.ts";

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

  test("run no script when they are installed", () => assert.deepEqual(scriptedPackages(), []));

  test("are listed in THIRD-PARTY.md as they are", () => {
    const written = readFileSync(join(import.meta.dirname, "..", "THIRD-PARTY.md"), "utf8");
    assert.equal(written, documentLicences(), "run: npm run docs");
  });
});
