/** What a release is made of, for programs: a bill of materials (CycloneDX), and where it comes from (SLSA). */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pagePackages, runTimePackages } from "../licences.ts";

const ROOT = join(import.meta.dirname, "..", "..");

export interface Made {
  readonly version: string;
  /** Empty without git. */
  readonly commit: string;
  /** Files differ from the commit's, so these bytes are not the commit's either. */
  readonly isDirty: boolean;
  readonly commitSeconds: number;
}

/** An image's context is no checkout: it has no commit, and a time only by SOURCE_DATE_EPOCH. */
export function readMade(root: string): Made {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const [commit = "", seconds] = git("log", "-1", "--format=%H %ct").split(" ");
    return { version, commit, isDirty: git("status", "--porcelain") !== "", commitSeconds: Number(seconds) };
  } catch {
    return { version, commit: "", isDirty: false, commitSeconds: Number(process.env["SOURCE_DATE_EPOCH"] ?? 0) };
  }
}

/** CycloneDX 1.6: the packages that are in the program and in the page, with the hashes that npm holds them to. */
export function billOfMaterials({ version, commitSeconds }: Made): unknown {
  const lock = readLock();
  const packages = new Map([...runTimePackages(), ...pagePackages()].map((each) => [each.path, each]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(commitSeconds * 1000).toISOString(),
      component: { type: "application", name: "bellwire", version, licenses: [{ license: { id: "MIT" } }] },
    },
    components: [...packages.values()].filter(isInside).map(({ name, version: own, licence, path }) => ({
      type: "library",
      "bom-ref": path,
      name,
      version: own,
      purl: `pkg:npm/${name.replace("@", "%40")}@${own}`,
      licenses: [{ license: { id: licence } }],
      hashes: hashes(lock.packages[path]?.integrity),
    })),
  };
}

/** Node comes from the machine or the image, not with the program. */
const isInside = ({ name }: { readonly name: string }): boolean => !/^node-(?:bin-)?(?:darwin|linux|win)/.test(name);

function hashes(integrity = ""): { alg: string; content: string }[] {
  const [, base64] = /^sha512-(.+)$/.exec(integrity) ?? [];
  return base64 === undefined ? [] : [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }];
}

/**
 * An in-toto statement: which files, of which commit, by which Node. It is not signed. Bytes of a checkout with changes
 * have no commit's digest, only the name that `git describe --dirty` would give them.
 */
export function provenance({ version, commit, isDirty }: Made, files: ReadonlyMap<string, string>): unknown {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...files].map(([name, hash]) => ({ name, digest: { sha256: hash } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "npm run release",
        externalParameters: { version },
        resolvedDependencies: [
          isDirty || commit === ""
            ? { uri: "bellwire", annotations: { describes: commit === "" ? "no commit" : `${commit}-dirty` } }
            : { uri: "bellwire", digest: { gitCommit: commit } },
        ],
      },
      runDetails: { builder: { id: `node ${process.versions.node}` } },
    },
  };
}

const readLock = () =>
  JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string }>;
  };
