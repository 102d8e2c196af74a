import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { makeDestinationSetup } from "../../../test/kit/make.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import { newHandOut, PULL_URL } from "../../domain/pull.ts";
import {
  ACCOUNT,
  accept,
  ADA,
  claimIds,
  due,
  held,
  LEASE_MS,
  loadVersion,
  makeEvent,
  openBreaker,
  setUp,
  T0,
  webhookToSave,
} from "../conformance/world.ts";
import { StoreUnusable } from "../contract/store.ts";
import { assertSqliteIsSafe } from "./writer/database-file.ts";
import type { CommitInfo } from "../group-commit.ts";
import { NEWEST_VERSION } from "./schema/migrations.ts";
import { openSqliteStore } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-open-"));
after(() => rmSync(folder, { recursive: true }));

const open = (path: string) => openSqliteStore({ path, clock: { ...systemClock, nowMs: () => T0 } });

/** Rejects as unusable, with a message that says so. */
const isUnusable = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreUnusable, String(error));
  assert.match(error.message, message);
  return true;
};

describe("a new file", () => {
  test("is made with its folder, for its own user only, and is one file again after closing", async () => {
    const path = join(folder, "new", "deep", "bellwire.db");
    const store = await open(path);
    await store.probe({ nowMs: T0 });
    for (const file of [path, `${path}-wal`, `${path}.lock`]) assert.equal(statSync(file).mode & 0o077, 0, file);
    await store[Symbol.asyncDispose]();
    assert.deepEqual(readdirSync(join(folder, "new", "deep")).toSorted(), ["bellwire.db", "bellwire.db.lock"]);
  });

  test("keeps what was committed until the next start", async () => {
    const path = join(folder, "kept.db");
    await using(path, async (store) => void (await store.saveSettingUnlessThere({ name: "a", value: "1" })));
    await using(path, async (store) => assert.equal(await store.loadSetting({ name: "a" }), "1"));
  });
});

