/**
 * bridge/README.md as its reader uses it: the commands of each broker's section make the places, the bridge runs with
 * the section's settings, the section's message becomes an event. Where a server or a tool is missing, a line says so.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openStage, recordText } from "./conformance/stage.ts";
import { read } from "../test/deployment.ts";
import { findKafka } from "../test/kit/brokers/kafka-program.ts";
import { KAFKA_USER, startKafkaServer } from "../test/kit/brokers/kafka-server.ts";
import { startNats } from "../test/kit/brokers/nats.ts";
import { findNats, findNatsCli } from "../test/kit/brokers/nats-program.ts";
import { openRabbitBroker } from "../test/kit/brokers/rabbitmq.ts";
import { createSettingsFiles } from "../test/kit/brokers/settings-files.ts";
import { SQS_USER, findSqsServer } from "../test/kit/brokers/sqs.ts";

interface Section {
  /** Before the settings, and behind them. */
  readonly before: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly behind: readonly string[];
}

/** A section's block: commands of a shell, and lines of settings between them. */
function readSection(title: string): Section {
  const [, text = ""] = read("bridge/README.md").split(`### ${title}\n`);
  const [, block = ""] = /^```\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const lines = block.trimEnd().split("\n");
  const isSetting = (line: string): boolean => /^BELLWIRE_\w+=/.test(line);
  const first = lines.findIndex(isSetting);
  const last = lines.findLastIndex(isSetting);
  assert.ok(first >= 0, `${title} has a block with settings`);
  const pairs = lines.filter(isSetting).map((line) => line.split(/=(.*)/, 2) as [string, string]);
  return { before: lines.slice(0, first), settings: Object.fromEntries(pairs), behind: lines.slice(last + 1) };
}

const has = (tool: string): boolean => spawnSync(tool, ["--version"]).error === undefined;

interface Place {
  readonly name: string;
  readonly section: Section;
  /** The page's names, with those of here, in commands and in settings. */
  readonly here: readonly (readonly [pattern: RegExp, text: string])[];
  readonly env?: Readonly<Record<string, string>>;
  /** Shell in front of the commands, such as a function in a program's place. */
  readonly preamble?: string;
}

async function works({ name, section, here, env = {}, preamble = "" }: Place): Promise<void> {
  await using stage = await openStage();
  using files = createSettingsFiles();
  writeFileSync(join(files.folder, "session.json"), recordText("demo_viewed", 1));
  const localize = (text: string): string => here.reduce((all, [pattern, own]) => all.replaceAll(pattern, own), text);
  const run = (lines: readonly string[]): void => {
    const script = ["set -euo pipefail", preamble, ...lines.map(localize)].join("\n");
    const ran = spawnSync("bash", ["-c", script], {
      cwd: files.folder,
      env: { ...process.env, ...env },
      encoding: "utf8",
      timeout: 300_000,
    });
    assert.equal(ran.status, 0, `${lines.join("\n")}\n${ran.stdout}${ran.stderr}`);
  };
  run(section.before);
  const settings = Object.entries(section.settings).map(([variable, text]) => [variable, localize(text)]);
  const bridge = await stage.startBridge(name, { env: { ...Object.fromEntries(settings), ...env } });
  run(section.behind);
  await stage.untilEvents(1);
  assert.deepEqual(
    stage.events().map(({ account, type }) => [account, type]),
    [["acme", "demo_viewed"]],
  );
  assert.equal(await bridge.stop(), 0);
}

describe("the commands of bridge/README.md", () => {
  const nats = findNats();
  test("for NATS", { skip: "missing" in nats && nats.missing }, async (t) => {
    assert.ok("path" in nats);
    await using server = await startNats(nats.path);
    const url = (await server.createSource()).env["BELLWIRE_BRIDGE_BROKER"] ?? "";
    const cli = findNatsCli();
    if ("missing" in cli) return t.skip(cli.missing);
    const here = [[/nats:\/\/nats\.internal:4222/g, url]] as const;
    const preamble = cli.folder === null ? "" : `PATH='${cli.folder}':"$PATH"`;
    await works({ name: "nats", section: readSection("NATS JetStream"), here, preamble, env: { NATS_URL: url } });
  });

  const rabbit = openRabbitBroker({ isManaged: true });
  test("for RabbitMQ", { skip: "missing" in rabbit && rabbit.missing }, async (t) => {
    assert.ok("start" in rabbit);
    if (!has("rabbitmqadmin")) return t.skip("RabbitMQ's commands were not run: there is no rabbitmqadmin here");
    await using server = await rabbit.start();
    await works({
      name: "rabbitmq",
      section: readSection("RabbitMQ"),
      here: [[/amqp:\/\/rabbit\.internal:5672/g, server.url]],
      preamble: `rabbitmqadmin() { command rabbitmqadmin --port ${server.managementPort} "$@"; }`,
    });
  });

  const kafka = findKafka();
  test("for Kafka", { skip: "missing" in kafka && kafka.missing }, async () => {
    assert.ok("jars" in kafka);
    await using server = await startKafkaServer(kafka.jars);
    using files = createSettingsFiles();
    const secrets = files.toFiles({ password: KAFKA_USER.password, ca: server.authority });
    const java = (program: string) => `java -Xmx128m -XX:TieredStopAtLevel=1 -cp '${join(kafka.jars, "*")}' ${program}`;
    await works({
      name: "kafka",
      section: readSection("Kafka"),
      here: [
        [/kafkas:\/\/kafka-1\.internal:9093,kafkas:\/\/kafka-2\.internal:9093/g, `kafkas://${server.protectedAddress}`],
        [/kafka:9092/g, server.address],
        [/\/run\/secrets\/kafka-password/g, secrets["password_FILE"] ?? ""],
        [/\/run\/secrets\/kafka-ca\.pem/g, secrets["ca_FILE"] ?? ""],
      ],
      preamble: [
        `kafka-topics.sh() { ${java("org.apache.kafka.tools.TopicCommand")} "$@"; }`,
        `kafka-console-producer.sh() { ${java("kafka.tools.ConsoleProducer")} "$@"; }`,
      ].join("\n"),
      env: { BELLWIRE_BRIDGE_USER: KAFKA_USER.name },
    });
  });

  test("for SQS", async (t) => {
    const found = await findSqsServer();
    if ("missing" in found) return t.skip(found.missing);
    await using server = await found.start();
    if (!has("aws")) return t.skip("SQS's commands were not run: there is no program aws here");
    await works({
      name: "sqs",
      section: readSection("SQS"),
      here: [[/^eu-central-1$/g, `eu-central-1,${server.url}`]],
      // Said with each command: none may ever reach the real one.
      preamble: `aws() { command aws --endpoint-url '${server.url}' "$@"; }`,
      env: {
        AWS_DEFAULT_REGION: "eu-central-1",
        AWS_ACCESS_KEY_ID: SQS_USER.name,
        AWS_SECRET_ACCESS_KEY: "secret",
        BELLWIRE_BRIDGE_USER: SQS_USER.name,
        BELLWIRE_BRIDGE_PASSWORD: "secret",
        URL: `${server.url}/000000000000/bellwire`,
      },
    });
  });
});
