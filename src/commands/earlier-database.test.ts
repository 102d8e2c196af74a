/** A database from before the first release: every command that opens it refuses it by the same sentence. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { type Cluster, startCluster } from "../../test/kit/servers/postgres.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { systemClock } from "../lib/clock.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { backup } from "./backup.ts";
import type { LongCommand } from "./command.ts";
import { doctor } from "./doctor/doctor.ts";
import { migrateTo } from "./migrate-to.ts";
import { restore } from "./restore.ts";
import { serve } from "./serve.ts";

const ROOT = mkdtempSync(join(tmpdir(), "bellwire-earlier-"));
let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});
after(async () => {
  rmSync(ROOT, { recursive: true, force: true });
  await cluster[Symbol.asyncDispose]();
});

type Env = Readonly<Record<string, string>>;

/** What the history of such a database says: the last tables before the release, and those before them. */
const HISTORIES: Readonly<Record<string, string>> = {
  "of the same number": "update schema_migrations set name = 'before' where version = 1",
  "of a higher number":
    "update schema_migrations set name = 'before' where version = 1; " +
    "insert into schema_migrations (version, name, applied_at) values (98, 'mail', 0)",
};

interface File {
  readonly file: string;
  readonly env: Env;
}

async function makeFile(history: string): Promise<File> {
  const folder = mkdtempSync(join(ROOT, "case-"));
  const file = join(folder, "bellwire.db");
  await (await openSqliteStore({ path: file, clock: systemClock }))[Symbol.asyncDispose]();
  using database = new DatabaseSync(file);
  database.exec(history);
  const BELLWIRE_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
  return { file, env: { BELLWIRE_DATA_DIR: folder, BELLWIRE_ENCRYPTION_KEY } };
}

/** Asserts that the command ends with 1, says the sentence once and shows no stack. */
async function assertRefuses(command: LongCommand, args: readonly string[], env: Env): Promise<string> {
  const { io, out, err } = createFakeIo(args, { ...env, BELLWIRE_PORT: "0" });
  const code = await command(io);
  const told = [...out, ...err].join("\n");
  const sentence =
    /was made by a Bellwire from before the first release, whose tables cannot be carried over: start with a new /g;
  assert.equal(code, 1, told);
  assert.equal(told.match(sentence)?.length, 1, told);
  assert.doesNotMatch(told, /^\s+at |Error:|newer Bellwire|the next start brings it/m);
  return told;
}

const POSTGRES = "postgres://u@127.0.0.1:1/x";

for (const [what, history] of Object.entries(HISTORIES)) {
  describe(`an SQLite file from before the first release, ${what}`, () => {
    const elsewhere = { BELLWIRE_DATA_DIR: join(ROOT, "empty") };
    const commands: Readonly<Record<string, (made: File) => Promise<string>>> = {
      serve: ({ env }) => assertRefuses(serve, [], env),
      doctor: ({ env }) => assertRefuses(doctor, [], env),
      "migrate-to": ({ env }) => assertRefuses(migrateTo, [POSTGRES], env),
      backup: ({ file, env }) => assertRefuses(backup, ["--to", `${file}.copy`], env),
      restore: ({ file, env }) => assertRefuses(restore, ["--from", file], { ...env, ...elsewhere }),
    };
    for (const [name, run] of Object.entries(commands)) {
      test(`is refused by ${name} in one sentence that says what to do, and stays as it was`, async () => {
        const made = await makeFile(history);
        assert.match(await run(made), /start with a new data folder, or keep the old Bellwire for this one/);
        using database = new DatabaseSync(made.file, { readOnly: true });
        assert.deepEqual(
          database.prepare("select count(*) as count from schema_migrations where name = 'before'").get()?.["count"],
          1,
        );
      });
    }
  });

  describe(`a PostgreSQL database from before the first release, ${what}`, () => {
    for (const [name, command] of [
      ["serve", serve],
      ["doctor", doctor],
    ] as const) {
      test(`is refused by ${name} in one sentence that says what to do`, async () => {
        const url = await cluster.createDatabase();
        await (await openPostgresStore({ url, clock: systemClock })).store[Symbol.asyncDispose]();
        await cluster.query(url, `set search_path = bellwire; ${history}`);
        const env = { ...(await makeFile("")).env, BELLWIRE_DATABASE: url, BELLWIRE_API_KEY: "k".repeat(40) };
        assert.match(await assertRefuses(command, [], env), /drop the schema "bellwire" of this one/);
      });
    }
  });
}
