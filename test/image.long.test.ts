/** The images as operators build and run them: from the Dockerfiles as they stand, by a real engine. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Agent, request } from "undici";
import { BROKERS } from "../bridge/brokers.ts";
import { verify } from "../src/receiver/verify-event.ts";
import { setUpAccount } from "./kit/process/account.ts";
import type { Child } from "./kit/process/child.ts";
import { newFolder } from "./kit/folder.ts";
import { sessionRecord } from "./kit/process/records.ts";
import { type Composed, noCompose, startComposed } from "./kit/servers/composed.ts";
import { type Engine, NO_IMAGES, openEngine } from "./kit/servers/images.ts";
import { startNodeIn } from "./kit/servers/node-in-image.ts";
import { type Behaviour, startReceiver } from "./kit/servers/receiver.ts";
import { eventually, pause, soon } from "./kit/wait.ts";
import { listValues, parseDockerfile } from "./dockerfile.ts";
import { ROOT, SECONDS_TO_STOP, read } from "./deployment.ts";

const { version: VERSION } = JSON.parse(read("package.json")) as { version: string };
const IMAGE = `bellwire:${VERSION}`;
const BYTES_MAX = 160e6;
/** A receiver that answers later than most, within the time that a stop gives to what is under way. */
const SLOW_MS = 14_000;

/** Lines that a first start and a stop write for people; anything else on standard error is a fault. */
const GREETING = /^$|^Bellwire (?:is running at|has stopped)|^This is its first start|^ {2}(?:Intake|Sign-in|First)/;

/** An address where nothing listens, as each broker's is written. */
const NOWHERE: Readonly<Record<string, string>> = {
  nats: "nats://127.0.0.1:1",
  kafka: "127.0.0.1:1",
  sqs: "us-east-1,http://127.0.0.1:1",
  rabbitmq: "amqp://127.0.0.1:1",
};

/** Those whose values stand in the Dockerfile. */
function parseLabels(): Record<string, string> {
  const lines = parseDockerfile(read("Dockerfile")).flatMap((stage) => listValues(stage, "LABEL"));
  const pairs = lines.flatMap((line) => [...line.matchAll(/(\S+)="([^"$]*)"/g)]);
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value]));
}

/** An alert of `acct-e2e` to this receiver, on the database of the Compose file. Gives the account's secret. */
async function setUpComposed(composed: Composed, url: string): Promise<string> {
  using folder = newFolder();
  writeFileSync(`${folder.path}/encryption-key`, composed.secretOf("encryption-key"), { mode: 0o600 });
  const database = composed.secretOf("database").replace("@postgres/", `@${await composed.addressOf("postgres")}/`);
  return await setUpAccount({
    dataDir: folder.path,
    database,
    egressAllow: `${composed.machine}/32`,
    alerts: [{ url }],
  });
}

