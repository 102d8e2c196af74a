/**
 * PostgreSQL's own log belongs to somebody else: a node's start, work and stop leave no warning and no error in it, but
 * for the one record that `repeats.ts` finds out by: one in 10,000 transactions of a node.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sessionRecord } from "../../../test/kit/process/records.ts";
import { startCluster } from "../../../test/kit/servers/postgres.ts";
import { call, startNode } from "../../../test/kit/process/node.ts";

const LOGGED = ["log_min_messages=warning", "logging_collector=on", "log_directory=log", "log_rotation_age=0"];

test("writes nothing into PostgreSQL's log at two starts, some work and a stop", async () => {
  await using cluster = await startCluster({ settings: LOGGED });
  const url = await cluster.createDatabase();
  const folder = join(new URL(url).searchParams.get("host") ?? "", "data", "log");
  const lines = () => readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  const before = lines().length;
  for (const turn of [1, 2]) {
    await using node = await startNode(url);
    const account = { name: "Acme", plan: "starter", app_url: "https://app.example.com" };
    assert.ok((await call(node, { method: "PUT", path: "", payload: account })).status < 300);
    for (const id of [ids[turn], ids[turn], ids[0]]) {
      const answer = await call(node, { method: "POST", path: "/demo-sessions", payload: sessionRecord(id ?? "") });
      assert.ok(answer.status < 300, JSON.stringify(answer));
    }
    assert.equal((await node.server.inject({ url: "/readyz" })).statusCode, 200);
    assert.equal((await node.server.inject({ url: "/metrics" })).statusCode, 200);
  }
  const told = lines()
    .slice(before - 1)
    .filter((line) => / (?:WARNING|ERROR|FATAL|PANIC|LOG): /.test(line));
  const [repeats, others] = ["event_keys_pkey", ""].map((word) => told.filter((line) => line.includes(word)));
  assert.deepEqual(others, repeats);
  assert.ok((repeats?.length ?? 0) <= 2, "one for each node");
});
