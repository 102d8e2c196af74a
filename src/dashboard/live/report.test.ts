import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, answer, conversation, session } from "../../../test/kit/world/world.ts";
import { createLiveReport } from "./report.ts";
import type { LiveNews } from "../call/context.ts";

/** Every piece of news as one line. */
function createJournal() {
  const lines: string[] = [];
  const news: LiveNews = {
    deliveriesChanged: (accountId, deliveries) => {
      for (const { status, isNew, isTest } of deliveries) {
        lines.push(`${accountId} delivery ${status}${isNew ? " new" : ""}${isTest ? " test" : ""}`);
      }
    },
    destinationsChanged: (accountId, ids) => void lines.push(`${accountId} destinations ${ids.length}`),
    replaysChanged: (accountId, ids) => void lines.push(`${accountId} replays ${ids.length}`),
    configurationChanged: (accountId) => void lines.push(`${accountId} configuration`),
    sessionsEnded: (accountId) => void lines.push(`${accountId} sessions`),
  };
  return { lines, report: createLiveReport(news) };
}

async function runWith(statuses: readonly number[]): Promise<string[]> {
  const { lines, report } = createJournal();
  const world = await createWorld({ receiver: (_request, place) => answer(statuses[place - 1] ?? 200), report });
  await world.setUpAccount();
  await world.setUpAlert();
  for (const number of statuses.keys()) {
    await world.accept(session(number));
    await world.run();
  }
  await world.store[Symbol.asyncDispose]();
  return lines;
}

test("a delivery is news when it is accepted and when it has been sent; a first success is health news", async () => {
  assert.deepEqual(await runWith([200]), [
    "acct-1 delivery waiting new",
    "acct-1 delivery delivered",
    "acct-1 destinations 1",
  ]);
});

test("further successes are not health news: nothing has changed", async () => {
  const lines = await runWith([200, 200, 200]);
  assert.equal(lines.filter((line) => line.includes("destinations")).length, 1);
});

test("a failure is health news, and so is the success that follows it", async () => {
  assert.deepEqual((await runWith([200, 500, 200])).slice(3), [
    "acct-1 delivery waiting new",
    "acct-1 delivery retrying",
    "acct-1 destinations 1",
    "acct-1 delivery waiting new",
    "acct-1 delivery delivered",
    "acct-1 destinations 1",
  ]);
});

test("a conversation that creates its assistant is news of the configuration, and the next one is not", async () => {
  const { lines, report } = createJournal();
  const world = await createWorld({ report });
  await world.setUpAccount();
  for (const number of [1, 2]) await world.accept(conversation(number, { assistant_id: "new-one" }));
  await world.store[Symbol.asyncDispose]();
  assert.deepEqual(lines, ["acct-1 configuration"]);
});

test("a destination that is turned off is health news", async () => {
  const lines = await runWith([410]);
  assert.deepEqual(lines.slice(1), ["acct-1 delivery retrying", "acct-1 destinations 1", "acct-1 destinations 1"]);
});

test("a test is news as a test, and not of anybody's health", () => {
  const { lines, report } = createJournal();
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 };
  const tested = { accountId: "acme", deliveryId: "dlv_1", destinationId: null };
  report.tested({ ...tested, result: { outcome: answer(204), timings, address: null } });
  report.tested({ ...tested, result: { outcome: answer(302), timings, address: null } });
  assert.deepEqual(lines, ["acme delivery delivered new test", "acme delivery failed new test"]);
});

test("replays are news for the accounts that they belong to", () => {
  const { lines, report } = createJournal();
  report.replaysStepped({
    replays: [
      { accountId: "acme", replayId: "rpl_1" },
      { accountId: "other", replayId: "rpl_2" },
    ],
  });
  assert.deepEqual(lines, ["acme replays 1", "other replays 1"]);
});