/** What a caller sees of the nodes, through Caddy, whose certificate is its own. */
function openCaddy(apiKey: string) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  async function post(): Promise<string> {
    const body = sessionRecord(randomUUID());
    const url = "https://localhost/v1/accounts/acct-e2e/demo-sessions";
    const { statusCode, body: answer } = await request(url, { method: "POST", headers, body, dispatcher });
    const text = await answer.text();
    return statusCode === 202 ? "202" : `${new Date().toISOString()} ${statusCode} ${text}`;
  }
  return {
    get: async (path: string) => (await request(`https://localhost${path}`, { dispatcher })).statusCode,
    /** One after the other, so that each answer is known. */
    postUntilStopped() {
      const answers: string[] = [];
      let isOver = false;
      const ended = (async () => {
        while (!isOver) answers.push(await post());
      })();
      const stop = async () => {
        isOver = true;
        await ended;
      };
      return { answers, stop };
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

describe("the built image", { skip: NO_IMAGES, timeout: 900_000 }, () => {
  const base = parseDockerfile(read("Dockerfile"))[0]?.image ?? "";
  let engine: Engine;
  before(async () => {
    engine = openEngine(ROOT, base);
    await engine.build({ file: "Dockerfile", tag: IMAGE, args: { REVISION: "of-the-test" } });
  });
  after(() => engine?.[Symbol.dispose]());

  const startNode = (behaviour: Behaviour = {}) => startNodeIn(engine, IMAGE, behaviour);

  async function stops(child: Child): Promise<void> {
    child.kill("SIGTERM");
    assert.deepEqual(await child.exited, { code: 0, signal: null }, child.err.text);
  }

  test("is small, holds what the service runs and no data of tests, and says which version it is", () => {
    const list = 'console.log(require("node:fs").readdirSync("/app", { recursive: true }).join("\\n"))';
    const files = engine.output(IMAGE, ["node", "-e", list]).split("\n");
    assert.ok(files.includes("lib/main.js"));
    const odd = files.filter((path) => /\.test\.|\.ts$|conformance\/|golden\/|corpus\.json$|node_modules/.test(path));
    assert.deepEqual(odd, []);
    assert.ok(engine.bytesOf(IMAGE) < BYTES_MAX, `${Math.round(engine.bytesOf(IMAGE) / 1e6)} MB`);
    assert.deepEqual(engine.labelsOf(IMAGE), {
      ...parseLabels(),
      "org.opencontainers.image.version": VERSION,
      "org.opencontainers.image.revision": "of-the-test",
    });
  });

  test("delivers a signed webhook from a read-only root, is healthy, and stops when it is asked to", async () => {
    await using node = await startNode();
    assert.equal(await node.post(), 202);
    await soon(node.receiver.received(1), "the webhook");
    const [webhook] = node.receiver.requests;
    assert.equal(verify(webhook?.body ?? "", webhook?.headers ?? {}, node.secret).valid, true);
    for (const path of ["healthz", "readyz"]) assert.equal((await request(`${node.url}/${path}`)).statusCode, 200);
    await stops(node.child);
    assert.deepEqual(
      node.child.err.all.filter((line) => !GREETING.test(line)),
      [],
    );
  });

  test("waits at its stop for a receiver that takes 14 s", async () => {
    await using node = await startNode({ delayMs: SLOW_MS });
    assert.equal(await node.post(), 202);
    await soon(node.receiver.received(1), "the request");
    await stops(node.child);
    assert.equal(node.receiver.requests.length, 1);
    const doctor = engine.run({ ...node.params, args: ["doctor"] });
    assert.deepEqual(await doctor.exited, { code: 0, signal: null }, doctor.out.text);
    assert.doesNotMatch(doctor.out.text, /✗/);
  });

  test("loses nothing by SIGKILL, and a backup that its own command makes is restored", async () => {
    await using node = await startNode();
    const posts = 50;
    for (let count = 0; count < posts; count++) assert.equal(await node.post(), 202);
    engine.kill(node.name);
    await node.child.exited;
    for (const args of [["backup", "--to", "/data/copy.db"], ["restore", "--from", "/data/copy.db"], ["adopt"]]) {
      await using command = engine.run({ ...node.params, args });
      assert.deepEqual(await command.exited, { code: 0, signal: null }, command.err.text);
    }
    await using again = engine.run(node.params);
    await again.err.match(/^Bellwire is running/);
    await soon(node.receiver.received(posts), "every webhook");
    const ids = new Set(node.receiver.requests.map(({ headers }) => headers["webhook-id"]));
    assert.equal(ids.size, posts);
    await stops(again);
  });

  test(
    "behind Compose each node is stopped under load: nothing refused, lost or twice",
    { skip: noCompose() },
    async () => {
      const [, script = ""] = /```sh\n(mkdir[\s\S]*?)```/.exec(read("docs/containers.md")) ?? [];
      await using composed = await startComposed(engine, { root: ROOT, base, script });
      await using receiver = await startReceiver({}, { host: composed.machine });
      const secret = await setUpComposed(composed, receiver.url);
      await using client = openCaddy(composed.secretOf("api-key"));
      await eventually("a node behind Caddy", async () => (await client.get("/").catch(() => 0)) === 200);
      assert.equal(await client.get("/metrics"), 404);
      const posting = client.postUntilStopped();
      for (const service of ["bellwire-1", "bellwire-2"]) {
        const enough = posting.answers.length + 50;
        await eventually("webhooks to flow", () => posting.answers.length > enough);
        await composed.compose("stop", "--timeout", `${SECONDS_TO_STOP}`, service);
        assert.match(await composed.logOf(service), /Bellwire has stopped/);
        await composed.compose("start", service);
        const url = `http://${await composed.addressOf(service)}:7070/readyz`;
        await eventually("the node to be back", async () => (await request(url).catch(() => null))?.statusCode === 200);
        // Caddy asks every two seconds, and says nowhere outside what it was answered.
        await pause(5_000);
      }
      await posting.stop();
      assert.deepEqual([...new Set(posting.answers)], ["202"], await composed.logOf("caddy"));
      await soon(receiver.received(posting.answers.length), "every webhook");
      const ids = new Set(receiver.requests.map(({ headers }) => headers["webhook-id"]));
      assert.deepEqual([ids.size, receiver.requests.length], [posting.answers.length, posting.answers.length]);
      const [webhook] = receiver.requests;
      assert.equal(verify(webhook?.body ?? "", webhook?.headers ?? {}, secret).valid, true);
    },
  );

  for (const [name, { packages }] of Object.entries(BROKERS)) {
    test(`has a bridge to ${name} whose broker refuses it, and says nothing else`, async () => {
      const tag = `bellwire-bridge:${name}`;
      await engine.build({ file: "bridge/Dockerfile", tag, args: { CLIENTS: packages.join(" ") } });
      const env = {
        BELLWIRE_API_KEY: "intake-key-of-a-bridge",
        BELLWIRE_BRIDGE_PORT: "0",
        BELLWIRE_BRIDGE_BROKER: NOWHERE[name] ?? "",
        BELLWIRE_BRIDGE_SOURCE: "records",
        BELLWIRE_BRIDGE_DEAD_LETTERS: "refused",
        ...(name === "sqs" && { BELLWIRE_BRIDGE_USER: "key", BELLWIRE_BRIDGE_PASSWORD: "secret" }),
      };
      await using child = engine.run({ tag, args: ["bridge", name], env });
      await child.out.match(/"msg":"bridge\.broker_failed"/);
      assert.match(child.out.text, /refused|Cannot connect/i);
      assert.deepEqual(
        child.err.all.filter((line) => !line.startsWith("The bridge to ")),
        [],
      );
      child.kill("SIGTERM");
      assert.deepEqual(await child.exited, { code: 0, signal: null });
    });
  }
});
