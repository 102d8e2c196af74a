/** From a destination that begins to fail to the letter in a real mail server, on a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MailServer, startMailServer } from "../../test/kit/servers/mail-server.ts";
import { ACCOUNT, ADA, HOOK, type World, answer, createWorld, session, toValue } from "../../test/kit/world/world.ts";
import { addFailureAddress } from "../accounts/failure-mail.ts";
import { LIMITS } from "../domain/limits.ts";
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { hashToken } from "../domain/token.ts";
import { createMailer } from "./mailer.ts";
import { createNotices } from "./notices.ts";

const FROM = "Bellwire <webhooks@example.com>";
const ANA = "ana@example.com";
const GAP_MS = LIMITS.digestGapMs;

async function failingWorld() {
  const state = { status: 503 };
  const world = await createWorld({ receiver: () => answer(state.status) });
  await world.setUpAccount();
  await world.setUpAlert();
  return { world, state };
}

/** The world, and addresses confirmed through the links of letters that a real server has taken. */
async function toldWorld(addresses: readonly string[]) {
  const { world, state } = await failingWorld();
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startMailServer());
  const { notices, failures } = startNotices(world, server.url);
  stack.defer(() => notices.stop());
  for (const address of addresses) await addFailureAddress(world.accounts, { accountId: ACCOUNT, address, by: ADA });
  await notices.step();
  for (const { source } of server.mails) await confirm(world, source);
  const before = server.mails.length;
  return {
    world,
    state,
    server,
    notices,
    failures,
    digests: () => server.mails.slice(before),
    readers: () => server.mails.slice(before).flatMap(({ to }) => to),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const decodeText = (source: string): string => source.replaceAll("=\r\n", "").replaceAll("=3D", "=");

/** The first link of a letter belongs to its subject, the last one stops letters. */
const tokensIn = (source: string): string[] =>
  [...decodeText(source.slice(source.indexOf("\r\n\r\n"))).matchAll(/\/mail\/([\w-]{45})/g)].map(
    ([, token = ""]) => token,
  );

async function confirm(world: World, source: string) {
  const tokenHash = hashToken(tokensIn(source)[0] ?? "");
  return await world.store.useMailLink({ tokenHash, action: "confirm", nowMs: world.clock.nowMs() });
}

/** Enough failures to open its breaker, and the half minute in which news is collected. */
async function failOften(world: World): Promise<void> {
  for (let number = 1; number <= 8; number += 1) await world.acceptOne(session(number));
  await world.run();
  await world.clock.advance(secondsMs(30));
}

function startNotices(world: World, smtpUrl: string) {
  const failures: unknown[] = [];
  const notices = createNotices({
    store: world.store,
    clock: world.clock,
    random: world.ctx.random,
    sealer: world.accounts.sealer,
    mailer: createMailer({ smtpUrl, from: FROM }),
    publicUrl: () => "https://webhooks.example.com",
    onFailure: (_what, error) => void failures.push(error),
    onNoMailbox: (accountId) => void failures.push(`${accountId} has named nobody`),
  });
  return { notices, failures };
}

test("an address gets one letter that asks, and no news before its reader has confirmed", async () => {
  const { world } = await failingWorld();
  await using server = await startMailServer();
  const { notices } = startNotices(world, server.url);
  await addFailureAddress(world.accounts, { accountId: ACCOUNT, address: ANA, by: ADA });
  assert.equal(await notices.step(), 1);
  assert.equal(await notices.step(), 0);
  await failOften(world);
  assert.equal(await notices.step(), 0);
  const [{ source, to } = assert.fail(), ...others] = server.mails;
  assert.deepEqual([to, others], [[ANA], []]);
  assert.match(source, /^Subject: Confirm this address for e-mail about failing webhooks\r$/m);
  assert.match(source, /^List-Unsubscribe:\s+<https:\/\/webhooks\.example\.com\/mail\/[\w-]{45}>\r$/im);
  assert.match(source, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/im);
  assert.match(source, /^Auto-Submitted: auto-generated\r$/im);
  assert.equal((await confirm(world, source))?.state, "confirmed");
  await notices.stop();
});

test("no letter carries what an alert or an account is named, beyond a name", async () => {
  await using told = await toldWorld([ANA]);
  const [, stop = ""] = tokensIn(told.server.mails[0]?.source ?? "");
  assert.equal(stop.length, 45);
  assert.doesNotMatch(told.server.mails[0]?.source ?? "", /Everyone|hook\.example/);
});

test("tells each address once that a destination fails, and once that it works again", async () => {
  await using told = await toldWorld([ANA, "ben@example.com"]);
  const { world, state, notices } = told;
  await failOften(world);
  assert.equal(await notices.step(), 2);
  assert.deepEqual(told.readers().toSorted(), [ANA, "ben@example.com"]);
  assert.match(told.digests()[0]?.source ?? "", /^Subject: Webhooks to hook\.example\.com are failing\r$/m);
  assert.match(told.digests()[0]?.source ?? "", /Last answer: 503/);
  assert.equal(await notices.step(), 0);

  state.status = 200;
  await world.clock.advance(minutesMs(30));
  await world.run();
  await world.clock.advance(minutesMs(1));
  assert.equal(await notices.step(), 2);
  assert.match(told.digests().at(-1)?.source ?? "", /^Subject: Webhooks to hook\.example\.com arrive again\r$/m);
});

test("a reader who stops gets nothing more, by the link of any letter", async () => {
  await using told = await toldWorld([ANA]);
  const { world, notices } = told;
  await failOften(world);
  await notices.step();
  const [stop = ""] = tokensIn(told.digests()[0]?.source ?? "");
  assert.equal(stop, tokensIn(told.server.mails[0]?.source ?? "")[1], "one link for all letters");
  await world.store.useMailLink({ tokenHash: hashToken(stop), action: "stop", nowMs: world.clock.nowMs() });
  told.state.status = 200;
  await world.clock.advance(hoursMs(1));
  await world.run();
  await world.clock.advance(GAP_MS);
  assert.equal(await notices.step(), 0);
});

test("five hundred destinations that fail bring ten addresses four letters each in the first hour", async () => {
  const addresses = Array.from({ length: LIMITS.failureMailAddressesMax }, (_, n) => `p${n}@example.com`);
  await using told = await toldWorld(addresses);
  const { world, notices } = told;
  for (let n = 1; n < LIMITS.alertsPerAccountMax; n += 1) {
    const settings = { name: `Alert ${n}`, demos: [`Demo ${n % 5}`] };
    toValue(await world.setUpAlert({ settings, webhook: { url: `${HOOK}/${n}`, headers: [] } }));
  }
  // A hundred more fail every twelve minutes, so that there is news in each quarter of an hour.
  for (let minute = 0; minute < 60; minute += 1) {
    const number = 100 * minute;
    for (let n = 0; minute % 12 === 0 && n < 8; n += 1) {
      await world.acceptOne(session(number + n, { name: `Demo ${minute / 12}` }));
    }
    await world.run();
    await world.clock.advance(minutesMs(1));
    await notices.step();
  }
  const byReader = Map.groupBy(told.readers(), (reader) => reader);
  assert.equal(byReader.size, addresses.length);
  for (const letters of byReader.values()) assert.equal(letters.length, 4);
  const [largest = ""] = told
    .digests()
    .map(({ source }) => decodeText(source))
    .toSorted((a, b) => b.length - a.length);
  assert.match(largest, /^- and \d{2,3} more: https:\/\/webhooks\.example\.com\//m);
  assert.ok(largest.length < 15_000, `${largest.length} characters`);
});

test("tries a letter again that the mail server refused, a quarter of an hour later", async () => {
  await using told = await toldWorld([ANA]);
  const { world, server, notices, failures } = told;
  await failOften(world);
  server.isRefusing = true;
  assert.equal(await notices.step(), 1);
  assert.equal(failures.length, 1);
  server.isRefusing = false;
  assert.equal(await notices.step(), 0, "its claim still holds");
  await world.clock.advance(GAP_MS);
  assert.equal(await notices.step(), 1);
  assert.deepEqual(told.readers(), [ANA]);
});

test("an address that does not exist, or is refused for now, keeps no other from getting its letter", async () => {
  const addresses = [ANA, "typo@example.com", "full@example.com", "ben@example.com"];
  await using told = await toldWorld(addresses);
  const { world, server, notices, failures } = told;
  await failOften(world);
  server.refused.set("typo@example.com", "550 5.1.1 no such user").set("full@example.com", "452 4.2.2 mailbox full");
  await notices.step();
  assert.deepEqual(told.readers().toSorted(), [ANA, "ben@example.com"]);
  assert.equal(failures.length, 2);
  assert.match(failures.join("\n"), /acct-1 has named nobody/);
  assert.match(failures.join("\n"), /mailbox full/);

  server.refused.delete("full@example.com");
  await world.clock.advance(GAP_MS);
  await notices.step();
  assert.deepEqual(told.readers().slice(2), ["full@example.com"]);
  await world.clock.advance(GAP_MS);
  assert.equal(await notices.step(), 0);
});

test("a server that is down is asked once in a step; those behind the first go out a minute later", async () => {
  await using told = await toldWorld([ANA, "ben@example.com", "cy@example.com"]);
  const { world, server, notices, failures } = told;
  await failOften(world);
  server.isRefusing = true;
  await notices.step();
  assert.equal(failures.length, 1);
  server.isRefusing = false;
  await world.clock.advance(minutesMs(1));
  assert.equal(await notices.step(), 2);
  await world.clock.advance(GAP_MS);
  assert.equal(await notices.step(), 1);
  assert.deepEqual(told.readers().toSorted(), [ANA, "ben@example.com", "cy@example.com"]);
});

test("a confirmation letter that was not taken waits for the server, and no longer than a day", async () => {
  const { world } = await failingWorld();
  await using server = await startMailServer();
  const { notices, failures } = startNotices(world, server.url);
  await addFailureAddress(world.accounts, { accountId: ACCOUNT, address: ANA, by: ADA });
  server.isRefusing = true;
  await notices.step();
  await notices.step();
  assert.equal(failures.length, 1);
  await world.clock.advance(minutesMs(5));
  server.isRefusing = false;
  await notices.step();
  assert.equal(server.mails.length, 1);
  assert.equal((await world.store.loadMailAddresses({ accountId: ACCOUNT }))[0]?.letter.state, "sent");
  await notices.stop();
});

test("an owner sees that the mailbox of a new address does not exist", async () => {
  const { world } = await failingWorld();
  await using server = await startMailServer();
  server.refused.set(ANA, "550 5.1.1 no such user");
  const { notices } = startNotices(world, server.url);
  await addFailureAddress(world.accounts, { accountId: ACCOUNT, address: ANA, by: ADA });
  await notices.step();
  assert.equal((await world.store.loadMailAddresses({ accountId: ACCOUNT }))[0]?.letter.state, "no_mailbox");
  await notices.stop();
});

test("a server that does not want us as a sender is asked again", async () => {
  await using told = await toldWorld([ANA]);
  const { world, server, notices, failures } = told;
  await failOften(world);
  server.refused.set(ANA, "550 5.7.1 relaying denied");
  await notices.step();
  server.refused.clear();
  await world.clock.advance(GAP_MS);
  await notices.step();
  assert.equal(failures.length, 1);
  assert.deepEqual(told.readers(), [ANA]);
});

test("drops news that are a day old", async () => {
  await using told = await toldWorld([ANA]);
  await failOften(told.world);
  await told.world.clock.advance(hoursMs(25));
  assert.equal(await told.notices.step(), 0);
  assert.deepEqual(told.readers(), []);
});

test("says that a destination was turned off by a 410", async () => {
  await using told = await toldWorld([ANA]);
  told.state.status = 410;
  await told.world.acceptOne(session(1));
  await told.world.run();
  await told.world.clock.advance(secondsMs(30));
  assert.equal(await told.notices.step(), 1);
  assert.match(told.digests()[0]?.source ?? "", /are turned off/);
});

test("a start says that the mail server cannot be used, and stops no later than that", async () => {
  const { world } = await failingWorld();
  await using server: MailServer = await startMailServer();
  const { notices, failures } = startNotices(world, server.url.replace("127.0.0.1", "bell:hunter2@0.0.0.0"));
  notices.start();
  await notices.stop();
  assert.match(failures.join("\n"), /STARTTLS.*smtps:/);
  assert.doesNotMatch(failures.join("\n"), /hunter2/);
  assert.deepEqual(server.logins, []);
});
