/** `bellwire/client/pull` against the real service, and a program that only polls now and then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startDashboard } from "../../test/kit/world/dashboard.ts";
import { createPulled } from "../../test/kit/world/alerts.ts";
import { eventually } from "../../test/kit/wait.ts";
import { makePullToken } from "../accounts/pull-token.ts";
import { verify } from "../receiver/verify-event.ts";
import { pull } from "./pull.ts";
import type { PulledMessage } from "./shown.ts";

const ACCOUNT = "acme";
const BY = { person: "ada@example.com", role: "owner" } as const;

async function start() {
  const dashboard = await startDashboard();
  const asked = await createPulled(dashboard.app.accounts, { accountId: ACCOUNT });
  const countWaiting = async () => (await dashboard.app.store.countWaiting({ nowMs: Date.now() })).waiting;
  return { dashboard, ...asked, url: dashboard.url, countWaiting };
}

test("each message is handled, acknowledged, and comes again where it failed", { timeout: 60_000 }, async () => {
  const { dashboard, url, token, countWaiting } = await start();
  await using _ = dashboard;
  const secret = (await dashboard.app.accounts.accounts.load(ACCOUNT))?.secrets.current.secret ?? "";
  for (let n = 1; n <= 5; n += 1) await dashboard.postSession(n);
  const handled: PulledMessage[] = [];
  const failures: string[] = [];
  const stop = new AbortController();
  const pulling = pull(
    {
      url,
      token,
      limit: 1,
      signal: stop.signal,
      onFailure: (error, { id }) => failures.push(`${id} ${String(error)}`),
    },
    (message) => {
      if (failures.length === 0 && handled.length === 2) throw new Error("busy");
      handled.push(message);
    },
  );
  await eventually("all are handled", async () => handled.length === 5);
  stop.abort();
  assert.deepEqual(await pulling, { kind: "stopped" });
  assert.equal(await countWaiting(), 0, "the last one is acknowledged too");
  const [failed = ""] = failures;
  assert.deepEqual([failures.length, failed.split(" ")[0]], [1, handled[2]?.id]);
  assert.equal(new Set(handled.map(({ id }) => id)).size, 5);
  for (const { headers, body } of handled) assert.ok(verify(Buffer.from(body), headers, secret).valid);
});

test("a backlog comes by more and more a question", { timeout: 60_000 }, async () => {
  const { dashboard, url, token, countWaiting } = await start();
  await using _ = dashboard;
  await dashboard.postSessions(100);
  const handled = new Set<string>();
  const stop = new AbortController();
  let questions = 0;
  const counted = (address: string, init: RequestInit) => {
    questions += 1;
    return fetch(address, init);
  };
  const options = { url, token, signal: stop.signal, outside: { fetch: counted } };
  const pulling = pull(options, ({ id }) => {
    handled.add(id);
    if (handled.size === 100) stop.abort();
  });
  assert.deepEqual(await pulling, { kind: "stopped" });
  assert.equal(await countWaiting(), 0);
  assert.ok(questions <= 9, `${questions} questions`);
});

test("a longer pause than a call may take is waited for, not asked for in a loop", async () => {
  const stop = new AbortController();
  const askedAtMs: number[] = [];
  let nowMs = 0;
  let looks = 0;
  const outside = {
    nowMs() {
      looks += 1;
      assert.ok(looks < 10_000, "it looks again and again, and never waits");
      return nowMs;
    },
    wait: async (delayMs: number) => void (nowMs += delayMs),
    async fetch() {
      askedAtMs.push(nowMs);
      if (askedAtMs.length === 2) stop.abort();
      return new Response("", { status: 503, headers: { "retry-after": "300" } });
    },
  };
  const options = { url: "http://localhost:1", token: "bwp_x", retryForMs: 60_000, signal: stop.signal, outside };
  assert.deepEqual(await pull(options, () => {}), { kind: "stopped" });
  const [first, second = 0] = askedAtMs;
  assert.equal(first, 0);
  assert.ok(second >= 300_000 && second < 302_000, `${second} ms`);
});

test("a wrong token stays wrong, also where the service asks for a pause because of many", async () => {
  const problem = { status: 429, code: "too_many_bad_tokens", detail: "Wait a minute." };
  const answer = async () => Response.json(problem, { status: 429, headers: { "retry-after": "60" } });
  const ended = await pull({ url: "http://localhost:1", token: "bwp_x", outside: { fetch: answer } }, () => {});
  assert.deepEqual(ended, { kind: "refused", ...problem, errors: [] });
});

test("a limit that the service would refuse is refused at once", async () => {
  for (const limit of [0, 2.5, 501]) {
    await assert.rejects(
      pull({ url: "http://localhost:1", token: "bwp_x", limit }, () => {}),
      /^Error: limit is/,
    );
  }
});

test("what was handled is not handled again when its acknowledgement came too late", { timeout: 60_000 }, async () => {
  const { dashboard, url, token, countWaiting } = await start();
  await using _ = dashboard;
  await dashboard.postSession(1);
  const handled: string[] = [];
  const stop = new AbortController();
  let lostUntilMs: number | null = null;
  const losing = async (address: string, init: RequestInit) => {
    if (address.includes("ack=")) lostUntilMs ??= performance.now() + 1_500;
    if (performance.now() < (lostUntilMs ?? 0)) throw new Error("away");
    return await fetch(address, init);
  };
  const options = { url, token, holdSeconds: 1, retryForMs: 100, signal: stop.signal, outside: { fetch: losing } };
  const pulling = pull(options, ({ id }) => void handled.push(id));
  await eventually("it is acknowledged", async () => handled.length > 0 && (await countWaiting()) === 0);
  stop.abort();
  await pulling;
  assert.equal(handled.length, 1);
});

test("waits for what comes, and ends with the refusal when its token is replaced", { timeout: 60_000 }, async () => {
  const { dashboard, url, token, destinationId, countWaiting } = await start();
  await using _ = dashboard;
  const handled: string[] = [];
  const pulling = pull({ url, token, limit: 50 }, ({ id }) => void handled.push(id));
  await eventually("it waits", async () => dashboard.app.waits.count() === 1);
  await dashboard.postSession(1);
  await eventually("it was acknowledged", async () => handled.length === 1 && (await countWaiting()) === 0);
  await makePullToken(dashboard.app.accounts, { accountId: ACCOUNT, destinationId, by: BY });
  await dashboard.postSession(2);
  const ended = await pulling;
  assert.deepEqual([ended.kind, ended.kind === "refused" && ended.status], ["refused", 401]);
  assert.deepEqual([handled.length, await countWaiting()], [1, 1], "the second is for whoever has the new token");
});

interface Asked {
  readonly url: string;
  readonly token: string;
}

interface Polled {
  readonly claim: string | null;
  readonly messages: readonly { readonly id: string }[];
}

/** As a flow of n8n polls: started anew each time, it keeps one text between two runs, and asks until nothing comes. */
async function runFlow({ url, token }: Asked, kept: { claim: string | null }, diesAfter = Infinity) {
  const ids: string[] = [];
  for (let runs = 0; ; runs += 1) {
    const ended = kept.claim === null ? "" : `&ack=${kept.claim}`;
    const answer = await fetch(`${url}/pull?limit=10&hold=1${ended}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.status === 409) {
      kept.claim = null;
      continue;
    }
    assert.equal(answer.status, 200);
    const { claim, messages } = (await answer.json()) as Polled;
    // It dies before it has written down what it got.
    if (runs >= diesAfter) return ids;
    ids.push(...messages.map(({ id }) => id));
    kept.claim = claim;
    if (messages.length === 0) return ids;
  }
}

test("a flow that polls, dies and polls again gets each event, and none twice that it had kept", async () => {
  const { dashboard, url, token, countWaiting } = await start();
  await using _ = dashboard;
  await dashboard.postSessions(35);
  const kept = { claim: null };
  const first = await runFlow({ url, token }, kept, 2);
  assert.equal(first.length, 20);
  const all = [...first];
  // What died with it comes when its second is over.
  await eventually("it has got all", async () => {
    all.push(...(await runFlow({ url, token }, kept)));
    return all.length >= 35;
  });
  assert.deepEqual([new Set(all).size, all.length], [35, 35]);
  assert.deepEqual(await runFlow({ url, token }, kept), []);
  assert.equal(await countWaiting(), 0);
});
