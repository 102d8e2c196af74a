/** A service's SQLite database, moved by a process that is killed again and again, and a service where it went. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fillInstallation } from "../src/store/conformance/installation.ts";
import { systemClock } from "../src/lib/clock.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import { type SharedCluster, shareCluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { uuid } from "../test/kit/world/world.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { startChild } from "../test/kit/process/child.ts";
import { databaseIn } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { BIN, startService } from "../test/kit/process/running.ts";
import { soon } from "../test/kit/wait.ts";

/** Seconds of copying, so that kills fall into it. */
const EVENTS = 20_000;

let cluster: SharedCluster;

before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

test("an installation is moved although the move is killed, and what waited is delivered from there", async (t) => {
  using folder = newFolder();
  let isUp = false;
  await using receiver = await startReceiver(() => ({ status: isUp ? 200 : 503 }));
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url }] });
  {
    await using service = await startService({ dataDir });
    for (const n of [1, 2, 3]) assert.equal((await service.post("demo-sessions", sessionRecord(uuid(n)))).status, 202);
    await receiver.received(3);
    assert.equal((await service.stop()).code, 0);
  }
  {
    await using store = await openSqliteStore({ path: databaseIn(dataDir), clock: systemClock });
    await fillInstallation(store, { events: EVENTS });
  }
  const url = await cluster.createDatabase();
  const kills = await moveThroughKills(dataDir, url);
  t.diagnostic(`${kills} kills`);
  assert.ok(kills >= 3, `${kills} kills`);

  const refused = startChild({ args: [BIN, "serve"], env: { BELLWIRE_DATA_DIR: dataDir, BELLWIRE_PORT: "0" } });
  assert.equal((await soon(refused.exited, "the refusal to start")).code, 1);
  assert.match(refused.err.text, /^Bellwire cannot use its database: the installation has moved to/);

  isUp = true;
  await using service = await startService({ dataDir, env: { BELLWIRE_DATABASE: url } });
  const arrived = (n: number) => receiver.requests.filter(({ body }) => body.includes(uuid(n))).length;
  await receiver.received(6);
  assert.deepEqual([1, 2, 3].map(arrived), [2, 2, 2], "each once more, by its schedule");
  const again = await service.post("demo-sessions", sessionRecord(uuid(1)));
  assert.deepEqual([again.status, again.json["duplicate"]], [200, true]);
  assert.equal((await service.post("demo-sessions", sessionRecord(uuid(4)))).status, 202);
  await receiver.received(7);
  assert.equal((await service.stop()).code, 0);
});

const MOVED_BEFORE = /^Everything had arrived and was compared before\.$/m;

/** Each time after twice as long, until one run comes to its end; gives how many did not. */
async function moveThroughKills(dataDir: string, url: string): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    await using child = startChild({ args: [BIN, "migrate-to", url], env: { BELLWIRE_DATA_DIR: dataDir } });
    await child.err.match(/^Moving /);
    const timer = setTimeout(() => child.kill("SIGKILL"), 100 * 2 ** kills);
    const { code, signal } = await soon(child.exited, "the end of the move");
    clearTimeout(timer);
    if (signal === null) {
      assert.equal(code, 0, child.err.text);
      const [, events] = /^events +(\d+) rows {2}sha256/m.exec(child.out.text) ?? [];
      // The last kill may have come after the last row, and before the words about it.
      if (events === undefined) assert.match(child.out.text + child.err.text, MOVED_BEFORE);
      else assert.ok(Number(events) > EVENTS, `${events} events`);
      return kills;
    }
  }
}
