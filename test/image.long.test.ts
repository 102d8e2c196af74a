/** The images as operators build and run them: from the Dockerfiles as they stand, by a real engine. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { request } from "undici";
import { BROKERS } from "../src/bridge/brokers.ts";
import { verify } from "../src/receiver/verify-event.ts";
import { setUpAccount } from "./kit/process/account.ts";
import { newFolder } from "./kit/folder.ts";
import { sessionRecord } from "./kit/process/records.ts";
import { type Engine, NO_IMAGES, openEngine } from "./kit/servers/images.ts";
import { startReceiver } from "./kit/servers/receiver.ts";
import { soon } from "./kit/wait.ts";
import { parseDockerfile } from "./dockerfile.ts";
import { ROOT, read } from "./deployment.ts";

const IMAGE = "bellwire:0.1.0";
/** What we add to the image of Node: 27 MB when it was first built. */
const OWN_BYTES_MAX = 40e6;

/** Lines that a first start and a stop write for people; anything else on standard error is a fault. */
const GREETING = /^$|^Bellwire (?:is running at|has stopped)|^This is its first start|^ {2}(?:Intake|Sign-in|First)/;

/** An address where nothing listens, as each broker's is written. */
const NOWHERE: Readonly<Record<string, string>> = {
  nats: "nats://127.0.0.1:1",
  kafka: "127.0.0.1:1",
  sqs: "us-east-1,http://127.0.0.1:1",
  rabbitmq: "amqp://127.0.0.1:1",
};

describe("the built image", { skip: NO_IMAGES, timeout: 900_000 }, () => {
  const base = parseDockerfile(read("Dockerfile"))[0]?.image ?? "";
  let engine: Engine;
  before(() => {
    engine = openEngine(ROOT, base);
    engine.build({ file: "Dockerfile", tag: IMAGE });
  });
  after(() => engine?.[Symbol.dispose]());

  test("holds what the service runs, and no test or data of tests", () => {
    const files = engine.output(IMAGE, ["find", "/app/src", "/app/web", "/app/bin", "-type", "f"]).split("\n");
    assert.ok(files.includes("/app/src/main.ts"));
    const odd = files.filter((path) => /\.test\.ts$|\/conformance\/|\/golden\/|corpus\.json$/.test(path));
    assert.deepEqual(odd, []);
    const bytes = engine.bytesOf(IMAGE) - engine.bytesOf(base);
    assert.ok(bytes < OWN_BYTES_MAX, `${Math.round(bytes / 1e6)} MB of our own`);
  });

  test("delivers a signed webhook from a read-only root, then stops when it is asked to", async () => {
    using folder = newFolder();
    await using receiver = await startReceiver();
    const secret = await setUpAccount({ dataDir: folder.path, alerts: [{ url: receiver.url }] });
    const apiKey = readFileSync(`${folder.path}/intake-key`, "utf8").trim();
    await using child = engine.run({
      tag: IMAGE,
      // The folder is this user's, as a volume would be the image's.
      options: [`--user=${process.getuid?.()}`, `--volume=${folder.path}:/data`],
      env: { BELLWIRE_HOST: "127.0.0.1", BELLWIRE_PORT: "0", BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" },
    });
    const [, port = ""] = await child.err.match(/^Bellwire is running at http:\/\/localhost:(\d+)$/);
    const answer = await request(`http://127.0.0.1:${port}/v1/accounts/acct-e2e/demo-sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: sessionRecord(randomUUID()),
    });
    assert.equal(answer.statusCode, 202, await answer.body.text());
    await soon(receiver.received(1), "the webhook");
    const [webhook] = receiver.requests;
    assert.equal(verify(webhook?.body ?? "", webhook?.headers ?? {}, secret).valid, true);
    child.kill("SIGTERM");
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    const odd = child.err.all.filter((line) => !GREETING.test(line));
    assert.deepEqual(odd, []);
  });

  for (const [name, { packages }] of Object.entries(BROKERS)) {
    test(`has a bridge to ${name} whose broker refuses it, and says nothing else`, async () => {
      const tag = `bellwire-bridge:${name}`;
      engine.build({ file: "ops/bridge/Dockerfile", tag, args: { CLIENTS: packages.join(" ") } });
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
