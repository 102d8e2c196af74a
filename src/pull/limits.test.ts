/** What programs may take of a node: the size of an answer, places until it is read, and a rate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { listLog, noneWaits, startAsked, waitsOf } from "../../test/kit/world/asked.ts";
import { createPulled } from "../../test/kit/world/alerts.ts";
import { OWNERS_ACCOUNT, startDashboard } from "../../test/kit/world/dashboard.ts";
import { ask, idsOf } from "../../test/kit/process/asking.ts";
import { eventually } from "../../test/kit/wait.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { LIMITS } from "../domain/limits.ts";
import { ANSWER_CHARS_MAX } from "./messages.ts";
import { createWaits } from "./waits.ts";

const accountId = OWNERS_ACCOUNT;

/** Makes of each event a body of some 250 KB. */
const LARGE = JSON.stringify({
  many: Array.from({ length: LIMITS.templatePlaceholdersMax }, () => "{{payload}}"),
});

describe("the size of an answer", () => {
  test("bodies that a template makes large come in several answers, and none is lost", async () => {
    const dashboard = await startDashboard();
    await using _ = dashboard;
    const { token, destinationId } = await createPulled(dashboard.app.accounts, {
      accountId,
      body: "template",
      template: LARGE,
    });
    await dashboard.postSessions(40);
    const sizes: number[] = [];
    const ids: string[] = [];
    for (let claim: string | null = null; ids.length < 40;) {
      const asked = await ask(dashboard.url, token, `limit=100${claim === null ? "" : `&ack=${claim}`}`);
      const { answer } = asked;
      assert.ok(answer.messages.length > 0);
      ids.push(...idsOf(asked));
      sizes.push(answer.messages.reduce((sum, { body }) => sum + body.length, 0));
      claim = answer.claim;
    }
    assert.equal(new Set(ids).size, 40);
    assert.ok(sizes.length > 1 && Math.max(...sizes) < ANSWER_CHARS_MAX + LIMITS.madeBodyBytesMax, String(sizes));
    const log = await listLog(dashboard, destinationId);
    assert.ok(log.every(({ attemptsMade }) => attemptsMade <= 1));
  });
});

describe("places of questions that wait", () => {
  test("are ten of a token", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    const waiting = Array.from({ length: 10 }, () => ask(dashboard.url, token, "wait=2"));
    await eventually("all wait", async () => waitsOf(dashboard) === 10);
    const refused = await ask(dashboard.url, token, "wait=1");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "5"]);
    assert.equal((await ask(dashboard.url, token)).status, 200, "one that does not wait is answered");
    await Promise.all(waiting);
  });

  test("a question that finds none has acknowledged nothing: it can be asked again as it is", async () => {
    const { dashboard, token, destinationId } = await startAsked();
    await using _ = dashboard;
    await dashboard.postSessions(1);
    const { claim } = (await ask(dashboard.url, token)).answer;
    const waiting = Array.from({ length: 10 }, () => ask(dashboard.url, token, "wait=2"));
    await eventually("all wait", async () => waitsOf(dashboard) === 10);
    assert.equal((await ask(dashboard.url, token, `wait=1&ack=${claim}`)).status, 429);
    assert.equal((await listLog(dashboard, destinationId))[0]?.state, "pending");
    await Promise.all(waiting);
    await noneWaits(dashboard);
    assert.equal((await ask(dashboard.url, token, `wait=1&ack=${claim}`)).status, 200);
    assert.equal((await listLog(dashboard, destinationId))[0]?.state, "delivered");
  });

  test("where a node has no room, the account that waits most gives way to one that waits less", async () => {
    const clock = createVirtualClock();
    const waits = createWaits({ clock, waitsMax: 4, store: { listPulledDue: () => Promise.resolve([]) } });
    const open = (account: string, n: number) => waits.open({ accountId: account, destinationId: `${account}.${n}` });
    const many = [1, 2, 3, 4].map((n) => open("many", n));
    assert.equal(open("many", 5), null);
    const gone = many[0]?.untilWoken(1_000, AbortSignal.timeout(5_000));
    const few = [open("few", 1), open("few", 2)];
    await gone;
    assert.deepEqual(
      [...many, ...few].map((wait) => wait?.isOver()),
      [true, true, false, false, false, false],
    );
    assert.equal(open("few", 3), null, "both have as many");
    assert.equal(waits.count(), 4);
    for (const wait of [...many, ...few]) wait?.[Symbol.dispose]();
    assert.equal(waits.count(), 0);
    waits.stop();
  });
});

/** A program that asks, and reads no more of the answer than its beginning. */
async function askUnread(url: string, token: string, query: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(`GET /pull?${query} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

test("an account that reads no answer is refused, others are not, and its messages come again", async () => {
  await using dashboard = await startDashboard();
  const { accounts } = dashboard.app;
  const { token } = await createPulled(accounts, { accountId, body: "template", template: LARGE });
  const another = await createPulled(accounts, { accountId, name: "Another" });
  // More than the system keeps of an answer for a connection.
  const query = "limit=16&hold=1";
  await dashboard.postSessions(16 * 8);
  const unread: Socket[] = [];
  while (dashboard.app.server.hasCapacityForAnswer(accountId) && unread.length < 7) {
    unread.push(await askUnread(dashboard.url, token, query));
  }
  for (const each of [token, another.token]) {
    const refused = await ask(dashboard.url, each, query);
    assert.deepEqual([refused.status, refused.problem.code], [429, "too_many_pulls"]);
    assert.match(refused.problem.detail, /have not been read/);
  }
  assert.ok(dashboard.app.server.hasCapacityForAnswer("another account"));
  for (const socket of unread) socket.destroy();
  await eventually("it is answered again", async () => (await ask(dashboard.url, another.token)).status === 200);
  await eventually("messages come again", async () => (await ask(dashboard.url, token)).answer.messages.length > 0);
});

describe("a token's rate", () => {
  test("more than its rate is refused with a pause, and those of others are not", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    const other = await createPulled(dashboard.app.accounts, { accountId, name: "Another" });
    let refused = await ask(dashboard.url, token);
    for (let n = 0; n < 500 && refused.status === 200; n += 1) refused = await ask(dashboard.url, token);
    assert.deepEqual([refused.status, refused.problem.code], [429, "too_many_pulls"]);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await ask(dashboard.url, other.token)).status, 200);
  });

  test("more than its rate waits for its turn where it may wait", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    await dashboard.postSessions(100);
    const statuses: number[] = [];
    const askOn = async () => {
      for (let n = 0; n < 25; n += 1) statuses.push((await ask(dashboard.url, token, "limit=1&wait=1")).status);
    };
    await Promise.all([1, 2, 3, 4].map(askOn));
    assert.deepEqual([statuses.length, statuses.filter((status) => status !== 200)], [100, []]);
  });
});
