/** The machine's own addresses: the real ones are found, and are not read at every check. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { createOwnAddresses } from "./own-addresses.ts";

test("lists the loopback address of this machine", () => {
  const addresses = createOwnAddresses(createVirtualClock())();
  assert.ok(addresses.includes("127.0.0.1"), addresses.join(" "));
});

test("reads the interfaces again after five seconds", async () => {
  const clock = createVirtualClock();
  let reads = 0;
  const own = createOwnAddresses(clock, () => [`10.0.0.${(reads += 1)}`]);
  assert.deepEqual([...own(), ...own()], ["10.0.0.1", "10.0.0.1"]);
  await clock.advance(4_999);
  assert.deepEqual(own(), ["10.0.0.1"]);
  await clock.advance(1);
  assert.deepEqual(own(), ["10.0.0.2"]);
});
