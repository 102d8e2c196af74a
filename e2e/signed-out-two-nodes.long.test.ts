/** Somebody is signed out on one node: the other refuses their next call at once, and ends their open page soon. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { putAccount } from "../src/accounts/put-account.ts";
import { call, startNode } from "../test/kit/process/node.ts";
import { listenLive } from "../test/kit/browser/live-page.ts";
import { type SharedCluster, shareCluster } from "../test/kit/servers/postgres.ts";
import { signIn } from "../test/kit/world/signed-in.ts";
import { soon } from "../test/kit/wait.ts";

let cluster: SharedCluster;

before(async () => {
  cluster = await shareCluster();
});
after(() => cluster[Symbol.asyncDispose]());

/** One second from look to look, and much room for a machine that is busy. Two are promised. */
const TOLD_MS_MAX = 8_000;

test("a person who is signed out on one node is refused at once and told within two seconds on another", async (t) => {
  const url = await cluster.createStoreDatabase();
  await using one = await startNode(url);
  await using other = await startNode(url);
  await putAccount(one.accounts, { id: "acme", name: "", plan: "free", appUrl: "https://app.example.com" });
  const bo = await signIn(one, { accountId: "acme", person: "bo@example.com" });
  const ana = await signIn(one, { accountId: "acme", person: "ana@example.com" });
  using bosPage = await listenLive({ port: one.port, cookie: bo.cookie });
  using anasPage = await listenLive({ port: one.port, cookie: ana.cookie });
  assert.equal((await bo.call("GET /session")).status, 200);

  const startMs = performance.now();
  const ended = await call(other, { method: "DELETE", accountId: "acme", path: "/sessions?person=bo%40example.com" });
  assert.deepEqual(ended.body, { sessions_ended: 1, links_ended: 0 });
  assert.equal((await bo.call("GET /session")).status, 401);
  await soon(
    Promise.all([bosPage.next(({ topic }) => topic === "ended"), bosPage.ended]),
    "the end of the page on the other node",
  );
  const tookMs = performance.now() - startMs;
  t.diagnostic(`the page was told after ${Math.round(tookMs)} ms`);
  assert.ok(tookMs < TOLD_MS_MAX, `${tookMs} ms`);
  assert.equal((await ana.call("GET /session")).status, 200);
  assert.ok(!anasPage.frames.some(({ topic }) => topic === "ended"));
});
