/**
 * Kills a service under load with `kill -9`, again and again, each time at another moment. Asserts that nothing
 * that was acknowledged is lost, and that every duplicate was in flight at a kill. Built-in and declared types travel
 * side by side, and the latter by each way in over HTTP.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { DECLARED_TYPES, EVENTS_FOLDER, LEAD_TYPE } from "../test/kit/declared-types.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { countEvents, checkIntegrity, pendingDeliveries } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { type Acknowledged, assertKept, createWitness, startLoad } from "../test/kit/process/oracle.ts";
import { soon } from "../test/kit/wait.ts";
import { runSend, startClient } from "./back-ends.ts";
import { type Running, drained, freePort, startService } from "../test/kit/process/running.ts";

/** A command takes a second to start. */
const COMMANDS = 3;

export async function killUnderLoad(t: TestContext, kills: number): Promise<void> {
  using folder = newFolder();
  await using first = await startReceiver();
  await using second = await startReceiver();
  await using slow = await startReceiver({ delayMs: 100 });
  await using chat = await startReceiver();
  await using own = await startReceiver();
  const receivers = [first, second, slow, chat, own];
  const dataDir = `${folder.path}/data`;
  await setUpAccount({
    dataDir,
    alerts: [{ url: first.url }, { url: second.url }, { url: slow.url, intentLevels: ["low"] }],
    assistants: { sales: chat.url, support: slow.url },
    webhooks: [{ url: own.url, events: [{ type: LEAD_TYPE }] }],
    types: DECLARED_TYPES,
  });

  const options = {
    dataDir,
    port: await freePort(),
    env: { BELLWIRE_EVENTS: EVENTS_FOLDER, BELLWIRE_LOG_LEVEL: "warn" },
  };
  const witness = createWitness(receivers);
  let service: Running = await startService(options);
  const load = startLoad(folder.path, [service], { assistants: ["sales", "support"], hasLeads: true, callers: 8 });
  const client = startClient(service);
  const commands: Acknowledged[] = [];
  await using processes = new AsyncDisposableStack();
  // Whichever life it is in then.
  processes.defer(() => service[Symbol.asyncDispose]());
  processes.use(load.child);

  for (let kill = 0; kill < kills; kill += 1) {
    const command = kill < COMMANDS ? runSend(service, dataDir) : null;
    // Always in full swing, and each time at another moment of it.
    await load.during(first.received(first.requests.length + 20 + Math.floor(Math.random() * 150)));
    await service.crash();
    // Bytes that the dead process had still written come first.
    await soon(Promise.all(receivers.map((receiver) => receiver.allClosed())), "the end of the sockets");
    witness.endLife(pendingDeliveries(dataDir));
    service = await startService(options);
    if (command !== null) commands.push(await command);
  }
  commands.push(await runSend(service, dataDir));
  const byClient = await client.end();
  const acknowledged = new Map([...(await load.end()), ...byClient, ...commands.flatMap((told) => [...told])]);
  await drained(service);
  const { code } = await service.stop();

  const found = witness.judge(acknowledged);
  t.diagnostic(
    `${kills} kills: ${found.acknowledged} acknowledged, ${found.deliveries} deliveries, ${found.lost.length} lost, ` +
      `${found.duplicates} duplicates of ${found.inFlight} in flight at the kills`,
  );
  assert.equal(code, 0);
  assert.ok(byClient.size > 0 && (commands.at(-1)?.size ?? 0) > 0, "a client and a command were heard");
  assert.ok(own.requests.length > kills, "a declared type was under way");
  assertKept(found);
  assert.deepEqual(found.unexplained, []);
  assert.ok(found.duplicates <= found.inFlight);
  // More are stored than acknowledged only where an answer was lost at a kill.
  assert.ok(countEvents(dataDir) >= found.acknowledged);
  assert.equal(pendingDeliveries(dataDir).size, 0);
  assert.equal(checkIntegrity(dataDir), "ok");
}
