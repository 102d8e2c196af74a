/** Where a bridge finds intake and its key, and a key that changes in its file while the bridge runs. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../test/kit/folder.ts";
import { createVirtualClock } from "../test/kit/world/virtual-clock.ts";
import { toValue } from "../test/kit/world/world.ts";
import { findIntake } from "./intake.ts";
import { readBridgeSettings } from "./settings.ts";

const NEEDED = {
  BELLWIRE_BRIDGE_BROKER: "nats://nats:4222",
  BELLWIRE_BRIDGE_SOURCE: "records",
  BELLWIRE_BRIDGE_DEAD_LETTERS: "refused",
};
const [FIRST, SECOND, THIRD] = ["first-key-0123456789", "second-key-012345678", "third-key-0123456789"];

function find(env: Readonly<Record<string, string>>) {
  const clock = createVirtualClock(0);
  const told: string[] = [];
  const news = {
    changed: (name: string) => void told.push(`${name} changed`),
    refused: (name: string) => void told.push(`${name} refused`),
  };
  const intake = findIntake(toValue(readBridgeSettings({ ...NEEDED, ...env })), env, { clock, news });
  return { intake, told, passSecond: () => clock.advance(1_000) };
}

test("the service is the one that the setting names, else the one on this machine", () => {
  const urlOf = (env: Readonly<Record<string, string>>) =>
    toValue(find({ BELLWIRE_API_KEY: FIRST, ...env }).intake).url;
  assert.equal(urlOf({}), "http://127.0.0.1:7070");
  assert.equal(urlOf({ BELLWIRE_HOST: "0.0.0.0", BELLWIRE_PORT: "8080" }), "http://127.0.0.1:8080");
  assert.equal(urlOf({ BELLWIRE_HOST: "::" }), "http://[::1]:7070");
  assert.equal(urlOf({ BELLWIRE_BRIDGE_SERVICE_URL: "https://hooks.example.com/b/" }), "https://hooks.example.com/b");
});

test("of several keys the first one is used", () => {
  assert.equal(toValue(find({ BELLWIRE_API_KEY: `${FIRST},${SECOND}` }).intake).key(), FIRST);
});

for (const what of ["a setting names", "is in the service's data folder"] as const) {
  test(`a key that changes in the file that ${what} is used within a second, and a bad one is not`, async () => {
    using folder = newFolder();
    const path = join(folder.path, "intake-key");
    const isNamed = what === "a setting names";
    const name = isNamed ? "BELLWIRE_API_KEY_FILE" : path;
    writeFileSync(path, `${FIRST}\n`);
    const { intake, told, passSecond } = find(
      isNamed ? { BELLWIRE_API_KEY_FILE: path } : { BELLWIRE_DATA_DIR: folder.path },
    );
    const { key } = toValue(intake);
    assert.equal(key(), FIRST);
    writeFileSync(path, `${SECOND},${THIRD}\n`);
    await passSecond();
    assert.equal(key(), SECOND);
    for (const bad of ["short", null]) {
      if (bad === null) rmSync(path);
      else writeFileSync(path, bad);
      await passSecond();
      assert.equal(key(), SECOND);
    }
    assert.deepEqual(told, [`${name} changed`, `${name} refused`, `${name} refused`]);
  });
}

test("without a key anywhere it is said where one belongs", () => {
  using folder = newFolder();
  const { intake } = find({ BELLWIRE_DATA_DIR: folder.path });
  assert.ok(!intake.ok);
  assert.match(intake.error, /^BELLWIRE_API_KEY or BELLWIRE_API_KEY_FILE must be set .* or BELLWIRE_DATA_DIR to the/);
});
