/** A backup made by a process of its own while the service takes records, a crash, and the way back. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { uuid } from "../test/kit/world/world.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { checkIntegrity } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { BIN, type Running, startService } from "../test/kit/process/running.ts";
import { eventually } from "../test/kit/wait.ts";

const BEFORE = 100;
const DURING = 400;

const post = async (service: Running, n: number): Promise<void> => {
  const { status, json } = await service.post("demo-sessions", sessionRecord(uuid(n)));
  assert.equal(status, 202, JSON.stringify(json));
};

async function bellwire(dataDir: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], BELLWIRE_DATA_DIR: dataDir };
  return (await promisify(execFile)(process.execPath, [BIN, ...args], { env })).stdout;
}

test("a backup holds all that was acknowledged before it began, and what waits in it goes out", async () => {
  using folder = newFolder();
  const dataDir = join(folder.path, "data");
  const copy = join(folder.path, "copy.db");
  // Answers nothing, so that everything still waits when the copy is made, and no failure is written down.
  await using receiver = await startReceiver({ kind: "hang" });
  await setUpAccount({ dataDir, alerts: [{ url: `${receiver.url}/hook` }] });
  await using first = await startService({ dataDir });
  for (let n = 0; n < BEFORE; n += 1) await post(first, n);
  const load = Promise.all(Array.from({ length: DURING }, (_, n) => post(first, BEFORE + n)));
  const said = await bellwire(dataDir, "backup", "--to", copy);
  await load;
  await first.crash();

  const events = Number(/: (\d+) events/.exec(said)?.[1]);
  assert.ok(events >= BEFORE && events <= BEFORE + DURING, said);
  assert.match(await bellwire(dataDir, "restore", "--from", copy), /^What was there before is /m);
  assert.equal(checkIntegrity(dataDir), "ok");

  assert.match(await bellwire(dataDir, "adopt"), /^It goes on as the service/);
  receiver.script = () => ({});
  await using second = await startService({ dataDir });
  const arrived = () => new Set(receiver.requests.map(({ body }) => (JSON.parse(String(body)) as { id: string }).id));
  assert.equal((await second.post("demo-sessions", sessionRecord(uuid(0)))).json["duplicate"], true);
  await eventually("all that was accepted before the backup arrives", async () => {
    const ids = arrived();
    return Array.from({ length: BEFORE }, (_, n) => uuid(n)).every((id) => ids.has(id));
  });
  await second.stop();
});
