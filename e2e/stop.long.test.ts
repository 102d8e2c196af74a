import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { pendingDeliveries } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { assertKept, createWitness, startLoad } from "../test/kit/process/oracle.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { type Running, drained, freePort, startService } from "../test/kit/process/running.ts";
import { soon } from "../test/kit/wait.ts";

const STOPS = 3;
const DEADLINE_SECONDS = 5;
/** The time that a process may take to end after its work is done, on a busy machine. */
const EXIT_MS = 5_000;

test("SIGTERM under load ends with 0 in time, loses nothing and sends nothing twice", async (t) => {
  using folder = newFolder();
  await using fast = await startReceiver();
  await using slow = await startReceiver({ delayMs: 100 });
  const receivers = [fast, slow];
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir, alerts: [{ url: fast.url }], assistants: { sales: fast.url, support: slow.url } });

  const env = { BELLWIRE_LOG_LEVEL: "warn", BELLWIRE_SHUTDOWN_DEADLINE_SECONDS: String(DEADLINE_SECONDS) };
  const options = { dataDir, port: await freePort(), env };
  const witness = createWitness(receivers);
  let service: Running = await startService(options);
  const load = startLoad(folder.path, [service], { assistants: ["sales", "support"], callers: 8 });
  await using processes = new AsyncDisposableStack();
  // Whichever life it is in then.
  processes.defer(() => service[Symbol.asyncDispose]());
  processes.use(load.child);

  const tookMs: number[] = [];
  for (let stop = 0; stop < STOPS; stop += 1) {
    await load.during(fast.received(fast.requests.length + 150));
    const exit = await service.stop();
    assert.equal(exit.code, 0, service.child.err.text);
    tookMs.push(Math.round(exit.tookMs));
    await soon(Promise.all(receivers.map((receiver) => receiver.allClosed())), "the end of the sockets");
    witness.endLife(pendingDeliveries(dataDir));
    service = await startService(options);
  }
  const acknowledged = await load.end();
  await drained(service);
  assert.equal((await service.stop()).code, 0);

  const found = witness.judge(acknowledged);
  t.diagnostic(
    `${STOPS} stops under load in ${tookMs.join(", ")} ms: ${found.acknowledged} acknowledged, ` +
      `${found.deliveries} deliveries, ${found.lost.length} lost, ${found.duplicates} sent twice`,
  );
  assertKept(found);
  assert.equal(found.duplicates, 0);
  assert.ok(Math.max(...tookMs) < DEADLINE_SECONDS * 1000, `${tookMs.join(", ")} ms`);
});

test("a receiver that hangs delays SIGTERM to the deadline and no further, and its delivery is not lost", async (t) => {
  using folder = newFolder();
  await using receiver = await startReceiver({ kind: "hang" });
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url }] });

  await using service = await startService({ dataDir, env: { BELLWIRE_SHUTDOWN_DEADLINE_SECONDS: "1" } });
  await service.post("demo-sessions", sessionRecord(randomUUID()));
  await soon(receiver.received(1), "the first attempt");
  const { code, tookMs } = await service.stop();
  t.diagnostic(`stopped after ${Math.round(tookMs)} ms of a deadline of 1000 ms`);
  assert.equal(code, 0, service.child.err.text);
  assert.ok(tookMs >= 1_000 && tookMs < 1_000 + EXIT_MS, `${tookMs} ms`);

  receiver.script = () => ({ status: 200 });
  await using again = await startService({ dataDir });
  await drained(again);
  assert.deepEqual(webhookIds(receiver).length, 2);
  assert.equal(new Set(webhookIds(receiver)).size, 1);
});

const webhookIds = (receiver: Receiver) => receiver.requests.map(({ headers }) => headers["webhook-id"]);
