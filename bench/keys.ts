/**
 * `npm run bench -- keys [--keys 50000000]`: what an accept costs SQLite's thread at no keys against repeats, and at so
 * many. The keys are made by SQL and not sent. Ids of sessions are random, so each new key falls on a page of its own.
 *
 * Events come 50 in a commit, as under load, and are all new. The file is mostly in the system's cache.
 */
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { type Call, toCall, type VerbParams } from "../src/store/calls.ts";
import { ACCOUNT, T0 } from "../src/store/conformance/world.ts";
import type { AttemptColumns } from "../src/store/sqlite/attempts.ts";
import { commitCalls } from "../src/store/sqlite/commit.ts";
import { openDatabaseFile } from "../src/store/sqlite/writer/database-file.ts";
import { acceptCalls, setUpCalls } from "../test/budget/path-calls.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { head, row } from "./markdown.ts";

const { values } = parseArgs({ options: { keys: { type: "string", default: "50000000" } } });
const KEYS = Number(values.keys);
if (!(KEYS >= 1_000)) {
  console.error("usage: npm run bench -- keys [--keys 50000000]");
  process.exit(2);
}

const BATCH = 50;
const WARM_UP = 10_000;
const MEASURED = 50_000;
const CONFIG_VERSION = 3;

/**
 * In this many passes, each in the order of the keys, from which the tree gets about as full as by keys in any order,
 * in a tenth of the time.
 */
const PASSES = 10;

/** The first 48 bits grow, and the others are random. */
const INSERT_KEYS = `-- name: make keys
  with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ?1),
  ids (n, beginning, rest) as (
    select n, printf('%012x', cast((n + abs(random() % 1000) / 1000.0) * (281474976710656.0 / ?1) as integer)),
      lower(hex(randomblob(10)))
    from numbers
  )
  insert into event_keys (account_id, type, source_id, event_id, deliveries)
  select ?2, 'chat_conversation_completed',
    substr(beginning, 1, 8) || '-' || substr(beginning, 9, 4) || '-' || substr(rest, 1, 4) || '-' ||
      substr(rest, 5, 4) || '-' || substr(rest, 9),
    printf('evt_01m7wdaf%02d%016d', ?3, n), 1
  from ids`;

const folder = newDiskFolder("keys");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(`- ${MEASURED.toLocaleString("en")} events after ${WARM_UP.toLocaleString("en")}, ${BATCH} in a commit\n`);
head("Keys before", "file, MB", "µs of CPU an event", "µs an event");
const none = await measure(0);
const many = await measure(KEYS);
console.log(`\nAn accept costs × ${(many / none).toFixed(2)} of the CPU.`);
process.exit(0);

async function measure(keys: number): Promise<number> {
  const path = join(folder, `${keys}.db`);
  openDatabaseFile({ path, nowMs: T0 })[Symbol.dispose]();
  if (keys > 0) fill(path, keys);
  using file = openDatabaseFile({ path, nowMs: T0 });
  await commitCalls(file.db, setUpCalls<AttemptColumns>());
  const accept = async (first: number, count: number): Promise<void> => {
    for (let n = first; n < first + count; n += BATCH) {
      const answers = await commitCalls(file.db, toNewSources(n));
      const failed = answers.find(({ kind }) => kind !== "done");
      if (failed !== undefined) throw new Error("a call failed", { cause: failed });
    }
  };
  await accept(1, WARM_UP);
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()];
  await accept(WARM_UP + 1, MEASURED);
  const { user, system } = process.cpuUsage(cpu);
  const micros = (user + system) / MEASURED;
  const wallMicros = ((performance.now() - startedMs) * 1_000) / MEASURED;
  row(keys.toLocaleString("en"), Math.round(statSync(path).size / 1e6), micros.toFixed(1), wallMicros.toFixed(1));
  return micros;
}

/** The calls of the budget, whose ids are numbers, under ids like those of sessions. */
function toNewSources(first: number): Call<AttemptColumns>[] {
  return acceptCalls<AttemptColumns>({ first, count: BATCH }, CONFIG_VERSION).map(({ params }) => {
    const accept = params as VerbParams<"acceptEvents", AttemptColumns>;
    const events = accept.events.map((event) => ({ ...event, sourceId: randomUUID() }));
    return toCall("acceptEvents", { ...accept, events });
  });
}

function fill(path: string, keys: number): void {
  // Without a journal, which SQLite calls dangerous: a crash makes the bench begin again.
  using database = new DatabaseSync(path, { defensive: false });
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000");
  const insert = database.prepare(INSERT_KEYS);
  for (let pass = 0; pass < PASSES; pass += 1) insert.run(Math.ceil(keys / PASSES), ACCOUNT.id, pass);
  database.exec("pragma journal_mode = wal");
}
