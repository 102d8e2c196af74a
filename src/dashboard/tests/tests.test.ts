import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { conversation, session, uuid, toValue } from "../../../test/kit/world/world.ts";
import { ASSISTANT, type Answers, createAnswers, listPaths, toProblem } from "../../../test/kit/world/answers.ts";
import { type Behaviour, type ReceiverOptions, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { verify } from "../../receiver/verify.ts";
import type { TestAnswer } from "../contract/alerts.ts";
import type { OutcomeClass } from "../contract/outcomes.ts";

const form = (url: string) => makeWebhookForm({ url });

async function testNew(answers: Answers, url: string, body?: string): Promise<TestAnswer> {
  const edited = body === undefined ? {} : { body };
  const params = { id: "new" };
  return toValue(await answers.call("POST /alerts/:id/test", { params, body: { webhook: form(url), ...edited } }));
}

interface Row {
  readonly what: string;
  readonly behaviour?: Behaviour;
  readonly options?: ReceiverOptions;
  readonly scheme?: "https";
  readonly kind: OutcomeClass;
  readonly says: RegExp;
}

const status = (code: number, kind: OutcomeClass, says: RegExp): Row => ({
  what: `answers ${code}`,
  behaviour: { status: code },
  kind,
  says,
});

/** The answer of a plain HTTP server to a TLS handshake. */
const PLAIN_400 = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n";

const ROWS: readonly Row[] = [
  status(200, "success", /^Your endpoint accepted the test\.$/),
  status(204, "success", /accepted the test/),
  { what: "redirects", behaviour: { kind: "redirect", to: "/v2" }, kind: "redirect", says: /127\.0\.0\.1:\d+\/v2/ },
  status(400, "bad_request", /didn't accept the body/),
  status(422, "bad_request", /didn't accept the body/),
  status(401, "rejected", /rejected the test/),
  status(403, "rejected", /rejected the test/),
  status(404, "not_found", /Nothing answers at this path/),
  status(405, "method_not_allowed", /doesn't accept POST/),
  status(410, "gone", /would turn this webhook off/),
  status(413, "too_large", /too large/),
  status(429, "rate_limited", /limiting requests/),
  status(500, "server_error", /had an error/),
  status(503, "server_error", /had an error/),
  {
    what: "closes in order",
    behaviour: { kind: "close" },
    kind: "connection",
    says: /closed the connection on port \d+/,
  },
  { what: "resets", behaviour: { kind: "reset" }, kind: "connection", says: /closed the connection on port \d+/ },
  { what: "breaks off behind its status", behaviour: { kind: "truncate" }, kind: "success", says: /accepted/ },
  {
    what: "speaks no HTTP",
    behaviour: { kind: "raw", bytes: "SSH-2.0\r\n\r\n" },
    kind: "connection",
    says: /can't be read as HTTP.* SSH-2\.0/,
  },
  {
    what: "floods with 103",
    behaviour: { kind: "endless_103", everyMs: 0 },
    kind: "connection",
    says: /more than 32 interim/,
  },
  {
    what: "has a certificate of nobody's",
    options: { tls: "other.test" },
    scheme: "https",
    kind: "certificate",
    says: /127\.0\.0\.1 has a certificate problem: /,
  },
  {
    what: "has no TLS",
    options: { onConnect: { raw: PLAIN_400 } },
    scheme: "https",
    kind: "certificate",
    says: /127\.0\.0\.1.*port \d+|encrypted/,
  },
];

for (const { what, behaviour = {}, options = {}, scheme, kind, says } of ROWS) {
  test(`a receiver that ${what} is told as ${kind}`, async () => {
    await using receiver = await startReceiver(behaviour, options);
    await using answers = await createAnswers();
    const url = scheme === undefined ? receiver.url : `${scheme}://127.0.0.1:${receiver.port}`;
    const { outcome, deliveryId } = await testNew(answers, `${url}/in`);
    assert.equal(outcome.class, kind, `${outcome.status}: ${outcome.sentence}`);
    assert.match(outcome.sentence, says);
    const row = toValue(await answers.call("GET /deliveries/:id", { params: { id: deliveryId } }));
    assert.equal(row.webhookId, `test_${deliveryId}`);
    assert.deepEqual([row.isTest, row.status], [true, kind === "success" ? "delivered" : "failed"]);
    assert.deepEqual(row.attempts[0]?.outcome.sentence, outcome.sentence, "the log tells it in the same words");
  });
}

test("nobody listens: refused, with host and port", async () => {
  const receiver = await startReceiver();
  const { port } = receiver;
  await receiver[Symbol.asyncDispose]();
  await using answers = await createAnswers();
  const { outcome } = await testNew(answers, `http://127.0.0.1:${port}/in`);
  assert.deepEqual([outcome.class, outcome.status], ["connection", "Connection refused"]);
  assert.equal(outcome.sentence, `127.0.0.1 refused the connection on port ${port}.`);
});

test("a blocked address is a result that names the operator's setting", async () => {
  await using answers = await createAnswers();
  const { outcome } = await testNew(answers, "http://10.0.0.5/in");
  assert.equal(outcome.class, "blocked");
  assert.match(`${outcome.sentence} ${outcome.advice}`, /10\.0\.0\.5.*people who run this service to allow it\.$/);
});

test("a redirect offers its address as the Webhook URL", async () => {
  await using receiver = await startReceiver({ kind: "redirect", to: "/v2?x=1" });
  await using answers = await createAnswers();
  const { outcome } = await testNew(answers, `${receiver.url}/in`);
  assert.deepEqual(outcome.remedy, { kind: "use_url", url: `${receiver.url}/v2?x=1` });
  assert.equal(receiver.requests.length, 1, "it was not followed");
});

test("a test sends one signed request with the values of the form, and shows what it sent", async () => {
  await using receiver = await startReceiver({ body: "<script>alert(1)</script>" });
  await using answers = await createAnswers();
  const headers = [
    { name: "Authorization", value: "Bearer c4nary", secret: true },
    { name: "X-Team", value: "revops", secret: false },
  ];
  const webhook = makeWebhookForm({ url: `${receiver.url}/in`, headers });
  const answer = toValue(await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }));
  const [request, ...more] = receiver.requests;
  assert.ok(request !== undefined && more.length === 0);
  const view = await answers.app.accounts.accounts.load("acct-1");
  const secret = view?.secrets.current.secret ?? "";
  const nowMs = answers.app.accounts.clock.nowMs();
  assert.ok(verify({ body: request.body, headers: request.headers }, [secret], { nowMs }).valid);
  assert.equal(request.headers["authorization"], "Bearer c4nary");
  assert.equal(answer.request.body, request.body.toString("utf8"));
  assert.equal(answer.request.headers["authorization"], "••••••••");
  assert.equal(answer.request.headers["x-team"], "revops");
  assert.deepEqual(answer.outcome.response?.body, { kind: "text", text: "<script>alert(1)</script>" });
  const shown = toValue(await answers.call("GET /deliveries/:id", { params: { id: answer.deliveryId } }));
  assert.doesNotMatch(JSON.stringify([answer, shown]), /c4nary/);
});

test("a secret that the receiver sends back is in no answer and not in the log", async () => {
  await using receiver = await startReceiver(({ headers }) => ({
    body: JSON.stringify(headers),
    headers: { "x-echo": headers["authorization"] ?? "" },
  }));
  await using answers = await createAnswers();
  const headers = [{ name: "Authorization", value: "Bearer c4nary", secret: true }];
  const webhook = makeWebhookForm({ url: `${receiver.url}/in`, headers });
  const answer = toValue(await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }));
  const shown = toValue(await answers.call("GET /deliveries/:id", { params: { id: answer.deliveryId } }));
  assert.equal(answer.outcome.response?.headers["x-echo"], "••••••••");
  assert.doesNotMatch(JSON.stringify([answer, shown]), /c4nary/);
});

