/** Backup and restore of a real file: the contents of a copy, the refusals, and that nothing is lost on the way. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { startChild } from "../../test/kit/process/child.ts";
import { BIN } from "../../test/kit/process/running.ts";
import { eventually, pause } from "../../test/kit/wait.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { systemClock } from "../lib/clock.ts";
import { lastBackupMs } from "../store/sqlite/last-backup.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Store } from "../store/contract/store.ts";
import { backup } from "./backup.ts";
import { restore } from "./restore.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-backup-"));
after(() => rmSync(ROOT, { recursive: true, force: true }));

const newFolder = (): string => mkdtempSync(join(ROOT, "case-"));
const databaseIn = (folder: string): string => join(folder, "bellwire.db");
const openStore = (folder: string): Promise<Store> => openSqliteStore({ path: databaseIn(folder), clock: systemClock });

async function run(command: typeof backup, folder: string, args: readonly string[]) {
  const { io, out, err } = createFakeIo(args, { BELLWIRE_DATA_DIR: folder });
  return { exitCode: await command(io), out: out.join("\n"), err: err.join("\n") };
}

const setting = async (store: Store, name: "before" | "here" | "after") =>
  await store.saveSettingUnlessThere({ name, value: name });
const latestSetting = async (store: Store): Promise<string | null> =>
  (await store.loadSetting({ name: "after" })) ?? (await store.loadSetting({ name: "before" }));
const settingIn = async (folder: string): Promise<string | null> => {
  await using store = await openStore(folder);
  return await latestSetting(store);
};

describe("bellwire backup", () => {
  test("copies what is committed while the store is open, for its owner alone, and leaves no other file", async () => {
    const folder = newFolder();
    await using store = await openStore(folder);
    await setting(store, "before");
    const to = join(newFolder(), "copy.db");
    const { exitCode, out } = await run(backup, folder, ["--to", to]);
    await setting(store, "after");
    assert.equal(exitCode, 0);
    assert.match(
      out,
      /copy\.db: 0 events, 0 deliveries pending, \d+\.\d MiB, schema version \d+; integrity_check says/,
    );
    assert.equal(statSync(to).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(to, "..")), ["copy.db"]);
    const restored = newFolder();
    assert.equal((await run(restore, restored, ["--from", to])).exitCode, 0);
    assert.equal(await settingIn(restored), "before");
  });

  test("keeps the newest copies of a folder, touches no other file there, and notes when it was made", async () => {
    const folder = newFolder();
    await using store = await openStore(folder);
    await setting(store, "before");
    const into = newFolder();
    const others = ["bellwire-20200101T000000Z.db.txt", "notes.db"];
    const old = ["bellwire-20200101T000000Z.db", "bellwire-20210101T000000Z.db", "bellwire-20220101T000000Z.db"];
    for (const name of [...others, ...old]) writeFileSync(join(into, name), "");
    const { exitCode, out } = await run(backup, folder, ["--into", into, "--keep", "2"]);
    assert.equal(exitCode, 0, out);
    const [made = ""] = readdirSync(into).filter((name) => ![...others, ...old].includes(name));
    assert.match(made, /^bellwire-\d{8}T\d{6}Z\.db$/);
    assert.deepEqual(readdirSync(into).toSorted(), [...others, "bellwire-20220101T000000Z.db", made].toSorted());
    const ageMs = systemClock.nowMs() - (lastBackupMs(databaseIn(folder)) ?? 0);
    assert.ok(ageMs >= 0 && ageMs < 60_000, `${ageMs}`);
  });

  test("goes on where its note or the removal of a copy fails, says both, and ends with 1", async () => {
    const folder = newFolder();
    await using store = await openStore(folder);
    await setting(store, "before");
    const into = newFolder();
    for (const name of ["bellwire-20200101T000000Z.db", "bellwire-20210101T000000Z.db"])
      writeFileSync(join(into, name), "");
    // Nothing can be written there, and it cannot be removed as a file.
    mkdirSync(`${databaseIn(folder)}.last-backup`);
    const stuck = join(into, "bellwire-20220101T000000Z.db");
    mkdirSync(stuck);
    const { exitCode, out, err } = await run(backup, folder, ["--into", into, "--keep", "1"]);
    assert.equal(exitCode, 1);
    assert.match(out, /integrity_check says ok/);
    assert.match(err, /^The copy is whole, but .*bellwire\.db\.last-backup cannot be written: it is a folder/);
    assert.ok(err.includes(`\nIt was not removed, ${stuck}: `), err);
    assert.doesNotMatch(err, /\n\s+at /, "no stack");
    const [made = "", ...more] = readdirSync(into).filter((name) => join(into, name) !== stuck);
    assert.deepEqual(more, []);
    assert.match(made, /^bellwire-\d{8}T\d{6}Z\.db$/);
  });

  test("writes its note in the place of another user's, which it could not open", async () => {
    const folder = newFolder();
    await using store = await openStore(folder);
    await setting(store, "before");
    const note = `${databaseIn(folder)}.last-backup`;
    writeFileSync(note, "1999-01-01T00:00:00.000Z\n");
    const before = statSync(note).ino;
    assert.equal((await run(backup, folder, ["--to", join(newFolder(), "copy.db")])).exitCode, 0);
    assert.notEqual(statSync(note).ino, before);
    assert.ok((lastBackupMs(databaseIn(folder)) ?? 0) > Date.UTC(2000));
  });

  test("keeps the copy that it has just made, also where the clock was set back since others", async () => {
    const folder = newFolder();
    await using store = await openStore(folder);
    await setting(store, "before");
    for (const keep of ["1", "2"]) {
      const into = newFolder();
      const later = ["bellwire-29990101T000000Z.db", "bellwire-29990102T000000Z.db"];
      for (const name of later) writeFileSync(join(into, name), "");
      assert.equal((await run(backup, folder, ["--into", into, "--keep", keep])).exitCode, 0);
      const left = readdirSync(into);
      assert.equal(left.filter((name) => !later.includes(name)).length, 1, left.join());
      assert.equal(left.length, Number(keep));
    }
  });

  test("killed, leaves no file that counts as a copy, and the next one takes away what it left", async () => {
    const folder = newFolder();
    await using store = await openStore(folder);
    await setting(store, "before");
    {
      using filled = new DatabaseSync(databaseIn(folder));
      filled.exec("create table filler (zeros blob)");
      for (let row = 0; row < 100; row += 1) filled.exec("insert into filler values (zeroblob(1000000))");
    }
    const into = newFolder();
    const good = "bellwire-20200101T000000Z.db";
    writeFileSync(join(into, good), "");
    const args = [BIN, "backup", "--into", into, "--keep", "1"];
    await using killed = startChild({ args, env: { BELLWIRE_DATA_DIR: folder } });
    const parts = () => readdirSync(into).filter((name) => name.endsWith(".part"));
    await eventually("it writes", () => parts().some((name) => statSync(join(into, name)).size > 0));
    killed.kill("SIGSTOP");
    assert.deepEqual(
      readdirSync(into).filter((name) => name.endsWith(".db")),
      [good],
    );
    // Names are of seconds.
    await pause(1_000);
    const beside = await run(backup, folder, ["--into", into, "--keep", "2"]);
    assert.deepEqual([beside.exitCode, beside.err], [0, ""]);
    assert.equal(parts().length, 1, "of one that still runs");
    killed.kill("SIGKILL");
    await killed.exited;
    writeFileSync(join(into, `${good}.part`), "not of a backup: no lock is beside it");
    await pause(1_000);
    const { exitCode, err } = await run(backup, folder, ["--into", into, "--keep", "3"]);
    assert.equal(exitCode, 0, err);
    assert.match(err, /^\S+Z\.db: what a backup that was killed has left is removed\.$/);
    const names = readdirSync(into).map((name) => name.replace(/\d{8}T\d{6}/, "TIME"));
    const copy = "bellwire-TIMEZ.db";
    assert.deepEqual(names.toSorted(), [copy, copy, copy, `${copy}.part`]);
  });

  test("asks for one place, and for a number of copies that it can keep", async () => {
    for (const args of [
      [],
      ["--to", "a", "--into", "b"],
      ["--into", "b", "--keep", "0"],
      ["--into", "b", "--keep", "x"],
      ["--into", ""],
    ]) {
      assert.equal((await run(backup, newFolder(), args)).exitCode, 2, args.join(" "));
    }
  });

  test("never writes over a file, and leaves nothing where it cannot write", async () => {
    const folder = newFolder();
    await using store = await openStore(folder);
    await setting(store, "here");
    const to = join(newFolder(), "copy.db");
    writeFileSync(to, "precious");
    const refused = await run(backup, folder, ["--to", to]);
    assert.deepEqual([refused.exitCode, readFileSync(to, "utf8")], [1, "precious"]);
    assert.match(refused.err, /is there already/);
    assert.equal((await run(backup, folder, ["--to", join(to, "x")])).exitCode, 1);
    const empty = newFolder();
    const { err } = await run(backup, empty, ["--to", `${to}2`]);
    assert.ok(err.startsWith(`No backup: there is no database ${databaseIn(empty)}. If your service is another`), err);
    assert.equal((await run(backup, folder, [])).exitCode, 2);
  });

  test("says what to do where there is no file", async () => {
    for (const [database, words] of [
      ["postgres://db/x", /pg_dump/],
      ["sqlite::memory:", /in memory/],
    ] as const) {
      const { io, err } = createFakeIo(["--to", join(ROOT, "none.db")], { BELLWIRE_DATABASE: database });
      assert.equal(await backup(io), 1);
      assert.match(err.join("\n"), words);
    }
  });
});

describe("bellwire restore", () => {
  async function withBackup() {
    const folder = newFolder();
    const to = join(newFolder(), "copy.db");
    await using store = await openStore(folder);
    await setting(store, "before");
    assert.equal((await run(backup, folder, ["--to", to])).exitCode, 0);
    await setting(store, "after");
    return { folder, to };
  }

  test("puts the backup in place and keeps what was there, its log included", async () => {
    const { folder, to } = await withBackup();
    // The state after a crash: a change that is in the log only.
    {
      using crashed = new DatabaseSync(databaseIn(folder));
      crashed.exec("pragma wal_autocheckpoint = 0; update settings set value = 'in the log' where name = 'before'");
      const log = readFileSync(`${databaseIn(folder)}-wal`);
      crashed.close();
      writeFileSync(`${databaseIn(folder)}-wal`, log);
    }
    const { exitCode, out } = await run(restore, folder, ["--from", to]);
    assert.equal(exitCode, 0, out);
    const kept = /What was there before is (\S+)\.$/m.exec(out)?.[1] ?? "";
    assert.ok(existsSync(`${kept}-wal`));
    assert.ok(!existsSync(`${databaseIn(folder)}-wal`));
    assert.equal(await settingIn(folder), "before");
    using old = new DatabaseSync(kept);
    assert.equal(old.prepare("select value from settings where name = 'before'").get()?.["value"], "in the log");
  });

  test("holds what another build's backup brings, or one that was killed before it was stamped", async () => {
    const { to } = await withBackup();
    using copy = new DatabaseSync(to);
    copy.exec("pragma journal_mode = wal; delete from settings where name = 'held'");
    copy.close();
    const folder = newFolder();
    writeFileSync(`${databaseIn(folder)}.restoring-wal`, "what a killed restore left");
    const { exitCode, out } = await run(restore, folder, ["--from", to]);
    assert.equal(exitCode, 0, out);
    assert.deepEqual(readdirSync(folder).toSorted(), ["bellwire.db", "bellwire.db.lock"]);
    await using store = await openStore(folder);
    assert.match(
      (await store.loadSetting({ name: "held" })) ?? "",
      /^it is a copy, put there by bellwire restore at 2/,
    );
  });

  test("changes nothing while a service has the database", async () => {
    const { folder, to } = await withBackup();
    await using store = await openStore(folder);
    const { exitCode, err } = await run(restore, folder, ["--from", to]);
    assert.equal(exitCode, 1);
    assert.match(err, /^Nothing was changed: .* is used by another Bellwire process/);
    assert.equal(await latestSetting(store), "after");
  });

  test("changes nothing for a file that is not a good backup", async () => {
    const { folder, to } = await withBackup();
    const bad = join(newFolder(), "bad.db");
    const bytes = readFileSync(to);
    using foreign = new DatabaseSync(join(ROOT, "foreign.db"));
    foreign.exec("create table a (b)");
    const damaged = Buffer.from(bytes);
    damaged.fill(0xff, 4_096 * 3, 4_096 * 4);
    for (const [content, words] of [
      [Buffer.from("no database at all, but long enough to be looked at"), /cannot be read as a database/],
      [readFileSync(join(ROOT, "foreign.db")), /no database of Bellwire/],
      [damaged, /is damaged|cannot be read/],
      [bytes.subarray(0, bytes.length / 2), /is damaged|cannot be read/],
    ] as const) {
      writeFileSync(bad, content);
      const { exitCode, err } = await run(restore, folder, ["--from", bad]);
      assert.equal(exitCode, 1);
      assert.match(err, words);
    }
    assert.match((await run(restore, folder, ["--from", join(ROOT, "none")])).err, /there is no file/);
    assert.equal(await settingIn(folder), "after");
  });

  test("says why the database's folder cannot be made", async () => {
    const { to } = await withBackup();
    const { exitCode, err } = await run(restore, join(to, "data"), ["--from", to]);
    assert.equal(exitCode, 1);
    assert.match(err, /^Nothing was changed: .*bellwire\.db cannot be made: a part of its path is a file/);
  });

  test("refuses a backup that another build made, and says which", async () => {
    const { folder, to } = await withBackup();
    for (const [sql, words] of [
      [
        "insert into schema_migrations values (999, 'later', 0); update settings set value = '7.1.0' " +
          "where name = 'schema_build'",
        /has schema version 999, .* knows up to \d+: a newer Bellwire \(7\.1\.0\) has used it/,
      ],
      ["delete from settings where name = 'schema_build'", /version 999, .*: a newer Bellwire has used it; start/],
      [
        "update schema_migrations set name = 'incidents' where version = 2",
        /its step 2 is "incidents", and in every release that has one "bodies": another build made it/,
      ],
    ] as const) {
      using other = new DatabaseSync(to);
      other.exec(sql);
      assert.match((await run(restore, folder, ["--from", to])).err, words);
    }
    assert.equal(await settingIn(folder), "after");
  });
});
