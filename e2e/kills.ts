/**
 * Kills a service under load with `kill -9`, again and again, each time at another moment. Asserts that nothing
 * that was acknowledged is lost, and that every duplicate was in flight at a kill.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { countEvents, checkIntegrity, pendingDeliveries } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { assertKept, createWitness, startLoad } from "../test/kit/process/oracle.ts";
import { soon } from "../test/kit/wait.ts";
import { type Running, drained, freePort, startService } from "../test/kit/process/running.ts";

export async function killUnderLoad(t: TestContext, kills: number): Promise<void> {
  using folder = newFolder();
  await using first = await startReceiver();
  await using second = await startReceiver();
  await using slow = await startReceiver({ delayMs: 100 });
  await using chat = await startReceiver();
  const receivers = [first, second, slow, chat];
  const dataDir = `${folder.path}/data`;
  await setUpAccount({
    dataDir,
    alerts: [{ url: first.url }, { url: second.url }, { url: slow.url, intentLevels: ["low"] }],
    assistants: { sales: chat.url, support: slow.url },
  });

  const options = { dataDir, port: await freePort(), env: { BELLWIRE_LOG_LEVEL: "warn" } };
  const witness = createWitness(receivers);
  let service: Running = await startService(options);
  const load = startLoad(folder.path, [service], { assistants: ["sales", "support"], callers: 8 });
  await using processes = new AsyncDisposableStack();
  // Whichever life it is in then.
  processes.defer(() => service[Symbol.asyncDispose]());
  processes.use(load.child);

  for (let kill = 0; kill < kills; kill += 1) {
    // Always in full swing, and each time at another moment of it.
    await load.during(first.received(first.requests.length + 20 + Math.floor(Math.random() * 150)));
    await service.crash();
    // Bytes that the dead process had still written come first.
    await soon(Promise.all(receivers.map((receiver) => receiver.allClosed())), "the end of the sockets");
    witness.endLife(pendingDeliveries(dataDir));
    service = await startService(options);
  }
  const acknowledged = await load.end();
  await drained(service);
  const { code } = await service.stop();

  const found = witness.judge(acknowledged);
  t.diagnostic(
    `${kills} kills: ${found.acknowledged} acknowledged, ${found.deliveries} deliveries, ${found.lost.length} lost, ` +
      `${found.duplicates} duplicates of ${found.inFlight} in flight at the kills`,
  );
  assert.equal(code, 0);
  assertKept(found);
  assert.deepEqual(found.unexplained, []);
  assert.ok(found.duplicates <= found.inFlight);
  // More are stored than acknowledged only where an answer was lost at a kill.
  assert.ok(countEvents(dataDir) >= found.acknowledged);
  assert.equal(pendingDeliveries(dataDir).size, 0);
  assert.equal(checkIntegrity(dataDir), "ok");
}
