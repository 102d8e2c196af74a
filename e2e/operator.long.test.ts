/** The operator's webhook from a real process, which is killed with SIGKILL in the middle of telling. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { uuid } from "../test/kit/world/world.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { databaseIn } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { SHORT_RETRIES, startService } from "../test/kit/process/running.ts";
import { eventually, soon } from "../test/kit/wait.ts";

test("what a killed process was telling is told by the next one, with the same id", async () => {
  using folder = newFolder();
  const dataDir = folder.path;
  await using customer = await startReceiver({ status: 503 });
  const killed = Promise.withResolvers<void>();
  await using operator = await startReceiver(async ({ number }) => {
    // The first gets no answer: its sender dies first.
    if (number === 1) await killed.promise;
    return {};
  });
  await setUpAccount({ dataDir, alerts: [{ url: `${customer.url}/hook` }] });
  const env = {
    BELLWIRE_OPERATOR_WEBHOOK_URL: `${operator.url}/in`,
    BELLWIRE_OPERATOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}`,
  };
  const options = { dataDir, env, program: [SHORT_RETRIES] };

  await using first = await startService(options);
  for (let n = 1; n <= 8; n += 1) assert.equal((await first.post("demo-sessions", sessionRecord(uuid(n)))).status, 202);
  await soon(operator.received(1), "the first notice");
  await first.crash();
  killed.resolve();
  endClaims(dataDir);

  await using second = await startService(options);
  await soon(operator.received(2), "the same notice again");
  await second.stop();
  const [one, again] = operator.requests;
  assert.equal(JSON.parse(String(one?.body)).event, "destination_failing");
  assert.deepEqual(again?.body, one?.body);
  assert.equal(again?.headers["webhook-id"], one?.headers["webhook-id"]);
  await eventually("nothing is left to send", async () => countMessages(dataDir) === 0);
});

/** A claim lasts a minute; here it is over. */
function endClaims(dataDir: string): void {
  using database = new DatabaseSync(databaseIn(dataDir));
  database.exec("update messages set held_until = 0");
}

function countMessages(dataDir: string): number {
  using database = new DatabaseSync(databaseIn(dataDir), { readOnly: true });
  return Number(database.prepare("select count(*) as count from messages").get()?.count);
}
