import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OVERLAP_MS, rotateSecret, switchSecret } from "../../accounts/rotate-secret.ts";
import { minutesMs } from "../../lib/duration.ts";
import { signService } from "../../domain/signature.ts";
import { verify } from "../../receiver/verify.ts";
import { ACCOUNT, conversation, createWorld, session, toValue, type World } from "../../../test/kit/world/world.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { ANA, BEN, OTHER_ACCOUNT, createAnswers, toProblem } from "../../../test/kit/world/answers.ts";

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

test("the page knows everything about the secret but the secret, until somebody reveals it", async () => {
  await using answers = await createAnswers();
  const before = toValue(await answers.call("GET /verification"));
  assert.deepEqual([before.next, before.lastRevealed], [null, null]);
  assert.doesNotMatch(JSON.stringify(before), /whsec_/);
  const { secret } = toValue(
    await answers.call("POST /verification/reveal", { body: { which: "current" } }, { by: BEN }),
  );
  assert.match(secret, SECRET);
  const after = toValue(await answers.call("GET /verification"));
  assert.equal(after.lastRevealed?.by, BEN.person);
  const audit = await answers.app.store.listAudit({ accountId: ACCOUNT, before: null, limit: 10 });
  assert.equal(audit[0]?.action, "secret_revealed");
  assert.doesNotMatch(JSON.stringify(audit), /whsec_/);
});

test("a next secret is there for 24 hours beside the current one, and can be revealed", async () => {
  await using answers = await createAnswers();
  const reveal = async (which: "current" | "next") =>
    toValue(await answers.call("POST /verification/reveal", { body: { which } })).secret;
  assert.equal(
    toProblem(await answers.call("POST /verification/reveal", { body: { which: "next" } })).code,
    "not_rotating",
  );
  const current = await reveal("current");
  const { next } = toValue(await answers.call("POST /verification/rotate", { body: { mode: "overlap" } }));
  assert.equal((next?.becomesCurrentAtMs ?? 0) - (next?.createdAtMs ?? 0), OVERLAP_MS);
  assert.equal(await reveal("current"), current);
  const nextSecret = await reveal("next");
  assert.match(nextSecret, SECRET);
  assert.notEqual(nextSecret, current);
  const again = await answers.call("POST /verification/rotate", { body: { mode: "overlap" } });
  assert.equal(toProblem(again).code, "rotating_already");

  const switched = toValue(await answers.call("POST /verification/switch"));
  assert.equal(switched.next, null);
  assert.equal(await reveal("current"), nextSecret);
  assert.equal(toProblem(await answers.call("POST /verification/switch")).code, "not_rotating");
});

test("a secret that leaked is replaced at once, also in the middle of a rotation", async () => {
  await using answers = await createAnswers();
  const reveal = async () =>
    toValue(await answers.call("POST /verification/reveal", { body: { which: "current" } })).secret;
  const leaked = await reveal();
  toValue(await answers.call("POST /verification/rotate", { body: { mode: "overlap" } }));
  const rotated = toValue(await answers.call("POST /verification/rotate", { body: { mode: "now" } }));
  assert.equal(rotated.next, null);
  assert.notEqual(await reveal(), leaked);
});

test("rotating one account's secret leaves another's alone", async () => {
  await using answers = await createAnswers();
  const who = { accountId: OTHER_ACCOUNT };
  const reveal = async () =>
    toValue(await answers.call("POST /verification/reveal", { body: { which: "current" } }, who)).secret;
  const before = await reveal();
  toValue(await answers.call("POST /verification/rotate", { body: { mode: "now" } }));
  assert.equal(await reveal(), before);
});

