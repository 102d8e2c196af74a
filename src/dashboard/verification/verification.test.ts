import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OVERLAPS_MS, addSigningKey, endRotation, rotateSecret } from "../../accounts/rotate-secret.ts";
import { daysMs, minutesMs } from "../../lib/duration.ts";
import { signService } from "../../domain/signature.ts";
import { verify } from "../../receiver/verify.ts";
import type { RotateBody } from "../contract/verification.ts";
import { makeWebhookForm } from "../../../test/kit/make.ts";
import { ACCOUNT, conversation, createWorld, session, toValue, type World } from "../../../test/kit/world/world.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { ANA, BEN, OTHER_ACCOUNT, createAnswers, toProblem } from "../../../test/kit/world/answers.ts";

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

test("the page knows everything about the secret but the secret, until somebody reveals it", async () => {
  await using answers = await createAnswers();
  const before = toValue(await answers.call("GET /verification"));
  assert.deepEqual([before.previous, before.lastRevealed], [null, null]);
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

const rotateBody = (overlap: RotateBody["overlap"]) => ({ body: { kind: "secret", overlap } }) as const;
const endBody = (keep: "current" | "previous") => ({ body: { kind: "secret", keep } }) as const;

test("a rotation leaves the previous secret for 24 hours, and both can be revealed until one is stopped", async () => {
  await using answers = await createAnswers();
  const reveal = async (which: "current" | "previous") =>
    toValue(await answers.call("POST /verification/reveal", { body: { which } })).secret;
  assert.equal(
    toProblem(await answers.call("POST /verification/reveal", { body: { which: "previous" } })).code,
    "not_rotating",
  );
  const before = await reveal("current");
  const rotating = toValue(await answers.call("POST /verification/rotate", rotateBody("24h")));
  assert.equal((rotating.previous?.stopsAtMs ?? 0) - rotating.current.createdAtMs, OVERLAPS_MS["24h"]);
  assert.equal(await reveal("previous"), before);
  const secret = await reveal("current");
  assert.match(secret, SECRET);
  assert.notEqual(secret, before);
  const again = await answers.call("POST /verification/rotate", rotateBody("7d"));
  assert.equal(toProblem(again).code, "rotating_already");

  const stopped = toValue(await answers.call("POST /verification/end-rotation", endBody("current")));
  assert.equal(stopped.previous, null);
  assert.equal(await reveal("current"), secret);
  const twice = await answers.call("POST /verification/end-rotation", endBody("previous"));
  assert.equal(toProblem(twice).code, "not_rotating");
});

test("a rotation that is cancelled leaves the secret from before, and the audit says all of it", async () => {
  await using answers = await createAnswers();
  const reveal = async () =>
    toValue(await answers.call("POST /verification/reveal", { body: { which: "current" } })).secret;
  const before = await reveal();
  toValue(await answers.call("POST /verification/rotate", rotateBody("7d")));
  const cancelled = toValue(await answers.call("POST /verification/end-rotation", endBody("previous")));
  assert.equal(cancelled.previous, null);
  assert.equal(await reveal(), before);
  const { entries } = toValue(await answers.call("GET /audit"));
  assert.deepEqual(
    entries.slice(1, 3).map(({ action }) => action),
    ["Went back to the previous verification secret", "Rotated the verification secret"],
  );
  assert.match(entries[2]?.subject ?? "", /^the previous one stops at \d\d:\d\d UTC on /);
});

test("the previous one works until a date of the owner's choice, at most 30 days away", async () => {
  const { clock } = await createWorld();
  await using answers = await createAnswers({ clock });
  const rotateUntil = async (daysAway: number) => {
    const untilMs = clock.nowMs() + daysMs(daysAway);
    return { untilMs, answer: await answers.call("POST /verification/rotate", rotateBody({ untilMs })) };
  };
  for (const [days, words] of [
    [0, "is not in the future"],
    [-1, "is not in the future"],
    [30.01, "is more than 30 days away"],
  ] as const) {
    const { code, errors } = toProblem((await rotateUntil(days)).answer);
    assert.deepEqual([code, errors], ["invalid_form", [{ path: "overlap.untilMs", message: words }]]);
  }
  const { untilMs, answer } = await rotateUntil(30);
  assert.equal(toValue(answer).previous?.stopsAtMs, untilMs);
});

test("a secret that leaked is replaced at once, also in the middle of a rotation", async () => {
  await using answers = await createAnswers();
  const reveal = async () =>
    toValue(await answers.call("POST /verification/reveal", { body: { which: "current" } })).secret;
  const leaked = await reveal();
  toValue(await answers.call("POST /verification/rotate", rotateBody("24h")));
  const rotated = toValue(await answers.call("POST /verification/rotate", rotateBody("none")));
  assert.equal(rotated.previous, null);
  assert.notEqual(await reveal(), leaked);
});

test("a key pair signs beside the secret while it is on; the page has its public half, and no more", async () => {
  await using answers = await createAnswers();
  const setKey = async (isOn: boolean) => answers.call("POST /verification/signing-key", { body: { isOn } });
  assert.equal(toValue(await answers.call("GET /verification")).signingKey, null);
  assert.equal(toProblem(await setKey(false)).code, "signing_key_not_found");
  const first = toValue(await setKey(true)).signingKey?.current ?? assert.fail();
  assert.match(first.publicKey, /^whpk_[A-Za-z0-9+/]{43}=$/);
  assert.match(first.pem, /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=]{60}\n-----END PUBLIC KEY-----\n$/);
  assert.deepEqual(toValue(await setKey(true)).signingKey?.current, first, "one that is there stays");
  const rotated = toValue(await answers.call("POST /verification/rotate", { body: { kind: "key", overlap: "7d" } }));
  assert.equal(rotated.signingKey?.previous?.publicKey, first.publicKey);
  assert.notEqual(rotated.signingKey.current.publicKey, first.publicKey);
  assert.equal(rotated.previous, null, "the secret is not rotated with it");
  assert.doesNotMatch(JSON.stringify(rotated), /whsk_|PRIVATE/);
  assert.equal(toValue(await setKey(false)).signingKey, null);
});

test("rotating one account's secret leaves another's alone", async () => {
  await using answers = await createAnswers();
  const who = { accountId: OTHER_ACCOUNT };
  const reveal = async () =>
    toValue(await answers.call("POST /verification/reveal", { body: { which: "current" } }, who)).secret;
  const before = await reveal();
  toValue(await answers.call("POST /verification/rotate", rotateBody("none")));
  assert.equal(await reveal(), before);
});

describe("while a secret is rotated, requests", () => {
  async function rotatingWorld() {
    const world = await createWorld();
    await world.setUpAccount();
    toValue(await world.setUpAlert());
    const secretNow = async () => (await world.ctx.accounts.load(ACCOUNT))?.secrets;
    const before = (await secretNow())?.current.secret ?? "";
    toValue(await rotateSecret(world.accounts, { accountId: ACCOUNT, overlap: "24h", by: ANA }));
    const secret = (await secretNow())?.current.secret ?? "";
    return { world, before, secret };
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

  test("carry the previous one's signature, and both in webhook-signature", async () => {
    const { world, before, secret } = await rotatingWorld();
    const request = await send(world, 1);
    assert.deepEqual(checks(request, before, world), { service: true, standard: 2, verifies: true });
    assert.equal(checks(request, secret, world).service, false);
    const standardOnly = {
      ...request,
      headers: { ...request.headers, "x-service-signature": signService(request.body, secret) },
    };
    assert.ok(
      verify(standardOnly, [secret], { nowMs: world.clock.nowMs() }).valid,
      "the new one is in webhook-signature",
    );
  });

  test("carry the current one alone from the very instant on, although the rows still have both", async () => {
    const { world, before, secret } = await rotatingWorld();
    await world.clock.advance(OVERLAPS_MS["24h"] - 1);
    assert.equal(checks(await send(world, 1), before, world).service, true);
    await world.clock.advance(1);
    const request = await send(world, 2);
    assert.deepEqual(checks(request, secret, world), { service: true, standard: 1, verifies: true });
    assert.equal(verify(request, [before], { nowMs: world.clock.nowMs() }).valid, false);
  });

  test("change at once when the previous one is stopped, and when it leaked, with cached accounts too", async () => {
    const { world, secret } = await rotatingWorld();
    await send(world, 1);
    toValue(await endRotation(world.accounts, { accountId: ACCOUNT, keep: "current", by: ANA }));
    assert.deepEqual(checks(await send(world, 2), secret, world), { service: true, standard: 1, verifies: true });
    toValue(await rotateSecret(world.accounts, { accountId: ACCOUNT, overlap: "none", by: ANA }));
    assert.equal(checks(await send(world, 3), secret, world).service, false);
  });

  test("change back at once when the rotation is cancelled, with cached accounts too", async () => {
    const { world, before } = await rotatingWorld();
    await send(world, 1);
    toValue(await endRotation(world.accounts, { accountId: ACCOUNT, keep: "previous", by: ANA }));
    assert.deepEqual(checks(await send(world, 2), before, world), { service: true, standard: 1, verifies: true });
  });

  test("carry a key pair's signatures behind those of the secrets, each for as long as it is valid", async () => {
    const { world } = await rotatingWorld();
    const parts = async (number: number) => {
      const { headers } = await send(world, number);
      return (headers["webhook-signature"] ?? "").split(" ").map((part) => part.slice(0, part.indexOf(",")));
    };
    toValue(await addSigningKey(world.accounts, { accountId: ACCOUNT, by: ANA }));
    assert.deepEqual(await parts(1), ["v1", "v1", "v1a"]);
    toValue(await rotateSecret(world.accounts, { accountId: ACCOUNT, kind: "key", overlap: "7d", by: ANA }));
    assert.deepEqual(await parts(2), ["v1", "v1", "v1a", "v1a"]);
    await world.clock.advance(OVERLAPS_MS["24h"]);
    assert.deepEqual(await parts(3), ["v1", "v1a", "v1a"]);
    await world.clock.advance(OVERLAPS_MS["7d"] - OVERLAPS_MS["24h"]);
    assert.deepEqual(await parts(4), ["v1", "v1a"]);
  });

  test("can be rotated again when the previous one has stopped", async () => {
    const { world } = await rotatingWorld();
    const rotate = () => rotateSecret(world.accounts, { accountId: ACCOUNT, overlap: "24h", by: ANA });
    assert.equal(toProblem(await rotate()).code, "rotating_already");
    await world.clock.advance(OVERLAPS_MS["24h"]);
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
    toValue(await answers.call("POST /verification/rotate", rotateBody("none")));
    const after = await check();
    assert.equal(after.verdict, "no_match");
    assert.match(after.sentence, /no secret that we know/);
  });

  test("knows what was sent as a test, by the webhook-id that its receiver saw", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const webhook = makeWebhookForm({ url: receiver.url });
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
