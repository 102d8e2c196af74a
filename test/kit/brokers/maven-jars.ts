/**
 * A program of Java for tests: its jars and those that it needs, out of Maven Central into a cache folder beside the
 * packages.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const CACHE = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache");
/** Fifty megabytes take 10 s. */
const FETCH_MS_MAX = 60_000;

export interface JavaProgram {
  /** For people. */
  readonly name: string;
  readonly group: string;
  readonly artifacts: readonly string[];
  readonly version: string;
  /** The variable that may name a folder of jars, or say `none`. */
  readonly variable: string;
}

export type FoundJars = { readonly jars: string } | { readonly missing: string };

/** The folder with the jars, or the line that says why there is none. */
export function findJars(wanted: JavaProgram): FoundJars {
  const { name, variable, version, artifacts } = wanted;
  const given = process.env[variable];
  if (given === "none") return { missing: `${name} was not tested: ${variable} says none` };
  if (given !== undefined) return { jars: given };
  if (!runs("java", ["-version"])) return { missing: `${name} was not tested: there is no java (17 or later) here` };
  const folder = join(CACHE, `${artifacts.join("+")}-${version}`);
  if (existsSync(folder) || fetchInto(folder, wanted)) return { jars: folder };
  return { missing: `${name} was not tested: there is no mvn here to bring it, and ${variable} names no jars` };
}

/** Several files of tests may ask at once: the first one to end gives the folder its name. */
function fetchInto(target: string, wanted: JavaProgram): boolean {
  mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(`${target}.`);
  try {
    writeFileSync(join(draft, "pom.xml"), toPom(wanted));
    const jars = join(draft, "jars");
    // A jar that is not as its checksum says is an error, where Maven only warns.
    const goal = [
      "-q",
      "-B",
      "--strict-checksums",
      "-f",
      draft,
      "dependency:copy-dependencies",
      `-DoutputDirectory=${jars}`,
    ];
    if (runs("mvn", goal) && !existsSync(target)) renameSync(jars, target);
    return existsSync(target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const toDependency = ({ group, version }: JavaProgram, artifact: string): string =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>` +
  `<version>${version}</version></dependency>`;

const toPom = (wanted: JavaProgram): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bellwire</groupId><artifactId>tests</artifactId><version>1</version>
  <dependencies>${wanted.artifacts.map((each) => toDependency(wanted, each)).join("")}</dependencies>
</project>
`;

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore", timeout: FETCH_MS_MAX }).status === 0;
}