describe("while a secret is rotated, requests", () => {
  async function rotatingWorld() {
    const world = await createWorld();
    await world.setUpAccount();
    toValue(await world.setUpAlert());
    const secretNow = async () => (await world.ctx.accounts.load(ACCOUNT))?.secrets;
    const before = (await secretNow())?.current.secret ?? "";
    toValue(await rotateSecret(world.accounts, { accountId: ACCOUNT, mode: "overlap", by: ANA }));
    const next = (await secretNow())?.next?.secret ?? "";
    return { world, before, next };
  }

  const send = async (world: World, number: number) => {
    await world.acceptOne(session(number));
    await world.run();
    return world.sent.at(-1)?.request ?? assert.fail("nothing was sent");
  };

  const checks = (request: Awaited<ReturnType<typeof send>>, secret: string, world: World) => ({
    service: request.headers["x-service-signature"] === signService(request.body, secret),
    standard: (request.headers["webhook-signature"] ?? "").split(" ").length,
    verifies: verify(request, [secret], { nowMs: world.clock.nowMs() }).valid,
  });

  test("carry the current one's signature, and both in webhook-signature", async () => {
    const { world, before, next } = await rotatingWorld();
    const request = await send(world, 1);
    assert.deepEqual(checks(request, before, world), { service: true, standard: 2, verifies: true });
    assert.equal(checks(request, next, world).service, false);
    const standardOnly = {
      ...request,
      headers: { ...request.headers, "x-service-signature": signService(request.body, next) },
    };
    assert.ok(
      verify(standardOnly, [next], { nowMs: world.clock.nowMs() }).valid,
      "the new one is in webhook-signature",
    );
  });

  test("change to the next one at the very instant, although nobody has switched the rows", async () => {
    const { world, before, next } = await rotatingWorld();
    await world.clock.advance(OVERLAP_MS - 1);
    assert.equal(checks(await send(world, 1), before, world).service, true);
    await world.clock.advance(1);
    const request = await send(world, 2);
    assert.deepEqual(checks(request, next, world), { service: true, standard: 1, verifies: true });
    assert.equal(verify(request, [before], { nowMs: world.clock.nowMs() }).valid, false);
  });

  test("change at once when somebody switches, and when it leaked, with cached accounts too", async () => {
    const { world, next } = await rotatingWorld();
    await send(world, 1);
    toValue(await switchSecret(world.accounts, { accountId: ACCOUNT, by: ANA }));
    assert.deepEqual(checks(await send(world, 2), next, world), { service: true, standard: 1, verifies: true });
    toValue(await rotateSecret(world.accounts, { accountId: ACCOUNT, mode: "now", by: ANA }));
    assert.equal(checks(await send(world, 3), next, world).service, false);
  });

  test("can be rotated again when the time of the next one has come", async () => {
    const { world } = await rotatingWorld();
    const rotate = () => rotateSecret(world.accounts, { accountId: ACCOUNT, mode: "overlap", by: ANA });
    assert.equal(toProblem(await rotate()).code, "rotating_already");
    await world.clock.advance(OVERLAP_MS);
    toValue(await rotate());
  });
});

describe("checking a signature", () => {
  const toLines = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");

  test("uses the account's own secret, and what was sent under the webhook-id", async () => {
    const world = await createWorld();
    await using answers = await createAnswers({ clock: world.clock });
    toValue(await answers.accept(conversation(1)));
    const { body, headers } = await signedBy(answers);
    const check = async (changes: { body?: string; headers?: string } = {}) =>
      toValue(
        await answers.call("POST /verification/check", { body: { body, headers: toLines(headers), ...changes } }),
      );
    assert.equal((await check()).verdict, "matches");
    assert.equal((await check({ body: JSON.stringify(JSON.parse(body), null, 2) })).verdict, "body_reformatted");
    assert.equal((await check({ headers: "" })).verdict, "header_missing");
    toValue(await answers.call("POST /verification/rotate", { body: { mode: "now" } }));
    const after = await check();
    assert.equal(after.verdict, "no_match");
    assert.match(after.sentence, /no secret that we know/);
  });

  test("knows what was sent as a test, by the webhook-id that its receiver saw", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const webhook = { url: receiver.url, headers: [], ratePerSecond: null };
    const { request } = toValue(
      await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }),
    );
    const changed = request.body.replace("demo_viewed", "demo_seen");
    const form = { body: changed, headers: toLines(request.headers) };
    const { sentence } = toValue(await answers.call("POST /verification/check", { body: form }));
    assert.match(sentence, /not the one that we sent with this webhook-id/);
  });

  async function signedBy(answers: Awaited<ReturnType<typeof createAnswers>>) {
    const { secret } = toValue(await answers.call("POST /verification/reveal", { body: { which: "current" } }));
    const { body } = toValue(await answers.call("GET /alerts/sample"));
    return { body, headers: { "x-service-signature": signService(body, secret) } };
  }

  test("sixty times a minute for an account, whatever others check", async () => {
    const world = await createWorld();
    await using answers = await createAnswers({ clock: world.clock });
    const check = (accountId = ACCOUNT) =>
      answers.call("POST /verification/check", { body: { body: "{}", headers: "" } }, { accountId });
    for (let count = 0; count < 60; count += 1) toValue(await check());
    assert.equal(toProblem(await check()).code, "too_many_checks");
    toValue(await check(OTHER_ACCOUNT));
    await world.clock.advance(minutesMs(1));
    toValue(await check());
  });

  test("tells another account's webhook from our own", async () => {
    await using answers = await createAnswers();
    const { body, headers } = await signedBy(answers);
    const form = { body, headers: toLines(headers) };
    const other = await answers.call("POST /verification/check", { body: form }, { accountId: OTHER_ACCOUNT });
    assert.equal(toValue(other).verdict, "no_match");
  });
});
