/** Calls against a real server on a port of its own; of the browser only `document.baseURI` is made up. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import {
  ApiProblem,
  call,
  forgetEarlyAnswers,
  isPassing,
  isSignedOut,
  learnServiceClock,
  NetworkLoss,
  serviceNowMs,
} from "./api.ts";
import { makeAlertForm } from "../test/kit/make.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let seen: Seen;
let answer: { status: number; type?: string; body?: string };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
    response.writeHead(answer.status, answer.type === undefined ? {} : { "content-type": answer.type });
    response.end(answer.body);
  });
});

before(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  serveUnder("/below/");
});
after(() => {
  server.close();
  server.closeAllConnections();
});

function serveUnder(path: string, port = (server.address() as AddressInfo).port): void {
  Object.assign(globalThis, { document: { baseURI: `http://127.0.0.1:${port}${path}` } });
}

const json = (body: unknown, status = 200): typeof answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(body),
});
const refusal = (status: number, members: Record<string, unknown>): typeof answer => ({
  status,
  type: "application/problem+json",
  body: JSON.stringify(members),
});

test("an answer of the page's start is given once, and not once changes are told", async () => {
  const asked = new Map<string, unknown>();
  Object.assign(globalThis, { window: { bellwireAsked: asked } });
  const ask = () =>
    asked.set(
      new URL("dashboard/alerts", document.baseURI).href,
      Promise.resolve({ response: Response.json({ alerts: ["early"] }), atMs: Date.now() }),
    );
  answer = json({ alerts: [] });
  const list = async () => (await call("GET /alerts")).alerts.length;
  ask();
  assert.deepEqual([await list(), await list()], [1, 0]);
  ask();
  forgetEarlyAnswers();
  assert.equal(await list(), 0);
  Reflect.deleteProperty(globalThis, "window");
});

test("params, query, body and revision go where they belong, below the base", async () => {
  answer = json({ id: "a/1", revision: 4 });
  const body = makeAlertForm({ name: "n", webhooksOn: false, webhook: null });
  const saved = await call("PUT /alerts/:id", { params: { id: "a/1" }, body, ifMatch: 3 });
  assert.deepEqual(saved, { id: "a/1", revision: 4 });
  assert.equal(`${seen.method} ${seen.url}`, "PUT /below/dashboard/alerts/a%2F1");
  assert.equal(seen.headers["if-match"], '"3"');
  assert.equal(seen.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(seen.body), body);

  answer = json({ deliveries: [], nextCursor: null });
  await call("GET /deliveries", { query: { status: "failed,waiting", q: "", from: "5" } });
  assert.equal(seen.url, "/below/dashboard/deliveries?status=failed%2Cwaiting&from=5");
  assert.equal(seen.headers["x-bellwire-search"], undefined);
});

test("what is searched for stands in no address, whatever is in it", async () => {
  answer = json({ deliveries: [], nextCursor: null });
  for (const q of ["jane@acme.example", "Jané Müller + co & 100 %", "\ud800", "q=1\r\nx-other: 1"]) {
    await call("GET /deliveries", { query: { status: "failed", q } });
    assert.equal(seen.url, "/below/dashboard/deliveries?status=failed");
    assert.equal(new URLSearchParams(String(seen.headers["x-bellwire-search"])).get("q"), q.toWellFormed());
    assert.equal(seen.headers["x-other"], undefined);
  }
});

test("an answer of the page's start, which has searched for nothing, is no search's answer", async () => {
  const head = new Response("{}", { headers: { "content-type": "application/json" } });
  const bellwireAsked = new Map([
    [new URL("dashboard/deliveries", document.baseURI).href, Promise.resolve({ response: head, atMs: Date.now() })],
  ]);
  Object.assign(globalThis, { window: { bellwireAsked } });
  answer = json({ deliveries: [{ id: "found" }], nextCursor: null });
  const { deliveries } = await call("GET /deliveries", { query: { q: "jane" } });
  assert.equal(deliveries.length, 1);
  Reflect.deleteProperty(globalThis, "window");
});

test("the token of the session goes with what changes something, and with nothing else", async () => {
  answer = json({ csrfToken: "token-1" });
  await call("GET /session");
  answer = { status: 204 };
  assert.equal(await call("POST /sign-out"), null);
  assert.equal(seen.headers["x-bellwire-csrf"], "token-1");
  assert.equal(seen.headers["content-type"], undefined);
  answer = json({ alerts: [] });
  await call("GET /alerts");
  assert.equal(seen.headers["x-bellwire-csrf"], undefined);
});

test("a refusal brings its code, its words and its fields", async () => {
  const errors = [{ path: "webhook.url", message: "has no host" }];
  answer = refusal(422, { code: "invalid_webhook_url", detail: "The Webhook URL cannot be used.", errors });
  await assert.rejects(call("GET /alerts"), (error) => {
    assert.ok(error instanceof ApiProblem);
    const { status, code, message } = error;
    assert.deepEqual([status, code, message], [422, "invalid_webhook_url", "The Webhook URL cannot be used."]);
    assert.deepEqual(error.errors, errors);
    return !isPassing(error) && !isSignedOut(error);
  });
  answer = refusal(401, { code: "signed_out", detail: "Sign in." });
  await assert.rejects(call("GET /alerts"), isSignedOut);
});

test("an answer that is not the service's own says so, also with a status of success", async () => {
  for (const status of [200, 502]) {
    answer = { status, type: "text/html", body: "<h1>Proxy</h1>" };
    await assert.rejects(call("GET /alerts"), { name: "ApiProblem", code: "unreadable_answer", status });
  }
  answer = { status: 200, type: "application/json", body: '{"alerts":' };
  await assert.rejects(call("GET /alerts"), { code: "unreadable_answer" });
});

test("nobody there is told apart from a refusal", async () => {
  const closed = createServer();
  await new Promise<void>((listening) => closed.listen(0, "127.0.0.1", listening));
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  serveUnder("/", port);
  await assert.rejects(call("GET /alerts"), (error) => error instanceof NetworkLoss && isPassing(error));
  serveUnder("/below/");
});

const dateIn = (ms: number) => new Date(Date.now() + ms).toUTCString();
const ahead = () => Math.round((serviceNowMs() - Date.now()) / 10_000) * 10 + 0;

const ROWS: readonly [header: () => string | null, aheadSeconds: number][] = [
  [() => dateIn(-1_500), 0],
  [() => dateIn(600_000), 600],
  [() => dateIn(598_000), 600],
  [() => null, 600],
  [() => "a while ago", 600],
  [() => dateIn(-600_000), -600],
  [() => dateIn(0), 0],
];

test("the service's clock follows the Date of its answers, and small differences do not move it", () => {
  for (const [header, aheadSeconds] of ROWS) {
    learnServiceClock(header(), Date.now());
    assert.equal(ahead(), aheadSeconds);
  }
});
