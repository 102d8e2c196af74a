/** `bellwire accounts`, `bellwire read-keys` and `--json`, against the whole program on a real socket. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { signIn } from "../../test/kit/world/signed-in.ts";
import { accounts } from "./accounts.ts";
import type { Command } from "./command.ts";
import { doctor } from "./doctor/doctor.ts";
import { events } from "./events.ts";
import { readKeys } from "./read-keys.ts";
import { sessions } from "./sessions.ts";

let service: Awaited<ReturnType<typeof createTestApp>>;
let env: Record<string, string> = {};

before(async () => {
  service = await createTestApp();
  const { port } = await service.app.start();
  env = { BELLWIRE_PORT: String(port), BELLWIRE_API_KEY: API_KEY, BELLWIRE_DATABASE: "sqlite::memory:" };
  for (const id of ["main", ...Array.from({ length: 60 }, (_, n) => `acc.${100 + n}`)]) {
    await service.put(`/v1/accounts/${id}`, { name: `Of ${id}`, plan: "growth", app_url: "https://app.example.com" });
  }
});
after(() => service.app.stop());

async function run(command: Command, args: readonly string[]) {
  const { io, out, err } = createFakeIo(args, env);
  const code = await command(io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("bellwire accounts", () => {
  test("lists every account, over all pages", async () => {
    const { code, out } = await run(accounts, []);
    const [head, ...rows] = out.split("\n");
    assert.deepEqual([code, head, rows.length], [0, "id\tplan\tstate\twebhooks\twaiting\tcreated_at\tname", 61]);
    assert.match(rows.at(-1) ?? "", /^main\tgrowth\tactive\t0\t0\t\d{4}-\S+Z\tOf main$/);
    const json = JSON.parse((await run(accounts, ["--json"])).out) as { id: string; waiting: { count: number } }[];
    assert.deepEqual([json.length, json[0]?.id, json[0]?.waiting.count], [61, "acc.100", 0]);
  });

  test("shows one, and says that there is none", async () => {
    const { out } = await run(accounts, ["show", "main", "--json"]);
    assert.equal((JSON.parse(out) as { app_url: string }).app_url, "https://app.example.com");
    const { code, err } = await run(accounts, ["show", "none"]);
    assert.deepEqual([code, err], [1, 'There is no account "none" that this key opens.']);
  });

  test("suspends one, lets it go on, and deletes it with its id said twice", async () => {
    const id = "acc.159";
    assert.equal((await run(accounts, ["suspend", id])).out, `${id}\tsuspended`);
    assert.equal((await run(accounts, ["suspend", id])).out, `${id}\tsuspended\tit was already`);
    assert.match((await run(accounts, ["show", id])).out, /\tsuspended\t/);
    assert.equal((await run(accounts, ["resume", id])).out, `${id}\tactive`);
    const deleted = await run(accounts, ["delete", id, "--confirm", id, "--json"]);
    assert.deepEqual(JSON.parse(deleted.out), { id, state: "deleting", changed: true });
    const { code, err } = await run(accounts, ["resume", id]);
    assert.deepEqual([code, err], [1, `The account "${id}" was deleted. Its id stays taken; use another.`]);
  });

  test("is called with a verb and an id, or nothing", async () => {
    const wrong = ["show", "show a b", "delete main", "delete main --confirm other", "suspend main --confirm main"];
    for (const args of [...wrong, "suspend", "remove main"].map((line) => line.split(" ")))
      assert.equal((await run(accounts, args)).code, 2);
  });
});

describe("bellwire read-keys", () => {
  for (const whose of [[], ["--account", "acc.100"], ["--all"]]) {
    test(`makes a key, lists it and takes it back: ${whose.join(" ") || "of main"}`, async () => {
      const made = await run(readKeys, [...whose, "--make", "support desk"]);
      assert.match(made.out, /^bwr_[\w-]{43}$/);
      const [key] = JSON.parse((await run(readKeys, [...whose, "--json"])).out) as { id: string; name: string }[];
      assert.equal(key?.name, "support desk");
      const listed = await run(readKeys, whose);
      assert.match(
        listed.out,
        /^id\tname\tmade_by\tcreated_at\tlast_used_at\nrdk_\w+\tsupport desk\tintake key\t\S+\tnever$/,
      );
      assert.ok(!listed.out.includes(made.out));
      const taken = ["--take-back", key?.id ?? ""];
      assert.equal((await run(readKeys, [...whose, ...taken])).code, 0);
      assert.deepEqual((await run(readKeys, [...whose, ...taken])).err, "This key was taken back already.");
      assert.equal((await run(readKeys, whose)).err, "There is no key.");
    });
  }

  test("says what is wrong with its flags, its account and its name", async () => {
    for (const args of [["--all", "--account", "main"], ["--make", "a", "--take-back", "b"], ["--manage"]]) {
      assert.equal((await run(readKeys, args)).code, 2);
    }
    assert.match((await run(readKeys, ["--make", "x".repeat(99)])).err, /name must have at most 80 characters, not 99/);
    const closed = await run(readKeys, ["--make", "a", "--manage"]);
    assert.deepEqual([closed.code, closed.out], [1, ""]);
    assert.match(closed.err, /^Managing by programs is closed there: BELLWIRE_MANAGEMENT=1 opens it/);
    assert.match((await run(readKeys, ["--account", "none", "--make", "a"])).err, /There is no account "none"/);
  });
});

describe("--json", () => {
  test("of sessions has the names of the API", async () => {
    await signIn(service.app, { accountId: "main", person: "ana@example.com" });
    const { out } = await run(sessions, ["--json"]);
    const [row] = JSON.parse(out) as Record<string, string>[];
    assert.deepEqual(Object.keys(row ?? {}), ["person", "role", "since", "last_seen", "expires_at"]);
  });

  test("of doctor has every finding, and the exit code stays", async () => {
    const { code, out } = await run(doctor, ["--json"]);
    const { can_run, findings } = JSON.parse(out) as { can_run: boolean; findings: { level: string; text: string }[] };
    assert.equal(can_run, code === 0);
    assert.ok(findings.some(({ text }) => text === "The settings are valid."));
    assert.ok(findings.every(({ level }) => ["fine", "warning", "bad"].includes(level)));
  });

  test("of events check has types, hints and breaks", async () => {
    const { code, out } = await run(events, ["check", "examples/events", "--json"]);
    const { types, hints, breaks } = JSON.parse(out) as Record<string, readonly { type: string }[]>;
    assert.deepEqual([code, types?.length, breaks], [0, 3, []]);
    assert.ok(Array.isArray(hints));
    assert.equal((await run(events, ["types", "examples/events", "--json"])).code, 2);
  });
});
