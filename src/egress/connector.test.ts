/** The connector when its two checks disagree; a refused socket carries no byte. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { ok } from "../lib/result.ts";
import { systemClock } from "../lib/clock.ts";
import { type Connect, type Vetting, createConnector } from "./connector.ts";
import { createTlsClient } from "./open-tls.ts";

function connect(vetting: Vetting, port: number): ReturnType<Connect> {
  const tls = createTlsClient({ clock: systemClock });
  const toReceiver = createConnector(vetting, { clock: systemClock, deadlineMs: 1_000, tls, owner: "acct-1" });
  return toReceiver({ hostname: "hook.test", port: `${port}`, protocol: "http:" });
}

test("closes the socket when the address that was reached is refused", async () => {
  await using receiver = await startReceiver();
  const reached: [string, number][] = [];
  const connected = await connect(
    {
      vetHost: () => Promise.resolve(ok(["127.0.0.1"])),
      vetReached(address, port) {
        reached.push([address, port]);
        return { kind: "blocked", message: "refused after all" };
      },
    },
    receiver.port,
  );
  assert.deepEqual(connected, { ok: false, error: { kind: "blocked", message: "refused after all" } });
  assert.deepEqual(reached, [["127.0.0.1", receiver.port]]);
  await receiver.allClosed();
  assert.equal(receiver.requests.length, 0);
});

test("connects nowhere when the first check gives no address", async () => {
  await using canary = await startReceiver();
  const vetting: Vetting = { vetHost: () => Promise.resolve(ok([])), vetReached: () => null };
  assert.equal((await connect(vetting, canary.port)).ok, false);
  assert.equal(canary.connectionCount(), 0);
});
