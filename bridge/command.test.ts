/** The command `bridge` before it has a broker: what it says about a wrong call, and which clients it asks for. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeIo } from "../test/kit/world/fake-io.ts";
import { BROKERS } from "./brokers.ts";
import { bridge } from "./command.ts";

const KEY = { BELLWIRE_API_KEY: "bridge-intake-key-0123456789" };

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const fake = createFakeIo(args, { BELLWIRE_BRIDGE_PORT: "0", ...KEY, ...env });
  return { code: await bridge(fake.io), said: fake.err.join("\n") };
}

test("a call without a broker that there is gets the list of them", async () => {
  for (const args of [[], ["pulsar"], ["nats", "kafka"]]) {
    const { code, said } = await run(args);
    assert.equal(code, 2);
    assert.match(said, /^Name one broker: nats\|/);
  }
});

test("every setting that is missing is named at once", async () => {
  const { code, said } = await run(["nats"]);
  assert.equal(code, 1);
  for (const name of ["BROKER", "SOURCE", "DEAD_LETTERS"]) {
    assert.match(said, new RegExp(`BELLWIRE_BRIDGE_${name} must be set`));
  }
});

test("a broker's address that cannot be read is refused without its text", async () => {
  const env = { BELLWIRE_BRIDGE_SOURCE: "a", BELLWIRE_BRIDGE_DEAD_LETTERS: "b" };
  for (const broker of ["nats", "rabbitmq"]) {
    const { code, said } = await run([broker], { ...env, BELLWIRE_BRIDGE_BROKER: "http://name:canary@host" });
    assert.equal(code, 1);
    assert.match(said, /BELLWIRE_BRIDGE_BROKER must be like/);
    assert.ok(!said.includes("canary"));
  }
});

test("the clients that a bridge asks for are its own, optional, and those that it is tested with", () => {
  const readManifest = (folder: string) =>
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Readonly<
      Record<"peerDependencies" | "devDependencies" | "dependencies", Readonly<Record<string, string>>>
    > & { readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>> };
  const [own, service] = [readManifest(import.meta.dirname), readManifest(join(import.meta.dirname, ".."))];
  const page = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  const asked = Object.values(BROKERS).flatMap(({ packages }) => packages);
  assert.equal(asked.length, Object.keys(own.peerDependencies).length);
  for (const named of asked) {
    const [, name = "", version = ""] = /^(.+)@([^@]+)$/.exec(named) ?? [];
    assert.equal(own.peerDependencies[name], version);
    assert.equal(own.peerDependenciesMeta[name]?.optional, true);
    assert.equal(service.devDependencies[name], version);
    assert.equal(service.dependencies[name], undefined);
    assert.ok(page.includes(named), `bridge/README.md names ${named}`);
  }
});
