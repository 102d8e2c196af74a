/** The bridge as a container: its Dockerfile and its Compose file, against the program, the image and the guide. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { BROKERS } from "./brokers.ts";
import { openStage } from "./conformance/stage.ts";
import { BRIDGE_OPTIONS } from "./options.ts";
import { readBridgeSettings } from "./settings.ts";
import type { ReadSecretFile } from "../src/lib/settings/secret-files.ts";
import { ok } from "../src/lib/result.ts";
import { findComposeFaults } from "../test/compose-schema.ts";
import { SECONDS_TO_STOP, read, secretsBelow } from "../test/deployment.ts";
import { listValues, parseCommand, parseDockerfile } from "../test/dockerfile.ts";
import { openNatsBroker } from "../test/kit/brokers/nats.ts";
import { toValue } from "../test/kit/world/world.ts";

interface Part {
  readonly command: readonly [string, string];
  readonly build: { readonly context: string; readonly dockerfile: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly stop_grace_period: string;
}

const file = parse(read("bridge/compose.yaml")) as { readonly services: { readonly bridge: Part } };
const { bridge } = file.services;
const [, broker] = bridge.command;
const [clients, image, ...more] = parseDockerfile(read(bridge.build.dockerfile));
assert.ok(clients !== undefined && image !== undefined);
const healthCheck = parseCommand(image, "HEALTHCHECK");

describe("the bridge's container", () => {
  test("has an image with the clients that the bridge is tested with, whose user is the node's", () => {
    const nodes = parseDockerfile(read("Dockerfile"));
    assert.deepEqual(more, []);
    const packages = BROKERS[broker]?.packages.join(" ");
    assert.deepEqual(listValues(clients, "ARG"), [`CLIENTS="${packages}"`]);
    assert.deepEqual([clients.image, image.image?.split(":")[0]], [nodes[0]?.image, "bellwire"]);
    assert.deepEqual(listValues(image, "USER"), []);
    assert.ok(read("bridge/README.md").includes(`--build-arg CLIENTS="${packages}"`));
  });

  test("keeps the schema of Compose files, and fits the file of the nodes beside it", () => {
    assert.equal(findComposeFaults(file), "");
    const nodes = parse(read("compose.yaml"), { merge: true }) as {
      readonly services: object;
      readonly networks: object;
      readonly secrets: object;
    };
    const { secrets } = file as unknown as { readonly secrets: object };
    assert.ok(new URL(bridge.environment["BELLWIRE_BRIDGE_SERVICE_URL"] ?? "").hostname in nodes.services);
    for (const name of bridge.secrets) assert.ok(name in { ...nodes.secrets, ...secrets }, name);
    for (const name of (bridge as unknown as { networks: string[] }).networks) assert.ok(name in nodes.networks, name);
    assert.equal(bridge.command[0], "bridge");
  });

  test("sets settings that exist and are right, with its secrets in files", () => {
    const ofNodes = secretsBelow("/run/secrets");
    const readSecret: ReadSecretFile = (path) => (path.endsWith("/broker") ? ok("nats://nats:4222") : ofNodes(path));
    const config = toValue(readBridgeSettings(bridge.environment, readSecret));
    assert.deepEqual(config.bridgeBroker, ["nats://nats:4222"]);
    assert.equal(config.host, "0.0.0.0");
    assert.deepEqual(listValues(image, "EXPOSE"), [String(config.bridgePort)]);
    assert.ok(healthCheck.join(" ").includes(`BELLWIRE_BRIDGE_PORT || ${config.bridgePort}}/healthz`));
    const secret = new Set(
      Object.values(BRIDGE_OPTIONS).flatMap(({ variable, isSecret }) => (isSecret ? [variable] : [])),
    );
    assert.deepEqual(
      Object.keys(bridge.environment).filter((variable) => secret.has(variable)),
      [],
    );
  });

  test("has the time that it takes to stop, in the guide's command too", () => {
    assert.ok(Number.parseInt(bridge.stop_grace_period, 10) >= SECONDS_TO_STOP);
    const [, seconds = ""] = /--stop-timeout (\d+)/.exec(read("bridge/README.md")) ?? [];
    assert.ok(Number(seconds) >= SECONDS_TO_STOP);
  });
});

const found = openNatsBroker();
describe("the bridge's health check", { skip: "missing" in found && found.missing }, () => {
  test("is content with a bridge that runs, and not with one that has ended", async () => {
    assert.ok("start" in found);
    await using stage = await openStage();
    await using server = await found.start();
    await using running = stage.spawnBridge(broker, await server.createSource());
    const [, port = ""] = await running.err.match(/metrics at port (\d+)/);
    const [, ...args] = healthCheck;
    const check = () =>
      spawnSync(process.execPath, args, { env: { ...process.env, BELLWIRE_BRIDGE_PORT: port } }).status;
    assert.equal(check(), 0);
    running.kill("SIGTERM");
    assert.deepEqual(await running.exited, { code: 0, signal: null });
    assert.equal(check(), 1);
  });
});
