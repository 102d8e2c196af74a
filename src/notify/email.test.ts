/** From a destination that begins to fail to the email in a real mail server, on a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { type MailServer, startMailServer } from "../../test/kit/servers/mail-server.ts";
import { ACCOUNT, ADA, HOOK, type World, answer, createWorld, session, toValue } from "../../test/kit/world/world.ts";
import { addFailureAddress } from "../accounts/failure-mail.ts";
import { LIMITS } from "../domain/limits.ts";
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { hashToken } from "../domain/token.ts";
import { createMailer } from "./mailer.ts";
import { createEmailLoop } from "./email.ts";

const FROM = "Bellwire <webhooks@example.com>";
const ANA = "ana@example.com";
const GAP_MS = LIMITS.emailGapMs;

async function failingWorld() {
  const state = { status: 503 };
  const world = await createWorld({ receiver: () => answer(state.status) });
  await world.setUpAccount();
  await world.setUpAlert();
  return { world, state };
}

/** The world, and addresses confirmed through the links of emails that a real server has taken. */
async function notifiedWorld(addresses: readonly string[]) {
  const { world, state } = await failingWorld();
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startMailServer());
  const { email, failures } = startEmail(world, server.url);
  stack.defer(() => email.stop());
  for (const address of addresses) await addFailureAddress(world.accounts, { accountId: ACCOUNT, address, by: ADA });
  await email.step();
  for (const { source } of server.mails) await confirm(world, source);
  const before = server.mails.length;
  return {
    world,
    state,
    server,
    email,
    failures,
    notifications: () => server.mails.slice(before),
    recipients: () => server.mails.slice(before).flatMap(({ to }) => to),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const decodeText = (source: string): string => source.replaceAll("=\r\n", "").replaceAll("=3D", "=");

/** The first link of an email belongs to its subject, the last one stops email. */
const tokensIn = (source: string): string[] =>
  [...decodeText(source.slice(source.indexOf("\r\n\r\n"))).matchAll(/\/mail\/([\w-]{43})/g)].map(
    ([, token = ""]) => token,
  );

async function confirm(world: World, source: string) {
  const tokenHash = hashToken(tokensIn(source)[0] ?? "");
  return await world.store.followMailLink({ tokenHash, action: "confirm", nowMs: world.clock.nowMs() });
}

/** Enough failures to open its breaker, and the half minute in which news is gathered. */
async function failOften(world: World): Promise<void> {
  for (let number = 1; number <= 8; number += 1) await world.acceptOne(session(number));
  await world.run();
  await world.clock.advance(secondsMs(30));
}

function startEmail(world: World, smtpUrl: string) {
  const failures: unknown[] = [];
  const email = createEmailLoop({
    store: world.store,
    clock: world.clock,
    random: world.ctx.random,
    sealer: world.accounts.sealer,
    mailer: createMailer({ smtpUrl, from: FROM }),
    publicUrl: () => "https://webhooks.example.com",
    onFailure: (_what, error) => void failures.push(error),
    onNoMailbox: (accountId) => void failures.push(`${accountId} has named nobody`),
  });
  return { email, failures };
}

test("an address gets one email that asks, and no notification before it is confirmed", async () => {
  const { world } = await failingWorld();
  await using server = await startMailServer();
  const { email } = startEmail(world, server.url);
  await addFailureAddress(world.accounts, { accountId: ACCOUNT, address: ANA, by: ADA });
  assert.equal(await email.step(), 1);
  assert.equal(await email.step(), 0);
  await failOften(world);
  assert.equal(await email.step(), 0);
  const [{ source, to } = assert.fail(), ...others] = server.mails;
  assert.deepEqual([to, others], [[ANA], []]);
  assert.match(source, /^Subject: Confirm this address for e-mail about failing webhooks\r$/m);
  assert.match(source, /^List-Unsubscribe:\s+<https:\/\/webhooks\.example\.com\/mail\/[\w-]{43}>\r$/im);
  assert.match(source, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/im);
  assert.match(source, /^Auto-Submitted: auto-generated\r$/im);
  assert.equal((await confirm(world, source))?.state, "confirmed");
  await email.stop();
});

test("no email carries what an alert or an account is named, beyond a name", async () => {
  await using notified = await notifiedWorld([ANA]);
  const [, stop = ""] = tokensIn(notified.server.mails[0]?.source ?? "");
  assert.equal(stop.length, 43);
  assert.doesNotMatch(notified.server.mails[0]?.source ?? "", /Everyone|hook\.example/);
});

test("notifies each address once that a destination fails, and once that it works again", async () => {
  await using notified = await notifiedWorld([ANA, "ben@example.com"]);
  const { world, state, email } = notified;
  await failOften(world);
  assert.equal(await email.step(), 2);
  assert.deepEqual(notified.recipients().toSorted(), [ANA, "ben@example.com"]);
  assert.match(notified.notifications()[0]?.source ?? "", /^Subject: Webhooks to hook\.example\.com are failing\r$/m);
  assert.match(notified.notifications()[0]?.source ?? "", /Last answer: 503/);
  assert.equal(await email.step(), 0);

  state.status = 200;
  await world.clock.advance(minutesMs(30));
  await world.run();
  await world.clock.advance(minutesMs(1));
  assert.equal(await email.step(), 2);
  assert.match(
    notified.notifications().at(-1)?.source ?? "",
    /^Subject: Webhooks to hook\.example\.com arrive again\r$/m,
  );
});

test("a recipient who stops gets nothing more, by the link of any email", async () => {
  await using notified = await notifiedWorld([ANA]);
  const { world, email } = notified;
  await failOften(world);
  await email.step();
  const [stop = ""] = tokensIn(notified.notifications()[0]?.source ?? "");
  assert.equal(stop, tokensIn(notified.server.mails[0]?.source ?? "")[1], "one link for all emails");
  await world.store.followMailLink({ tokenHash: hashToken(stop), action: "stop", nowMs: world.clock.nowMs() });
  notified.state.status = 200;
  await world.clock.advance(hoursMs(1));
  await world.run();
  await world.clock.advance(GAP_MS);
  assert.equal(await email.step(), 0);
});

test("five hundred destinations that fail bring ten addresses four emails each in the first hour", async () => {
  const addresses = Array.from({ length: LIMITS.failureMailAddressesMax }, (_, n) => `p${n}@example.com`);
  await using notified = await notifiedWorld(addresses);
  const { world, email } = notified;
  for (let n = 1; n < LIMITS.alertsPerAccountMax; n += 1) {
    const settings = { name: `Alert ${n}`, demos: [`Demo ${n % 5}`] };
    toValue(await world.setUpAlert({ settings, webhook: makeWebhookForm({ url: `${HOOK}/${n}` }) }));
  }
  // A hundred more fail every twelve minutes, so that there is news in each quarter of an hour.
  for (let minute = 0; minute < 60; minute += 1) {
    const number = 100 * minute;
    for (let n = 0; minute % 12 === 0 && n < 8; n += 1) {
      await world.acceptOne(session(number + n, { name: `Demo ${minute / 12}` }));
    }
    await world.run();
    await world.clock.advance(minutesMs(1));
    await email.step();
  }
  const byRecipient = Map.groupBy(notified.recipients(), (recipient) => recipient);
  assert.equal(byRecipient.size, addresses.length);
  for (const emails of byRecipient.values()) assert.equal(emails.length, 4);
  const [largest = ""] = notified
    .notifications()
    .map(({ source }) => decodeText(source))
    .toSorted((a, b) => b.length - a.length);
  assert.match(largest, /^- and \d{2,3} more: https:\/\/webhooks\.example\.com\//m);
  assert.ok(largest.length < 15_000, `${largest.length} characters`);
});

test("tries an email again that the mail server refused, a quarter of an hour later", async () => {
  await using notified = await notifiedWorld([ANA]);
  const { world, server, email, failures } = notified;
  await failOften(world);
  server.isRefusing = true;
  assert.equal(await email.step(), 1);
  assert.equal(failures.length, 1);
  server.isRefusing = false;
  assert.equal(await email.step(), 0, "its claim still holds");
  await world.clock.advance(GAP_MS);
  assert.equal(await email.step(), 1);
  assert.deepEqual(notified.recipients(), [ANA]);
});

test("an address that does not exist, or is refused for now, keeps no other from getting its email", async () => {
  const addresses = [ANA, "typo@example.com", "full@example.com", "ben@example.com"];
  await using notified = await notifiedWorld(addresses);
  const { world, server, email, failures } = notified;
  await failOften(world);
  server.refused.set("typo@example.com", "550 5.1.1 no such user").set("full@example.com", "452 4.2.2 mailbox full");
  await email.step();
  assert.deepEqual(notified.recipients().toSorted(), [ANA, "ben@example.com"]);
  assert.equal(failures.length, 2);
  assert.match(failures.join("\n"), /acct-1 has named nobody/);
  assert.match(failures.join("\n"), /mailbox full/);

  server.refused.delete("full@example.com");
  await world.clock.advance(GAP_MS);
  await email.step();
  assert.deepEqual(notified.recipients().slice(2), ["full@example.com"]);
  await world.clock.advance(GAP_MS);
  assert.equal(await email.step(), 0);
});

test("a server that is down is asked once in a step; those behind the first go out a minute later", async () => {
  await using notified = await notifiedWorld([ANA, "ben@example.com", "cy@example.com"]);
  const { world, server, email, failures } = notified;
  await failOften(world);
  server.isRefusing = true;
  await email.step();
  assert.equal(failures.length, 1);
  server.isRefusing = false;
  await world.clock.advance(minutesMs(1));
  assert.equal(await email.step(), 2);
  await world.clock.advance(GAP_MS);
  assert.equal(await email.step(), 1);
  assert.deepEqual(notified.recipients().toSorted(), [ANA, "ben@example.com", "cy@example.com"]);
});

test("a confirmation email that was not taken waits for the server, and no longer than a day", async () => {
  const { world } = await failingWorld();
  await using server = await startMailServer();
  const { email, failures } = startEmail(world, server.url);
  await addFailureAddress(world.accounts, { accountId: ACCOUNT, address: ANA, by: ADA });
  server.isRefusing = true;
  await email.step();
  await email.step();
  assert.equal(failures.length, 1);
  await world.clock.advance(minutesMs(5));
  server.isRefusing = false;
  await email.step();
  assert.equal(server.mails.length, 1);
  assert.equal((await world.store.loadRecipients({ accountId: ACCOUNT })).mailAddresses[0]?.confirmation.state, "sent");
  await email.stop();
});

test("an owner sees that the mailbox of a new address does not exist", async () => {
  const { world } = await failingWorld();
  await using server = await startMailServer();
  server.refused.set(ANA, "550 5.1.1 no such user");
  const { email } = startEmail(world, server.url);
  await addFailureAddress(world.accounts, { accountId: ACCOUNT, address: ANA, by: ADA });
  await email.step();
  assert.equal(
    (await world.store.loadRecipients({ accountId: ACCOUNT })).mailAddresses[0]?.confirmation.state,
    "no_mailbox",
  );
  await email.stop();
});

test("a server that does not want us as a sender is asked again", async () => {
  await using notified = await notifiedWorld([ANA]);
  const { world, server, email, failures } = notified;
  await failOften(world);
  server.refused.set(ANA, "550 5.7.1 relaying denied");
  await email.step();
  server.refused.clear();
  await world.clock.advance(GAP_MS);
  await email.step();
  assert.equal(failures.length, 1);
  assert.deepEqual(notified.recipients(), [ANA]);
});

test("what is a day old comes as a reminder of what still fails", async () => {
  await using notified = await notifiedWorld([ANA]);
  await failOften(notified.world);
  await notified.world.clock.advance(hoursMs(25));
  assert.equal(await notified.email.step(), 1);
  assert.match(
    notified.notifications()[0]?.source ?? "",
    /^Subject: Webhooks to hook\.example\.com are still failing\r$/m,
  );
});

test("says that a destination was turned off by a 410", async () => {
  await using notified = await notifiedWorld([ANA]);
  notified.state.status = 410;
  await notified.world.acceptOne(session(1));
  await notified.world.run();
  await notified.world.clock.advance(secondsMs(30));
  assert.equal(await notified.email.step(), 1);
  assert.match(notified.notifications()[0]?.source ?? "", /are turned off/);
});

test("a start says that the mail server cannot be used, and stops no later than that", async () => {
  const { world } = await failingWorld();
  await using server: MailServer = await startMailServer();
  const { email, failures } = startEmail(world, server.url.replace("127.0.0.1", "bell:hunter2@0.0.0.0"));
  email.start();
  await email.stop();
  assert.match(failures.join("\n"), /STARTTLS.*smtps:/);
  assert.doesNotMatch(failures.join("\n"), /hunter2/);
  assert.deepEqual(server.logins, []);
});
