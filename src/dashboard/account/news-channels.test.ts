/**
 * Channels for news about failures as an owner uses them, with real receivers: what is added is never shown again, a
 * test says what came back, and what is signed verifies with the library that receivers use.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { makeAccount } from "../../../test/kit/make.ts";
import { type Behaviour, type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { startChatTool } from "../../../test/kit/servers/chat-tools.ts";
import { createAlert } from "../../../test/kit/world/alerts.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { type SignedIn, signIn } from "../../../test/kit/world/signed-in.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";
import { putAccount } from "../../accounts/put-account.ts";
import { accept } from "../../delivery/accept.ts";
import type { NotificationBody } from "../../domain/notification-body.ts";
import { LIMITS } from "../../domain/limits.ts";
import { CHAT_TOOLS } from "../../domain/body.ts";
import { channelUrlPlace } from "../../domain/channel.ts";
import { minutesMs } from "../../lib/duration.ts";
import { verify } from "../../receiver/verify.ts";
import type { AddNewsChannelBody, NewsChannelsAnswer, NewsChannelTest } from "../contract/news-channels.ts";
import type { RevealAnswer } from "../contract/verification.ts";

const ACCOUNT = "acme";
const SECRET_PATH = "/services/T000/B000/c4narySlackToken";
const addFormats = formats as unknown as typeof formats.default;

async function setStage(script: Behaviour = {}, env: Record<string, string> = {}) {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver(script));
  const clock = createVirtualClock();
  const settings = { BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8", BELLWIRE_PUBLIC_URL: "https://bell.example", ...env };
  const { app } = building.use(await createTestApp(settings, { clock }));
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT, plan: "growth" }));
  const owner = await signIn(app, { accountId: ACCOUNT });
  const stack = building.move();
  return { app, clock, receiver, owner, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const add = (owner: SignedIn, { url }: Pick<Receiver, "url">, changes: Partial<AddNewsChannelBody> = {}) =>
  owner.call("POST /news-channels", { body: { kind: "slack", name: "Ops", url: `${url}${SECRET_PATH}`, ...changes } });

const idOf = (answer: unknown): string => (answer as NewsChannelsAnswer).channels[0]?.id ?? "";

async function runTest(owner: SignedIn, id: string): Promise<NewsChannelTest> {
  const { status, answer, text } = await owner.call("POST /news-channels/:id/test", { params: { id } });
  assert.equal(status, 200, text);
  return answer as NewsChannelTest;
}

test("a channel is shown by its name and origin, and nothing shows the rest of its address again", async () => {
  await using stage = await setStage();
  const { owner, receiver, app } = stage;
  const added = await add(owner, receiver);
  assert.equal(added.status, 200, added.text);
  const { channels, channelsMax } = added.answer as NewsChannelsAnswer;
  const [{ id, ...channel } = assert.fail()] = channels;
  assert.equal(channelsMax, LIMITS.newsChannelsMax);
  const origin = receiver.url;
  assert.deepEqual(channel, { kind: "slack", name: "Ops", origin, answer: null, refusedSinceMs: null });
  await runTest(owner, id);
  const texts = [added.text];
  for (const name of ["GET /news-channels", "GET /audit"] as const) texts.push((await owner.call(name)).text);
  texts.push((await owner.call("DELETE /news-channels/:id", { params: { id } })).text);
  for (const text of texts) assert.doesNotMatch(text, /c4nary|T000/);
  const entries = (await app.store.listAudit({ accountId: ACCOUNT, before: null, limit: 3 })).map(
    ({ action, subject }) => [action, subject],
  );
  assert.deepEqual(entries, [
    ["news_channel_removed", "Ops"],
    ["news_channel_tested", "Ops"],
    ["news_channel_added", `Ops (${origin})`],
  ]);
});

test("a Slack test is a marked message, and says so when it was taken", async () => {
  await using stage = await setStage();
  const { owner, receiver } = stage;
  const tested = await runTest(owner, idOf((await add(owner, receiver)).answer));
  assert.deepEqual([tested.isTaken, tested.status, tested.advice, tested.answer], [true, "200 OK", "", ""]);
  assert.deepEqual(tested.list.channels[0]?.answer?.words, "200 OK");
  const [{ path, body, headers } = assert.fail()] = receiver.requests;
  assert.equal(path, SECRET_PATH);
  const message = JSON.parse(body.toString()) as { text: string; blocks: readonly unknown[] };
  assert.match(message.text, /^This is a test\./);
  assert.equal(message.blocks.length, 2);
  assert.match(headers["webhook-id"] ?? "", /^test_ntc_/);
  assert.equal(headers["bellwire-test"], "1");
});

describe("a test of a channel", () => {
  for (const kind of CHAT_TOOLS) {
    test(`is in the channel of ${kind}, and an answer is told in words`, async () => {
      await using tool = await startChatTool(kind);
      await using stage = await setStage();
      const added = await stage.owner.call("POST /news-channels", { body: { kind, name: "Ops", url: tool.address } });
      const id = idOf(added.answer);
      const taken = await runTest(stage.owner, id);
      assert.equal(taken.isTaken, true, taken.sentence);
      assert.match(taken.sentence, kind === "teams" ? /whatever becomes of the card/ : /took the test/);
      assert.match(tool.channel[0]?.texts.join("\n") ?? "", /^This is a test\./m);
      assert.deepEqual(tool.lost, []);
      tool.mood = "archived";
      const refused = await runTest(stage.owner, id);
      assert.equal(refused.isTaken, false);
      assert.match(refused.sentence, /archived|switched off|deleted|does not find/);
      assert.notEqual(refused.advice, "");
    });
  }
});

describe("a test says what came back", () => {
  const ROWS: readonly (readonly [what: string, behaviour: Behaviour, status: RegExp, sentence: RegExp])[] = [
    ["404", { status: 404, body: "no_service" }, /^404 Not Found$/, /switched off, was removed, or is not whole/],
    ["404 in other words", { status: 404, body: "Not here" }, /^404 Not Found$/, /no channel at this address/],
    ["410", { status: 410, body: "channel_is_archived" }, /^410 Gone$/, /the channel is archived/],
    ["403", { status: 403, body: "action_prohibited" }, /^403 Forbidden$/, /does not let this address write/],
    ["400", { status: 400, body: "invalid_payload" }, /^400 Bad Request$/, /cannot read the message/],
    ["a redirect", { kind: "redirect", to: `${SECRET_PATH}/v2` }, /^302|^307|^308|^301/, /not followed/],
    ["500", { status: 500 }, /^500 Internal Server Error$/, /had an error/],
    ["a reset", { kind: "reset" }, /./, /closed the connection/],
  ];
  for (const [what, behaviour, status, sentence] of ROWS) {
    test(what, async () => {
      await using stage = await setStage(behaviour);
      const { owner, receiver } = stage;
      const tested = await runTest(owner, idOf((await add(owner, receiver)).answer));
      assert.equal(tested.isTaken, false);
      assert.match(tested.status, status);
      assert.match(tested.sentence, sentence);
      assert.ok(!("body" in behaviour) || tested.answer === behaviour.body, tested.answer);
      const [channel] = tested.list.channels;
      assert.deepEqual([channel?.answer?.isTaken, typeof channel?.refusedSinceMs], [false, "number"]);
      assert.doesNotMatch(JSON.stringify(tested), /c4nary/);
    });
  }

  test("and hides the address in an answer that repeats it", async () => {
    await using stage = await setStage({ status: 400, body: `no such hook: ${SECRET_PATH}, token c4narySlackToken` });
    const { owner, receiver } = stage;
    const { answer } = await runTest(owner, idOf((await add(owner, receiver)).answer));
    assert.match(answer, /^no such hook: •+, token •+$/);
  });

  test("and one that is no longer in the list is missing", async () => {
    await using stage = await setStage();
    const { status, code } = await stage.owner.call("POST /news-channels/:id/test", { params: { id: "chn_x" } });
    assert.deepEqual([status, code], [404, "news_channel_not_found"]);
  });
});

test("a webhook channel is told of a failing receiver by a body of the published schema, signed", async () => {
  await using down = await startReceiver({ status: 503 });
  await using stage = await setStage();
  const { app, clock, owner, receiver } = stage;
  await createAlert(app.accounts, { accountId: ACCOUNT, url: `${down.url}/in`, name: "Leads" });
  await add(owner, receiver, { kind: "webhook" });
  await app.start();
  const records = Array.from({ length: 8 }, (_, n) => session(n + 1));
  toValue(await accept({ ctx: app.delivery, engine: app.engine }, ACCOUNT, records));
  await app.engine.lanes.load.idle();
  await clock.advance(minutesMs(1));
  await receiver.received(1);

  const [{ body, headers } = assert.fail()] = receiver.requests;
  const { secret } = (await owner.call("POST /verification/reveal", { body: { which: "current" } }))
    .answer as RevealAnswer;
  const verified = verify({ body, headers }, [secret], { nowMs: clock.nowMs(), requireStandard: true });
  assert.deepEqual(verified, { valid: true, webhookId: headers["webhook-id"] });
  const schema = (await app.server.inject({ url: "/schemas/failure_news.json" })).json();
  const ajv = new Ajv2020({ strict: true, strictRequired: false });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  const news = JSON.parse(body.toString()) as NotificationBody;
  assert.equal(validate(news), true, JSON.stringify(validate.errors));
  assert.deepEqual([news.type, news.destinations[0]?.owner.name], ["destination.failing", "Leads"]);
  assert.match(news.destinations[0]?.link ?? "", /^https:\/\/bell\.example\/settings\/alerts\/alr_/);
});

describe("an address that may not be called", () => {
  for (const url of ["http://127.0.0.1/x", "http://169.254.169.254/latest", "http://[::1]/", "http://10.0.0.1/"]) {
    test(`is refused when it is added: ${url}`, async () => {
      await using stage = await setStage({}, { BELLWIRE_EGRESS_ALLOW: "" });
      const { status, answer } = await stage.owner.call("POST /news-channels", {
        body: { kind: "slack", name: "Ops", url },
      });
      assert.equal(status, 422);
      assert.deepEqual(
        (answer as { errors: { path: string }[] }).errors.map(({ path }) => path),
        ["url"],
      );
    });
  }

  test("is not called by a test or by news either, whatever was saved", async () => {
    await using stage = await setStage({}, { BELLWIRE_EGRESS_ALLOW: "" });
    const { app, owner, receiver } = stage;
    const id = "chn_smuggled";
    const sealedUrl = app.accounts.sealer.seal(`${receiver.url}/in`, channelUrlPlace(id));
    const channel = { id, kind: "webhook", name: "Smuggled", origin: receiver.url, sealedUrl } as const;
    const by = { person: "ana@example.com", role: "owner" } as const;
    await app.store.addChannel({ accountId: ACCOUNT, channel, by, nowMs: stage.clock.nowMs() });
    const tested = await runTest(owner, id);
    assert.equal(tested.isTaken, false);
    assert.match(tested.sentence, /private|loopback/);
    assert.equal(receiver.requests.length, 0);
  });
});

test("a name is one visible line, once, and there are no more channels than fit", async () => {
  await using stage = await setStage();
  const { owner, receiver } = stage;
  for (const name of ["", "two\nlines", "x".repeat(LIMITS.channelNameCharsMax + 1)]) {
    assert.equal((await add(owner, receiver, { name })).status, 422, name);
  }
  for (let n = 0; n < LIMITS.newsChannelsMax; n += 1) {
    assert.equal((await add(owner, receiver, { name: `Channel ${n}` })).status, 200);
  }
  const twice = await add(owner, receiver, { name: "Channel 1" });
  assert.deepEqual([twice.status, twice.code], [409, "news_channel_known"]);
  assert.equal((await add(owner, receiver, { name: "More" })).code, "news_channel_limit_reached");
});