test("what a program was handed is its own still when the service starts again", async () => {
  const path = join(folder, "handed.db");
  const asked = { accountId: ACCOUNT.id, destinationId: "dst_asked" };
  const claim = newHandOut(createSeededRandom(1), { nowMs: T0, holdMs: LEASE_MS });
  await using(path, async (store) => {
    await setUp(store, []);
    await store.saveWebhook(webhookToSave({ destination: makeDestinationSetup({ id: "dst_asked", url: PULL_URL }) }));
    await store.putPullToken({ ...asked, tokenHash: "hash", by: ADA, nowMs: T0 });
    const configVersion = await loadVersion(store);
    await accept(store, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_asked")] })]);
    const limits = { deliveriesMax: 9, bodyCharsMax: 999 };
    await store.handOut({ ...asked, tokenHash: "hash", nowMs: T0, claim, ...limits });
  });
  await using(path, async (store) => {
    assert.equal((await store.listHandedOut({ ...asked, claim })).length, 1);
  });
});

describe("a file that cannot be used says why", () => {
  test("when it is not a database", async () => {
    const path = join(folder, "text.db");
    writeFileSync(path, "This is not a database. ".repeat(100));
    await assert.rejects(open(path), isUnusable(/text\.db is damaged or not an SQLite database: .*backup/));
  });

  test("when it is a pipe, which nobody may be reading, or a device", async () => {
    const pipe = join(folder, "pipe.db");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/null"])
      await assert.rejects(open(path), isUnusable(/is no regular file; name one/));
  });

  test("when its schema is damaged", async () => {
    const path = join(folder, "damaged.db");
    await using(path, (store) => store.probe({ nowMs: T0 }));
    // The file's header stays as it is; the list of tables behind it is overwritten.
    const whole = readFileSync(path);
    writeFileSync(path, whole.fill(0xff, 100, 4096));
    await assert.rejects(open(path), isUnusable(/damaged\.db is damaged/));
  });

  test("when another program made it", async () => {
    const path = join(folder, "other.db");
    const other = new DatabaseSync(path);
    other.exec("create table notes (text text)");
    other.close();
    await assert.rejects(open(path), isUnusable(/database of another program/));
  });

  test("when a newer Bellwire has used it, with both versions", async () => {
    const path = join(folder, "newer.db");
    await using(path, (store) => store.probe({ nowMs: T0 }));
    const file = new DatabaseSync(path);
    file.exec("insert into schema_migrations (version, name, applied_at) values (99, 'future', 0)");
    file.close();
    await assert.rejects(
      open(path),
      isUnusable(new RegExp(`version 99, this Bellwire knows up to ${NEWEST_VERSION}: a newer Bellwire \\(`)),
    );
  });

  test("when no release made it, though it has no step more than ours", async () => {
    const path = join(folder, "unreleased.db");
    await using(path, (store) => store.probe({ nowMs: T0 }));
    const file = new DatabaseSync(path);
    file.exec("delete from schema_migrations where version > 2");
    file.exec("update schema_migrations set name = 'incidents' where version = 2");
    file.close();
    await assert.rejects(open(path), isUnusable(/version 2, and its step 2 is "incidents", .* another build made it/));
  });

  test("when it is a folder", async () => {
    const path = join(folder, "folder.db");
    mkdirSync(path);
    await assert.rejects(open(path), isUnusable(/cannot be opened for writing: it is a folder \(EISDIR\)/));
  });

  test("when its folder is a file", async () => {
    writeFileSync(join(folder, "file"), "");
    await assert.rejects(open(join(folder, "file", "x.db")), isUnusable(/cannot be opened for writing: /));
  });

  test("when another store has it, under this name or another, until that one is closed", async () => {
    const path = join(folder, "used.db");
    const link = join(folder, "link.db");
    const first = await open(path);
    symlinkSync(path, link);
    await assert.rejects(open(path), isUnusable(/used by another Bellwire process/));
    await assert.rejects(open(link), isUnusable(/used by another Bellwire process/));
    await first.probe({ nowMs: T0 });
    await first[Symbol.asyncDispose]();
    await using(link, (store) => store.probe({ nowMs: T0 }));
  });
});

describe("a start", () => {
  test("makes every claim of the dead process due at once", async () => {
    const path = join(folder, "claims.db");
    await using(path, async (store) => {
      const configVersion = await setUp(store, ["dst_a", "dst_b"]);
      await accept(store, [
        makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a"), due("dlv_2", "dst_b")] }),
      ]);
    });
    await using(path, async (store) => {
      assert.deepEqual(await store.countWaiting({ nowMs: T0 }), { waiting: 2, oldestDueAtMs: T0 });
      assert.deepEqual((await claimIds(store, T0)).toSorted(), ["dlv_1", "dlv_2"]);
    });
  });

  test("lets another probe go at once when the dead process had one out", async () => {
    const path = join(folder, "probes.db");
    const probeAtMs = T0 + 30_000;
    await using(path, async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      await openBreaker(store, "dst_a");
      await accept(store, [makeEvent(1, { configVersion, deliveries: [due("dlv_1", "dst_a")] })]);
      const claim = { token: "dead", untilMs: probeAtMs + 600_000 };
      assert.deepEqual(await claimIds(store, probeAtMs, { claim }), ["dlv_1"]);
    });
    await using(path, async (store) => assert.deepEqual(await claimIds(store, probeAtMs), ["dlv_1"]));
  });

  test("goes on with turns after the clock was set back meanwhile", async () => {
    const path = join(folder, "turns.db");
    await using(path, async (store) => {
      const configVersion = await setUp(store, ["dst_a"]);
      const deliveries = [due("dlv_1", "dst_a"), due("dlv_2", "dst_a")];
      await accept(store, [makeEvent(1, { configVersion, deliveries })]);
      await claimIds(store, T0 + 3_600_000, { deliveriesMax: 1 });
    });
    await using(path, async (store) => assert.equal((await claimIds(store, T0)).length, 2));
  });
});

test("calls that are made while a commit runs share the next one", async () => {
  const commits: CommitInfo[] = [];
  const onCommit = (info: CommitInfo) => commits.push(info);
  await using store = await openSqliteStore({ path: join(folder, "group.db"), clock: systemClock, onCommit });
  const first = store.probe({ nowMs: 0 });
  await Promise.resolve();
  await Promise.resolve();
  await Promise.all([first, ...Array.from({ length: 100 }, (_, n) => store.probe({ nowMs: n }))]);
  assert.deepEqual(
    commits.map(({ commands }) => commands),
    [1, 100],
  );
  for (const { durationMs } of commits) assert.ok(durationMs > 0);
});

test("SQLite versions that can damage a database are refused", () => {
  for (const version of ["3.51.2", "3.50.9", "3.9.99", "2.99.99", "0"]) {
    assert.throws(() => assertSqliteIsSafe(version), isUnusable(/3\.51\.3 or newer/), version);
  }
  for (const version of ["3.51.3", "3.51.10", "3.53.4", "4.0.0"]) assertSqliteIsSafe(version);
});

/** Opens, works, closes. */
async function using(path: string, work: (store: Awaited<ReturnType<typeof open>>) => Promise<void>): Promise<void> {
  await using store = await open(path);
  await work(store);
}
