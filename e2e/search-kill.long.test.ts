import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "undici";
import type { EventList } from "../src/dashboard/contract/deliveries.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { type Person, signIn } from "../test/kit/process/person.ts";
import { ACCOUNT, freePort, type Running, startService } from "../test/kit/process/running.ts";
import { newFolder } from "../test/kit/folder.ts";
import { eventually, pause } from "../test/kit/wait.ts";
import { demoViewed } from "../src/events/demo-viewed.ts";

const BATCHES = 6;
const SESSIONS = 150;

/** Names that tell batch and session: "batch 3 session 17". */
function recordsOf(batch: number): string {
  const sample = demoViewed.example;
  const records = Array.from({ length: SESSIONS }, (_, n) => {
    const id = `00000000-0000-4000-8000-${String(batch * 10_000 + n).padStart(12, "0")}`;
    return JSON.stringify({ ...sample, id, name: `batch${batch} session${n} everyone` });
  });
  return records.join("\n");
}

async function post(service: Running, batch: number): Promise<void> {
  const url = `${service.url}/v1/accounts/${ACCOUNT}/demo-sessions`;
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/x-ndjson" };
  const answer = await request(url, { method: "POST", headers, body: recordsOf(batch) });
  assert.ok(answer.statusCode < 300, await answer.body.text());
  await answer.body.dump();
}

async function countFound(person: Person, q: string): Promise<number> {
  let found = 0;
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { answer } = await person.call<EventList>("GET", `/sessions?q=${q}${page}`);
    found += answer.events.length;
    cursor = answer.nextCursor;
  }
  return found;
}

test("after kills while the index is fed, everything that was accepted is found, and once", async () => {
  using folder = newFolder();
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir });
  const options = { dataDir, port: await freePort(), env: { BELLWIRE_LOG_LEVEL: "warn" } };
  let service = await startService(options);
  await using processes = new AsyncDisposableStack();
  // Whichever life it is in then.
  processes.defer(() => service[Symbol.asyncDispose]());
  for (let batch = 0; batch < BATCHES; batch += 1) {
    await post(service, batch);
    // The index takes 32 at once, so it is in the middle of these, each time at another place.
    await pause(batch * 25);
    await service.crash();
    service = await startService(options);
  }
  const person = await signIn(service);
  await eventually("all are found", async () => (await countFound(person, "everyone")) === BATCHES * SESSIONS);
  for (let batch = 0; batch < BATCHES; batch += 1) assert.equal(await countFound(person, `batch${batch}`), SESSIONS);
});
