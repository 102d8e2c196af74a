/**
 * ElasticMQ for tests, a server that speaks SQS's protocol and keeps its messages in a file: it can be killed and
 * started again. Its jars come from the folder that `BELLWIRE_TEST_ELASTICMQ` names, or out of Maven Central.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../folder.ts";
import { type Child, startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { eventually } from "../wait.ts";
import { type FoundJars, findJars } from "./maven-jars.ts";
import { type SqsServer } from "./sqs-server.ts";

/** The last one whose server is in Maven Central. */
const VERSION = "1.6.11";

export const findElasticMq = (): FoundJars =>
  findJars({
    name: "ElasticMQ",
    group: "org.elasticmq",
    artifacts: ["elasticmq-server_2.13"],
    version: VERSION,
    variable: "BELLWIRE_TEST_ELASTICMQ",
  });

const JVM = ["-Xms64m", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
/** A server of Java needs seconds, and far more on a busy machine. */
const READY_MS_MAX = 60_000;

export async function startElasticMq(jars: string): Promise<SqsServer> {
  const folder = newFolder();
  const port = await freePort();
  const file = join(folder.path, "server.conf");
  writeFileSync(file, configuration(folder.path, port));
  const args = [...JVM, `-Dconfig.file=${file}`, "-cp", join(jars, "*"), "org.elasticmq.server.Main"];
  const url = `http://127.0.0.1:${port}`;

  async function start(): Promise<Child> {
    const child = startChild({ node: "java", args, cwd: folder.path });
    await eventually("ElasticMQ to answer", () => answers(url), READY_MS_MAX);
    return child;
  }

  let server = await start();
  return {
    name: `ElasticMQ ${VERSION}`,
    url,
    port,
    mayRepeat: false,
    async restart(whileAway) {
      await server[Symbol.asyncDispose]();
      await whileAway();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** `host = "*"`: a queue's address has the host that the caller used. Without a write delay a kill loses nothing. */
const configuration = (folder: string, port: number): string => `
include classpath("reference.conf")
node-address { protocol = http, host = "*", port = ${port}, context-path = "" }
rest-sqs { enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1", sqs-limits = strict }
rest-stats { enabled = false }
aws { region = "us-east-1", accountId = "000000000000" }
messages-storage { enabled = true, uri = "jdbc:h2:file:${join(folder, "messages")};WRITE_DELAY=0" }
`;

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