describe("the sample", () => {
  test("is the built-in one with this account's addresses, until there is a real one", async () => {
    await using answers = await createAnswers();
    const sample = toValue(await answers.call("GET /alerts/sample"));
    assert.equal(sample.from, "built_in");
    assert.match(sample.body, /"analytics_url":"https:\/\/app\.example\.com\/audience\/sessions\//);
    toValue(await answers.accept(session(7, { name: "Ours" })));
    const latest = toValue(await answers.call("GET /alerts/sample"));
    assert.equal(latest.from, "latest");
    assert.deepEqual([JSON.parse(latest.body).id, JSON.parse(latest.body).name], [uuid(7), "Ours"]);
  });

  test("of an assistant is its own latest conversation before another's", async () => {
    await using answers = await createAnswers();
    const readSample = async (id: string) =>
      toValue(await answers.call("GET /assistants/:id/sample", { params: { id } }));
    assert.equal((await readSample(ASSISTANT)).from, "built_in");
    toValue(await answers.accept(conversation(1, { assistant_id: "other" })));
    assert.equal(JSON.parse((await readSample(ASSISTANT)).body).id, uuid(1));
    toValue(await answers.accept(conversation(2, { assistant_id: ASSISTANT })));
    toValue(await answers.accept(conversation(3, { assistant_id: "other" })));
    assert.equal(JSON.parse((await readSample(ASSISTANT)).body).id, uuid(2));
  });

  test("is what is sent when nothing was edited", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    toValue(await answers.accept(conversation(1, { assistant_id: ASSISTANT })));
    const params = { id: ASSISTANT };
    const { body } = toValue(await answers.call("GET /assistants/:id/sample", { params }));
    const webhook = form(`${receiver.url}/in`);
    toValue(await answers.call("POST /assistants/:id/test", { params, body: { webhook } }));
    assert.equal(receiver.requests[0]?.body.toString("utf8"), body);
  });
});

