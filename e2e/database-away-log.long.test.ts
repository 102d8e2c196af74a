/**
 * The lines that a node logs while its PostgreSQL is away and callers go on: a line where it begins, counts
 * between, and a line where it ends. `BELLWIRE_AWAY_SECONDS=20` makes it another time and prints the figures.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startCluster } from "../test/kit/servers/postgres.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { newFolder } from "../test/kit/folder.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { drained, startService } from "../test/kit/process/running.ts";
import { eventually } from "../test/kit/wait.ts";

const AWAY_SECONDS = Number(process.env["BELLWIRE_AWAY_SECONDS"] ?? 6);
const CALLS_PER_SECOND = 50;

const AWAY = `${AWAY_SECONDS} s without PostgreSQL at ${CALLS_PER_SECOND} calls a second`;

test(`${AWAY} are few lines without a stack, and its return is one`, async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(newFolder());
  const cluster = stack.use(await startCluster());
  const database = await cluster.createDatabase();
  const receiver = stack.use(await startReceiver());
  await setUpAccount({ dataDir: folder.path, database, assistants: { bot: receiver.url } });
  const service = stack.use(await startService({ dataDir: folder.path, env: { BELLWIRE_DATABASE: database } }));
  const post = (): Promise<number> =>
    service.post("chat-conversations", conversationRecord(randomUUID(), "bot")).then(({ status }) => status);
  const lines = (): readonly string[] => service.child.out.all.filter((line) => !line.includes('"delivery.attempted"'));

  const calls: Promise<number>[] = [];
  const callFor = async (seconds: number): Promise<void> => {
    for (let count = 0; count < seconds * CALLS_PER_SECOND; count += 1) {
      calls.push(post());
      await sleep(1_000 / CALLS_PER_SECOND);
    }
  };
  await callFor(1);
  const before = lines().length;
  await cluster.stop("immediate");
  await callFor(AWAY_SECONDS);
  await cluster.start();
  await callFor(1);
  await eventually("a line that it has ended", () =>
    Promise.resolve(lines().some((line) => line.includes("failed.ended"))),
  );
  await eventually("it takes records again", async () => (await post()) === 202);
  await drained(service);

  const written = lines().slice(before);
  const statuses = await Promise.all(calls);
  const refused = statuses.filter((status) => status === 503).length;
  if (process.env["BELLWIRE_AWAY_SECONDS"] !== undefined) {
    console.log(
      `${AWAY_SECONDS} s: ${refused} refused, ${written.length} lines, ${written.join("\n").length} characters`,
    );
    console.log(written.join("\n"));
  }
  assert.ok(refused > (AWAY_SECONDS * CALLS_PER_SECOND) / 2, `${refused} calls were refused`);
  assert.ok(written.length <= Math.max(6, AWAY_SECONDS), written.join("\n"));
  assert.doesNotMatch(written.join("\n"), /stack|node_modules|\.ts:\d/);
  const ended = written.filter((line) => line.includes("bellwire.failed.ended")).map((line) => JSON.parse(line));
  assert.ok(
    ended.some(({ times }) => times >= refused),
    JSON.stringify(ended),
  );
});
