/**
 * A real Kafka for tests, one node in KRaft mode. It listens without protection, and with TLS and names; it lives in a
 * temporary folder, keeps its ports when it is killed and started again, and ends with the test's process.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { newFolder } from "../folder.ts";
import { type Child, startChild } from "../process/child.ts";
import { freePort } from "../process/running.ts";
import { makeAuthority } from "../servers/certificates.ts";
import { eventually } from "../wait.ts";

/** Whom the protected listener knows, by each mechanism. */
export const KAFKA_USER = { name: "bridge", password: "bridge secret" };

export interface KafkaServer extends AsyncDisposable {
  /** `127.0.0.1:port`, open to everybody. */
  readonly address: string;
  /** TLS, and a name with its password. */
  readonly protectedAddress: string;
  /** PEM: the authority that signed the protected listener's certificate. */
  readonly authority: string;
  /** As a crash would: `kill -9`. */
  crash(): Promise<void>;
  /** On the same ports, with what it had stored. */
  start(): Promise<void>;
}

const JVM = ["-Xms64m", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
const CLUSTER_ID = "YmVsbHdpcmUtdGVzdHMtMQ";
/** A server of Java needs seconds, and far more on a busy machine. */
const READY_MS_MAX = 60_000;

export async function startKafkaServer(jars: string): Promise<KafkaServer> {
  const folder = newFolder();
  const ports = [await freePort(), await freePort(), await freePort()];
  const authority = makeAuthority("Kafka's CA");
  const file = join(folder.path, "server.properties");
  writeFileSync(file, properties(folder.path, ports, authority.issue("localhost")));
  const java = (program: string, ...args: string[]): string[] => [...JVM, "-cp", join(jars, "*"), program, ...args];
  execFileSync("java", java("kafka.tools.StorageTool", ...formatArgs(file)), { stdio: "ignore" });
  let server: Child | null = null;

  async function crash(): Promise<void> {
    await server?.[Symbol.asyncDispose]();
    server = null;
  }

  async function start(): Promise<void> {
    server = startChild({ node: "java", args: java("kafka.Kafka", file), cwd: folder.path });
    await Promise.all(ports.slice(0, 2).map(untilListening));
  }

  await start();
  return {
    address: `127.0.0.1:${ports[0]}`,
    protectedAddress: `localhost:${ports[1]}`,
    authority: authority.certificate,
    crash,
    start,
    async [Symbol.asyncDispose]() {
      await crash();
      folder[Symbol.dispose]();
    },
  };
}

function formatArgs(file: string): string[] {
  const { name, password } = KAFKA_USER;
  const users = ["256", "512"].map((bits) => `SCRAM-SHA-${bits}=[name=${name},password=${password}]`);
  return ["format", "-t", CLUSTER_ID, "-c", file, ...users.flatMap((user) => ["--add-scram", user])];
}

function properties(
  folder: string,
  [open, secured, controller]: readonly number[],
  { certificate, key }: { readonly certificate: string; readonly key: string },
): string {
  const oneLine = (pem: string): string => pem.trim().replaceAll("\n", " \\\n ");
  const login = "org.apache.kafka.common.security";
  const listener = "listener.name.sasl_ssl";
  const { name, password } = KAFKA_USER;
  return [
    "process.roles=broker,controller",
    "node.id=1",
    `controller.quorum.voters=1@127.0.0.1:${controller}`,
    `listeners=PLAINTEXT://127.0.0.1:${open},SASL_SSL://127.0.0.1:${secured},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${open},SASL_SSL://localhost:${secured}`,
    "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL",
    "controller.listener.names=CONTROLLER",
    "inter.broker.listener.name=PLAINTEXT",
    "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    `${listener}.plain.sasl.jaas.config=${login}.plain.PlainLoginModule required user_${name}="${password}";`,
    ...["256", "512"].map(
      (bits) => `${listener}.scram-sha-${bits}.sasl.jaas.config=${login}.scram.ScramLoginModule required;`,
    ),
    "ssl.keystore.type=PEM",
    `ssl.keystore.certificate.chain=${oneLine(certificate)}`,
    `ssl.keystore.key=${oneLine(key)}`,
    `log.dirs=${join(folder, "data")}`,
    "offsets.topic.num.partitions=4",
    "offsets.topic.replication.factor=1",
    "transaction.state.log.num.partitions=1",
    "transaction.state.log.replication.factor=1",
    "transaction.state.log.min.isr=1",
    "group.initial.rebalance.delay.ms=0",
    "num.network.threads=2",
    "num.io.threads=2",
    "log.retention.check.interval.ms=1000",
    "",
  ].join("\n");
}

async function untilListening(port: number): Promise<void> {
  const isListening = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
  await eventually(`something listens on port ${port}`, isListening, READY_MS_MAX);
}