describe("an edited body", () => {
  test("is sent byte for byte", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const body = '{ "name": "Zoë",\r\n "n": 9007199254740993 }\n';
    await testNew(answers, `${receiver.url}/in`, body);
    assert.equal(receiver.requests[0]?.body.toString("utf8"), body);
  });

  const MIB = 1024 * 1024;
  const object = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;
  const BAD: readonly (readonly [what: string, body: string, words: RegExp])[] = [
    ["no JSON", "{", /not valid JSON/],
    ["empty", "", /not valid JSON/],
    ["a list", "[]", /one JSON object/],
    ["null", "null", /one JSON object/],
    ["over 1 MiB", object(MIB + 1), /larger than 1 MiB/],
    ["over 1 MiB in bytes, not in characters", `{"a":"${"ë".repeat(MIB / 2)}"}`, /larger than 1 MiB/],
  ];
  for (const [what, body, words] of BAD) {
    test(`that is ${what} is refused, and nothing is sent`, async () => {
      await using receiver = await startReceiver();
      await using answers = await createAnswers();
      const webhook = form(`${receiver.url}/in`);
      const params = { id: "new" };
      const refused = await answers.call("POST /alerts/:id/test", { params, body: { webhook, body } });
      assert.deepEqual(listPaths(refused), ["body"]);
      assert.match(toProblem(refused).errors?.[0]?.message ?? "", words);
      assert.equal(receiver.requests.length, 0);
    });
  }

  test("of exactly 1 MiB is sent", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    await testNew(answers, `${receiver.url}/in`, object(MIB));
    assert.equal(receiver.requests[0]?.body.length, MIB);
  });
});

test("an account has four tests under way at most, and another one when one of them has ended", async () => {
  const gate = Promise.withResolvers<Behaviour>();
  await using receiver = await startReceiver(() => gate.promise);
  await using answers = await createAnswers();
  const under = Array.from({ length: 4 }, () => testNew(answers, `${receiver.url}/in`));
  await receiver.received(4);
  const params = { id: "new" };
  const fifth = { params, body: { webhook: form(`${receiver.url}/in`) } };
  assert.equal(toProblem(await answers.call("POST /alerts/:id/test", fifth)).code, "too_many_tests");
  gate.resolve({});
  await Promise.all(under);
  await testNew(answers, `${receiver.url}/in`);
  assert.equal(receiver.requests.length, 5);
});

test("a test of a destination uses what is saved, and is written down in the audit", async () => {
  await using receiver = await startReceiver({ status: 204 });
  await using answers = await createAnswers();
  const headers = [{ name: "X-Api-Key", value: "c4nary", secret: true }];
  const webhook = makeWebhookForm({ url: `${receiver.url}/in`, headers });
  const params = { id: ASSISTANT };
  const { revision } = toValue(await answers.call("GET /assistants/:id", { params }));
  toValue(await answers.call("PUT /assistants/:id/webhook", { params, body: { webhook }, ifMatch: revision }));
  const { destinations } = toValue(await answers.call("GET /destinations"));
  const destination = { id: destinations[0]?.id ?? "" };
  const answer = toValue(await answers.call("POST /destinations/:id/test", { params: destination }));
  assert.equal(answer.outcome.class, "success");
  assert.equal(receiver.requests[0]?.headers["x-api-key"], "c4nary");
  const entries = await answers.app.store.listAudit({ accountId: "acct-1", before: null, limit: 10 });
  assert.deepEqual(
    [entries[0]?.action, entries[0]?.subject, entries[0]?.person],
    ["webhook_tested", "Website assistant", "ana@example.com"],
  );
  const health = toValue(await answers.call("GET /destinations/:id", { params: destination })).health;
  assert.equal(health.word, "no_deliveries", "a test counts in no health");
});
