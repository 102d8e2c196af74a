/** `--json`: every command that ends by itself has it, and prints one value then, on standard output and alone. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { systemClock } from "../lib/clock.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { COMMANDS } from "./catalog.ts";

/** They print what comes, until they are asked to stop. */
const UNTIL_STOPPED: readonly string[] = ["serve", "demo", "bridge", "listen", "pull"];

const ended = Object.entries(COMMANDS).filter(([name]) => !UNTIL_STOPPED.includes(name));

async function run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { io, out, err } = createFakeIo(args, env);
  const { run: command } = COMMANDS[name] ?? assert.fail(name);
  const code = await command(io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

for (const [name] of ended) {
  test(`bellwire ${name} has --json`, async () => {
    const { code, out } = await run(name, ["--help"]);
    assert.equal(code, 0);
    assert.match(out, /^ {2}--json /m);
  });
}

async function readValue(name: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { code, out, err } = await run(name, [...args, "--json"], env);
  assert.ok(out !== "", err);
  return { code, value: JSON.parse(out) };
}

describe("of a running service", () => {
  let service: Awaited<ReturnType<typeof createTestApp>>;
  let env: Readonly<Record<string, string>>;

  before(async () => {
    service = await createTestApp();
    const { port } = await service.app.start();
    env = { BELLWIRE_PORT: String(port), BELLWIRE_API_KEY: API_KEY };
    await service.put("/v1/accounts/main", { name: "Main", plan: "starter", app_url: "https://app.example.com" });
  });
  after(() => service.app.stop());

  test("dashboard-link prints the link and its end", async () => {
    const { value } = await readValue("dashboard-link", [], env);
    assert.deepEqual(Object.keys(value), ["url", "expires_at"]);
    assert.ok(URL.canParse(value.url) && Date.parse(value.expires_at) > 0);
  });

  test("sessions prints how many were ended, and read-keys which key was taken back", async () => {
    const { value } = await readValue("sessions", ["--end", "--everybody"], env);
    assert.deepEqual(value, { sessions_ended: 0, links_ended: 1 });
    const { value: made } = await readValue("read-keys", ["--make", "desk"], env);
    const { value: taken } = await readValue("read-keys", ["--take-back", made.id], env);
    assert.deepEqual(taken, { id: made.id, is_taken_back: true });
  });

  test("send prints the counts, and what the service answered to each record", async () => {
    const one = await readValue("send", [], env);
    assert.deepEqual([one.code, one.value.accepted, one.value.records.length], [0, 1, 1]);
    assert.match(one.value.records[0].event_id, /^evt_/);
    using folder = newFolder();
    const path = join(folder.path, "records.ndjson");
    writeFileSync(path, `${JSON.stringify(demoViewed.example)}\n{"id": 1}\n`);
    const { code, value } = await readValue("send", ["--event", demoViewed.type, "--file", path], env);
    assert.deepEqual([code, value.all, value.accepted, value.refused], [1, 2, 1, 1]);
    assert.equal(value.records[1].code, "invalid_record");
  });

  test("erase prints what was taken out, and what is under way", async () => {
    const { code, value } = await readValue("erase", ["--email", "nobody@example.com"], env);
    assert.equal(code, 0);
    assert.deepEqual(value, {
      events: 0,
      answers: 0,
      cancelled: 0,
      searches: 0,
      inbox_records: 0,
      refused_records: 0,
      in_flight: 0,
    });
  });
});

test("backup, restore and adopt print the file and what is in it", async () => {
  using folder = newFolder();
  await using _ = await openSqliteStore({ path: join(folder.path, "bellwire.db"), clock: systemClock });
  const here = { BELLWIRE_DATA_DIR: folder.path };
  const file = join(folder.path, "copy.db");
  const { value } = await readValue("backup", ["--to", file], here);
  assert.deepEqual([value.file, value.events, value.pending, value.removed], [file, 0, 0, []]);
  using other = newFolder();
  const there = { BELLWIRE_DATA_DIR: other.path };
  const { value: restored } = await readValue("restore", ["--from", file], there);
  assert.deepEqual([restored.bytes, restored.schema_version, restored.kept], [value.bytes, value.schema_version, null]);
  const { value: adopted } = await readValue("adopt", [], there);
  assert.deepEqual(adopted, { was_held: true, shards_taken: [], shards_away: [] });
});

test("notify-test prints what it met, also where it was not taken", async () => {
  await using receiver = await startReceiver({ status: 401 });
  const secret = `whsec_${Buffer.alloc(32, "operator").toString("base64")}`;
  const env = { BELLWIRE_OPERATOR_WEBHOOK_URL: receiver.url, BELLWIRE_OPERATOR_WEBHOOK_SECRET: secret };
  const { code, value } = await readValue("notify-test", [], env);
  assert.deepEqual([code, value.is_told, value.met], [1, false, "status 401"]);
});
