/** The broker's client is found in the data folder's `clients`, and the sentence that asks for it names that folder. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../test/kit/folder.ts";
import { BROKERS } from "./brokers.ts";
import { askForClients, findClients } from "./clients.ts";
import type { Broker } from "./port.ts";

const BROKER: Broker = {
  title: "Example",
  packages: ["@bellwire-example/client@1.0.0", "bellwire-example@2.0.0"],
  open: () => Promise.reject(new Error("is not opened here")),
};

/** By a variable: the compiler looks for no such package. */
const importByName = async (name: string): Promise<unknown> => (await import(name)).default;

test("a client that is not beside the program is taken out of the data folder", async () => {
  using folder = newFolder();
  for (const name of ["@bellwire-example/client", "bellwire-example", "bellwire-example-other"]) {
    const place = join(folder.path, "clients", "node_modules", name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), '{ "type": "module", "exports": "./index.js" }');
    writeFileSync(join(place, "index.js"), `export default "${name}";`);
  }
  const missing = { code: "ERR_MODULE_NOT_FOUND" };
  await assert.rejects(importByName("bellwire-example"), missing);
  using _ = findClients(BROKER, folder.path);
  assert.equal(await importByName("@bellwire-example/client"), "@bellwire-example/client");
  assert.equal(await importByName("bellwire-example"), "bellwire-example");
  await assert.rejects(importByName("bellwire-example-other"), missing);
});

test("a client that is beside the program comes from there", async () => {
  using folder = newFolder();
  const place = join(folder.path, "clients", "node_modules", "amqplib");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "main": "./none.js" }');
  using _ = findClients(BROKERS["rabbitmq"] ?? BROKER, folder.path);
  assert.ok(await importByName("amqplib"));
});

test("a client that is nowhere is asked for by the whole command, with its folder", () => {
  using folder = newFolder();
  assert.equal(
    askForClients(BROKER, folder.path),
    "The bridge to Example needs its clients: " +
      `npm install --prefix ${join(folder.path, "clients")} --save-exact ` +
      "@bellwire-example/client@1.0.0 bellwire-example@2.0.0",
  );
});
