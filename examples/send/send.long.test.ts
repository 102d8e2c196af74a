/**
 * Each program that sends, against a server that misbehaves first and against the service itself: it tries again with
 * the same key and no sooner than it was asked, and gives up at once where the record is refused. Languages that this
 * machine cannot run are skipped by name.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { type Behaviour, startReceiver } from "../../test/kit/servers/receiver.ts";
import { bringLanguages } from "../verify/run-receiver.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";

const PROGRAMS = [
  { name: "Python", probe: ["python3", "--version"], start: ["python3", "send.py"] },
  { name: "Go", probe: ["go", "version"], start: ["go", "run", "send.go"] },
  { name: "PHP", probe: ["php", "-r", "curl_init();"], start: ["php", "send.php"] },
  { name: "Ruby", probe: ["ruby", "--version"], start: ["ruby", "send.rb"] },
  { name: "Java", probe: ["java", "--version"], start: ["java", "Send.java"] },
  // A file alone can be run since .NET 10.
  {
    name: "C#",
    probe: ["bash", "-c", "(( $(dotnet --version | cut -d. -f1) >= 10 ))"],
    start: ["dotnet", "run", "Send.cs"],
  },
] as const;

const isHere = ([command, ...args]: readonly [string, ...string[]]): boolean => spawnSync(command, args).status === 0;

bringLanguages();

interface Sent {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function send(url: string, [command, ...args]: readonly [string, ...string[]], record: string): Promise<Sent> {
  const env = { ...process.env, BELLWIRE_URL: url, BELLWIRE_API_KEY: API_KEY };
  const child = spawn(command, [...args, "acme", "demo_viewed", demoViewed.example["id"] as string], {
    cwd: import.meta.dirname,
    env,
  });
  child.stdin.end(record);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

const RECORD = JSON.stringify(demoViewed.example);
const FIRST: readonly Behaviour[] = [
  { status: 503, headers: { "retry-after": "1" }, body: "{}" },
  { kind: "close" },
  { status: 429, body: "{}" },
];

for (const { name, probe, start } of PROGRAMS) {
  describe(`sending in ${name}`, { skip: isHere(probe) ? false : `${probe[0]} is not on this machine` }, () => {
    test("tries again with the same key, and no sooner than it was asked", async () => {
      await using receiver = await startReceiver(({ number }) => FIRST[number - 1] ?? { status: 202, body: "taken" });
      const { code, out } = await send(receiver.url, start, RECORD);
      assert.deepEqual([code, out.trim(), receiver.requests.length], [0, "taken", 4]);
      const keys = new Set(receiver.requests.map(({ headers }) => headers["idempotency-key"]));
      assert.deepEqual([...keys], [demoViewed.example["id"]]);
      for (const { body, path, headers } of receiver.requests) {
        assert.deepEqual([body.toString(), path], [RECORD, "/v1/accounts/acme/events/demo_viewed"]);
        assert.deepEqual(
          [headers["authorization"], headers["content-type"]],
          [`Bearer ${API_KEY}`, "application/json"],
        );
      }
      const [first, second] = receiver.requests;
      assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 990);
    });

    test("is taken by the service, whose refusal it prints and does not ask again", async () => {
      await using service = await createTestApp();
      const { port } = await service.app.start();
      const url = `http://127.0.0.1:${port}`;
      const account = { name: "Acme", plan: "growth", app_url: "https://app.example.com" };
      await service.put("/v1/accounts/acme", account);
      const taken = await send(url, start, RECORD);
      assert.deepEqual([taken.code, (JSON.parse(taken.out) as { duplicate: boolean }).duplicate], [0, false]);
      const again = await send(url, start, RECORD);
      assert.equal((JSON.parse(again.out) as { duplicate: boolean }).duplicate, true);
      const startedMs = performance.now();
      const refused = await send(url, start, "{}");
      assert.equal(refused.code, 1);
      assert.match(refused.err, /invalid_record/);
      assert.ok(performance.now() - startedMs < 20_000);
    });
  });
}

test("each of them says what it is for, and is short", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => !file.endsWith(".ts"));
  assert.equal(files.length, PROGRAMS.length);
  for (const file of files) {
    const source = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
    for (const word of ["Idempotency-Key", "Bearer ", "408", "429", "BELLWIRE_API_KEY", "BELLWIRE_URL"]) {
      assert.ok(source.toLowerCase().includes(word.toLowerCase()), `${file}: ${word}`);
    }
    assert.ok(source.split("\n").length <= 65, file);
  }
});
