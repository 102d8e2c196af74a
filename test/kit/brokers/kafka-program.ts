/**
 * Kafka's jars: a folder that `BELLWIRE_TEST_KAFKA` names (a Kafka's `libs`), or out of Maven Central into a cache
 * folder beside the packages. `BELLWIRE_TEST_KAFKA=none` asks for nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const VERSION = "3.9.1";
const CACHE = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache", `kafka-${VERSION}`);
/** 46 MB take 10 s. */
const FETCH_MS_MAX = 60_000;

/** The folder with the jars, or the line that says why there is none. */
export function findKafka(): { readonly jars: string } | { readonly missing: string } {
  const given = process.env["BELLWIRE_TEST_KAFKA"];
  if (given === "none") return { missing: "Kafka was not tested: BELLWIRE_TEST_KAFKA says none" };
  if (given !== undefined) return { jars: given };
  if (!runs("java", ["-version"])) return { missing: "Kafka was not tested: there is no java (17 or later) here" };
  if (existsSync(CACHE) || fetchInto(CACHE)) return { jars: CACHE };
  return { missing: "Kafka was not tested: there is no mvn here to bring it, and BELLWIRE_TEST_KAFKA names no jars" };
}

/** Several files of tests may ask at once: the first one to end gives the folder its name. */
function fetchInto(target: string): boolean {
  mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(`${target}.`);
  try {
    writeFileSync(join(draft, "pom.xml"), POM);
    const jars = join(draft, "jars");
    const goal = ["-q", "-B", "-f", draft, "dependency:copy-dependencies", `-DoutputDirectory=${jars}`];
    if (runs("mvn", goal) && !existsSync(target)) renameSync(jars, target);
    return existsSync(target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bellwire</groupId><artifactId>tests</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version>
  </dependency></dependencies>
</project>
`;

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore", timeout: FETCH_MS_MAX }).status === 0;
}
