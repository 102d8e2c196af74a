/** Access tokens on the way of a webhook: real token endpoints and receivers, and every way that they can fail. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Behaviour, type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { type SenderSetup, makeSender, requestTo } from "../../test/kit/world/sender.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import type { SendResult } from "../domain/attempt.ts";
import type { ClientCredentials } from "../domain/authentication.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { createAuthorizedSend } from "./authorized-send.ts";
import type { WebhookRequest } from "./send/request.ts";

const SECRET = "s3cret/with+signs&and=more";

const give = (token: string, changes: Readonly<Record<string, unknown>> = {}): Behaviour => ({
  body: JSON.stringify({ access_token: token, token_type: "Bearer", expires_in: 3600, ...changes }),
});

const credentials = (tokenUrl: string, changes: Partial<ClientCredentials> = {}): ClientCredentials => ({
  tokenUrl,
  clientId: "bellwire",
  clientSecret: SECRET,
  scope: "",
  audience: "",
  clientAuthentication: "basic",
  ...changes,
});

interface Stage extends AsyncDisposable {
  readonly tokens: Receiver;
  readonly receiver: Receiver;
  readonly send: (changes?: Partial<ClientCredentials>, request?: Partial<WebhookRequest>) => Promise<SendResult>;
}

async function createStage(setup: SenderSetup & { readonly clock?: Clock } = {}): Promise<Stage> {
  const tokens = await startReceiver(({ number }) => give(`token-number-${number}`));
  const receiver = await startReceiver();
  const { clock = systemClock } = setup;
  const sender = makeSender({ deadlineMs: 2_000, ...setup });
  const authorized = createAuthorizedSend(sender.sendIf, clock);
  return {
    tokens,
    receiver,
    async send(changes = {}, request = {}) {
      const oauth = credentials(`${tokens.url}/token`, changes);
      const authentication = { oauth, certificate: null };
      const sent = await authorized(requestTo(`${receiver.url}/in`, { authentication, ...request }), () => true);
      return sent ?? assert.fail("it may always start");
    },
    async [Symbol.asyncDispose]() {
      await sender.close();
      await tokens[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const listBearers = ({ requests }: Receiver) => requests.map(({ headers }) => headers["authorization"]);

test("the webhook carries the token that its credentials were given", async () => {
  await using stage = await createStage();
  const { outcome, token } = await stage.send();
  assert.deepEqual([outcome.kind, token], ["response", "fetched"]);
  assert.deepEqual(listBearers(stage.receiver), ["Bearer token-number-1"]);
  const [asked] = stage.tokens.requests;
  assert.equal(asked?.path, "/token");
  assert.equal(asked.headers["content-type"], "application/x-www-form-urlencoded");
  assert.equal(asked.body.toString(), "grant_type=client_credentials");
  const basic = Buffer.from(asked.headers["authorization"]?.slice("Basic ".length) ?? "", "base64").toString();
  assert.deepEqual(basic.split(":").map(decodeURIComponent), ["bellwire", SECRET]);
});

test("credentials in the body, scope and audience are sent as the owner set them", async () => {
  await using stage = await createStage();
  await stage.send({ clientAuthentication: "post", scope: "hooks:write more", audience: "https://api.example.com/" });
  const [asked] = stage.tokens.requests;
  assert.equal(asked?.headers["authorization"], undefined);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(asked?.body.toString())), {
    grant_type: "client_credentials",
    scope: "hooks:write more",
    audience: "https://api.example.com/",
    client_id: "bellwire",
    client_secret: SECRET,
  });
});

test("a token serves a destination until shortly before its end", async () => {
  const clock = createVirtualClock();
  await using stage = await createStage({ clock });
  const at = async (ms: number) => {
    await clock.advance(ms);
    return (await stage.send()).token;
  };
  assert.deepEqual(
    [await at(0), await at(minutesMs(58)), await at(secondsMs(59)), await at(secondsMs(1))],
    ["fetched", "kept", "kept", "fetched"],
  );
  assert.equal(stage.tokens.requests.length, 2);
});

test("a token of an endpoint that names no lifetime is used for some minutes", async () => {
  const clock = createVirtualClock();
  await using stage = await createStage({ clock });
  stage.tokens.script = () => give("endless", { expires_in: undefined });
  await stage.send();
  await clock.advance(minutesMs(4));
  assert.equal((await stage.send()).token, "kept");
  await clock.advance(minutesMs(1));
  assert.equal((await stage.send()).token, "fetched");
});

test("deliveries that start together wait for one token", async () => {
  await using stage = await createStage();
  stage.tokens.script = () => ({ ...give("shared"), delayMs: 50 });
  const sent = await Promise.all(Array.from({ length: 20 }, () => stage.send()));
  assert.ok(sent.every(({ outcome }) => outcome.kind === "response"));
  assert.equal(stage.tokens.requests.length, 1);
  assert.deepEqual(new Set(listBearers(stage.receiver)), new Set(["Bearer shared"]));
});

test("another destination, secret or scope has a token of its own", async () => {
  await using stage = await createStage();
  await stage.send();
  await stage.send({}, { lane: "dst_2" });
  await stage.send({ clientSecret: "another secret" });
  await stage.send({ scope: "other" });
  assert.equal(new Set(listBearers(stage.receiver)).size, 4);
});

describe("when the receiver answers 401", () => {
  test("a token that was kept is renewed once within the attempt", async () => {
    await using stage = await createStage();
    await stage.send();
    stage.receiver.script = ({ headers }) => ({
      status: headers["authorization"]?.endsWith("-1") === true ? 401 : 204,
    });
    const { outcome, token } = await stage.send();
    assert.deepEqual([outcome.kind === "response" && outcome.response.status, token], [204, "renewed"]);
    assert.deepEqual(listBearers(stage.receiver).slice(1), ["Bearer token-number-1", "Bearer token-number-2"]);
    assert.equal((await stage.send()).token, "kept");
  });

  test("to every token, an attempt ends with it after one renewal, and the next has a new token", async () => {
    await using stage = await createStage();
    await stage.send();
    stage.receiver.script = () => ({ status: 401 });
    for (const [token, requests] of [
      ["renewed", 3],
      ["fetched", 4],
      ["fetched", 5],
    ] as const) {
      const sent = await stage.send();
      assert.deepEqual([sent.outcome.kind === "response" && sent.outcome.response.status, sent.token], [401, token]);
      assert.equal(stage.receiver.requests.length, requests);
    }
    assert.equal(stage.tokens.requests.length, 4);
  });

  test("and the new token is refused to us, the outcome is that", async () => {
    await using stage = await createStage();
    await stage.send();
    stage.receiver.script = () => ({ status: 401 });
    stage.tokens.script = () => ({ status: 401, body: '{"error":"invalid_client"}' });
    const { outcome } = await stage.send();
    assert.deepEqual([outcome.kind, "code" in outcome && outcome.code], ["token_error", "TOKEN_INVALID_CLIENT"]);
  });

  test("several deliveries that meet it together need one new token", async () => {
    await using stage = await createStage();
    await stage.send();
    stage.receiver.script = ({ headers }) => ({
      status: headers["authorization"]?.endsWith("-1") === true ? 401 : 200,
    });
    const sent = await Promise.all(Array.from({ length: 8 }, () => stage.send()));
    assert.ok(sent.every(({ outcome }) => outcome.kind === "response" && outcome.response.status === 200));
    assert.equal(stage.tokens.requests.length, 2);
  });
});

/** The behaviour of the token endpoint, and the code and words of the outcome. */
const FAILURES: readonly (readonly [does: string, behaviour: Behaviour, code: string, words: RegExp])[] = [
  [
    "knows no such client",
    { status: 401, body: '{"error":"invalid_client"}' },
    "TOKEN_INVALID_CLIENT",
    /invalid_client/,
  ],
  ["answers 401 without a word", { status: 401 }, "TOKEN_INVALID_CLIENT", /answered 401 and gave no token\.$/],
  ["forbids the grant", { status: 400, body: '{"error":"unauthorized_client"}' }, "TOKEN_UNAUTHORIZED_CLIENT", /400/],
  [
    "knows no such scope",
    { status: 400, body: '{"error":"invalid_scope","error_description":"No such\\nscope."}' },
    "TOKEN_INVALID_SCOPE",
    /answered 400 \(invalid_scope: No such scope\) and gave no token\.$/,
  ],
  ["refuses without a reason", { status: 403, body: "<h1>Forbidden</h1>" }, "TOKEN_REFUSED", /answered 403 and/],
  ["is at another address", { kind: "redirect", to: "/elsewhere" }, "TOKEN_REDIRECT", /307, a redirect/],
  ["is not there", { status: 404 }, "TOKEN_NOT_FOUND", /answered 404/],
  ["is overloaded", { status: 503 }, "TOKEN_UNAVAILABLE", /answered 503/],
  ["limits requests", { status: 429 }, "TOKEN_UNAVAILABLE", /answered 429/],
  ["answers a page", { body: "<html>" }, "TOKEN_MISSING", /answered 200 without an access_token\.$/],
  ["answers an empty object", { body: "{}" }, "TOKEN_MISSING", /without an access_token/],
  ["answers null", { body: "null" }, "TOKEN_MISSING", /without an access_token/],
  ["answers without end", { kind: "endless_body" }, "TOKEN_MISSING", /first 16 KiB/],
  ["gives a token with a line break", give("a\r\nx-evil: 1"), "TOKEN_UNUSABLE", /cannot be sent in a header/],
  ["gives a token of 9 KiB", give("x".repeat(9 * 1024)), "TOKEN_UNUSABLE", /cannot be sent/],
  ["gives a token that is no bearer's", give("abc", { token_type: "mac" }), "TOKEN_UNUSABLE", /type than Bearer/],
  ["closes", { kind: "close" }, "TOKEN_UNREACHABLE", /closed the connection/],
  ["resets", { kind: "reset" }, "TOKEN_UNREACHABLE", /reset the connection/],
  ["never answers", { kind: "hang" }, "TOKEN_TIMEOUT", /didn't answer within 5 s/],
];

describe("without a token nothing is sent, and the outcome says why, when the endpoint", () => {
  let stage: Stage;
  before(async () => {
    stage = await createStage({ deadlineMs: 300 });
  });
  after(async () => await stage[Symbol.asyncDispose]());

  for (const [does, behaviour, code, words] of FAILURES) {
    test(does, async () => {
      stage.tokens.script = () => behaviour;
      const { outcome, address, timings, token } = await stage.send();
      assert.ok(outcome.kind === "token_error", JSON.stringify(outcome));
      assert.equal(outcome.code, code);
      assert.match(outcome.message, words);
      assert.ok(outcome.message.startsWith(`127.0.0.1:${stage.tokens.port} `), outcome.message);
      assert.deepEqual([address, timings.firstByteMs, token], [null, null, undefined]);
      assert.equal(stage.receiver.requests.length, 0);
    });
  }

  const PLACES: readonly (readonly [place: string, tokenUrl: string, code: string, words: RegExp])[] = [
    ["has a name that does not exist", "https://nowhere.test/token", "TOKEN_NAME", /^nowhere\.test could not be found/],
    [
      "has an address that may not be called",
      "http://10.1.2.3/token",
      "TOKEN_BLOCKED",
      /^10\.1\.2\.3 may not be called/,
    ],
    ["is not running", "http://127.0.0.1:1/token", "TOKEN_UNREACHABLE", /Nothing accepts/],
  ];
  for (const [place, tokenUrl, code, words] of PLACES) {
    test(place, async () => {
      stage.tokens.script = () => ({});
      const { outcome } = await stage.send({ tokenUrl });
      assert.ok(outcome.kind === "token_error", JSON.stringify(outcome));
      assert.equal(outcome.code, code, outcome.message);
      assert.match(outcome.message, words);
      assert.equal(stage.receiver.requests.length, 0);
    });
  }
});

test("a token endpoint whose certificate is signed by itself is not trusted with the secret", async () => {
  await using stage = await createStage();
  await using tokens = await startReceiver(give("never"), { tls: "hook.test" });
  const { outcome } = await stage.send({ tokenUrl: `${tokens.url}/token` });
  assert.deepEqual([outcome.kind, "code" in outcome && outcome.code], ["token_error", "TOKEN_TLS"]);
  assert.deepEqual([tokens.requests.length, stage.receiver.requests.length], [0, 0]);
});

test("a fault of the operator's proxy stays one, so that no attempt is spent on it", async () => {
  await using stage = await createStage({ proxy: "http://127.0.0.1:9" });
  const { outcome } = await stage.send();
  assert.deepEqual([outcome.kind, "code" in outcome && outcome.code], ["proxy_error", "PROXY_UNREACHABLE"]);
});

test("a token that the receiver sends back is masked in its answer", async () => {
  await using stage = await createStage();
  stage.tokens.script = () => give("ey4.a-very-secret.token");
  stage.receiver.script = ({ headers }) => ({ status: 400, headers: { "x-got": `${headers["authorization"]}` } });
  const sent = await stage.send();
  assert.equal(sent.outcome.kind, "response");
  assert.doesNotMatch(JSON.stringify(sent), /very-secret/);
});

test("a client secret that the token endpoint sends back is masked in the outcome", async () => {
  await using stage = await createStage();
  stage.tokens.script = ({ body, headers }) => ({
    status: 400,
    body: JSON.stringify({
      error: "invalid_request",
      error_description: `${body.toString()} ${headers["authorization"]}`,
    }),
  });
  for (const clientAuthentication of ["basic", "post"] as const) {
    const sent = JSON.stringify(await stage.send({ clientAuthentication }));
    assert.match(sent, /invalid_request/);
    assert.doesNotMatch(sent, /s3cret|c3Njc|YmVsbHdpcmU/);
  }
});

test("nothing is asked and nothing is sent when the account changed before it could start", async () => {
  await using stage = await createStage();
  const sender = makeSender();
  const authorized = createAuthorizedSend(sender.sendIf, systemClock);
  const authentication = { oauth: credentials(stage.tokens.url), certificate: null };
  assert.equal(await authorized(requestTo(stage.receiver.url, { authentication }), () => false), null);
  assert.deepEqual([stage.tokens.requests.length, stage.receiver.requests.length], [0, 0]);
  await sender.close();
});

test("the look for a token is part of the attempt's time", async () => {
  await using stage = await createStage();
  stage.tokens.script = () => ({ ...give("slow"), delayMs: 80 });
  const { timings } = await stage.send();
  assert.ok(timings.totalMs >= 80 && (timings.firstByteMs ?? 0) >= 80, JSON.stringify(timings));
});

test("a destination without OAuth passes by untouched", async () => {
  const sent: WebhookRequest[] = [];
  const authorized = createAuthorizedSend(async (request) => {
    sent.push(request);
    return null;
  }, systemClock);
  const request = requestTo("https://hook.test/", { authentication: null });
  await authorized(request, () => true);
  assert.equal(sent[0], request);
});

test("a Retry-After of the token endpoint is in the outcome of every delivery that waited", async () => {
  await using stage = await createStage();
  stage.tokens.script = () => ({ status: 429, headers: { "retry-after": "90" }, delayMs: 50 });
  const sent = await Promise.all([stage.send(), stage.send()]);
  for (const { outcome } of sent) {
    assert.ok(outcome.kind === "token_error");
    assert.deepEqual([outcome.code, outcome.retryAfter], ["TOKEN_UNAVAILABLE", "90"]);
  }
});
