/** From a destination that begins to fail to the letter in a real mail server, on a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMailServer } from "../../test/mail-server.ts";
import { ACCOUNT, ADA, type World, answer, createWorld, session } from "../../test/world.ts";
import { hoursMs, minutesMs } from "../lib/duration.ts";
import { createMailer } from "./mailer.ts";
import { createNotices } from "./notices.ts";

const FROM = "Bellwire <webhooks@example.com>";

async function failingWorld(addresses: readonly string[]) {
  const state = { status: 503 };
  const world = await createWorld({ receiver: () => answer(state.status) });
  await world.setUpAccount();
  await world.setUpAlert();
  await world.store.saveFailureMail({ accountId: ACCOUNT, addresses, by: ADA, nowMs: world.clock.nowMs() });
  return { world, state };
}

/** Enough failures to open its breaker. */
async function failOften(world: World): Promise<void> {
  for (let number = 1; number <= 8; number += 1) await world.acceptOne(session(number));
  await world.run();
}

function noticesOf(world: World, smtpUrl: string) {
  const failures: unknown[] = [];
  const notices = createNotices({
    store: world.store,
    clock: world.clock,
    random: world.ctx.random,
    mailer: createMailer({ smtpUrl, from: FROM, plaintext: "refuse" }),
    publicUrl: () => "https://webhooks.example.com",
    onFailure: (_what, error) => void failures.push(error),
    onNoMailbox: (accountId) => void failures.push(`${accountId} has named nobody`),
  });
  return { notices, failures };
}

test("tells each address once that a destination fails, and once that it works again", async () => {
  const { world, state } = await failingWorld(["ana@example.com", "ben@example.com"]);
  await using server = await startMailServer();
  const { notices } = noticesOf(world, server.url);
  await failOften(world);
  assert.equal(await notices.step(), 1);
  assert.deepEqual(server.mails.map(({ to }) => to).flat(), ["ana@example.com", "ben@example.com"]);
  assert.match(server.mails[0]?.source ?? "", /^Subject: Webhooks to hook\.example\.com are failing\r$/m);
  assert.match(server.mails[0]?.source ?? "", /Last answer: 503/);
  assert.equal(await notices.step(), 0);

  state.status = 200;
  await world.clock.advance(minutesMs(30));
  await world.run();
  assert.equal(await notices.step(), 1);
  assert.match(server.mails.at(-1)?.source ?? "", /^Subject: Webhooks to hook\.example\.com arrive again\r$/m);
  await notices.stop();
});

test("tries a letter again that the mail server refused, when its claim has run out", async () => {
  const { world } = await failingWorld(["ana@example.com"]);
  await using server = await startMailServer();
  const { notices, failures } = noticesOf(world, server.url);
  await failOften(world);
  server.isRefusing = true;
  assert.equal(await notices.step(), 1);
  assert.equal(failures.length, 1);
  server.isRefusing = false;
  assert.equal(await notices.step(), 0, "its claim still holds");
  await world.clock.advance(minutesMs(11));
  assert.equal(await notices.step(), 1);
  assert.equal(server.mails.length, 1);
  await notices.stop();
});

test("an address that does not exist, or is refused for now, keeps no other from getting its letter", async () => {
  const { world } = await failingWorld(["ana@example.com", "typo@example.com", "full@example.com", "ben@example.com"]);
  await using server = await startMailServer();
  const { notices, failures } = noticesOf(world, server.url);
  await failOften(world);
  server.refused.set("typo@example.com", "550 5.1.1 no such user").set("full@example.com", "452 4.2.2 mailbox full");
  await notices.step();
  assert.deepEqual(server.mails.map(({ to }) => to).flat(), ["ana@example.com", "ben@example.com"]);
  assert.match(failures.join("\n"), /^acct-1 has named nobody\n.*mailbox full$/s);

  server.refused.delete("full@example.com");
  await world.clock.advance(minutesMs(11));
  await notices.step();
  assert.deepEqual(
    server.mails
      .slice(2)
      .map(({ to }) => to)
      .flat(),
    ["full@example.com"],
  );
  await world.clock.advance(minutesMs(11));
  assert.equal(await notices.step(), 0);
  assert.equal(failures.length, 2);
  await notices.stop();
});

test("a server that is down is asked once, and not for each address", async () => {
  const { world } = await failingWorld(["ana@example.com", "ben@example.com"]);
  const server = await startMailServer();
  const { notices, failures } = noticesOf(world, server.url);
  await failOften(world);
  await server[Symbol.asyncDispose]();
  await notices.step();
  assert.equal(failures.length, 1);
  await notices.stop();
});

test("a server that does not want us as a sender is asked again", async () => {
  const { world } = await failingWorld(["ana@example.com"]);
  await using server = await startMailServer();
  const { notices, failures } = noticesOf(world, server.url);
  await failOften(world);
  server.refused.set("ana@example.com", "550 5.7.1 relaying denied");
  await notices.step();
  server.refused.clear();
  await world.clock.advance(minutesMs(11));
  await notices.step();
  assert.equal(failures.length, 1);
  assert.equal(server.mails.length, 1);
  await notices.stop();
});

test("drops news that are a day old", async () => {
  const { world } = await failingWorld(["ana@example.com"]);
  await using server = await startMailServer();
  const { notices } = noticesOf(world, server.url);
  await failOften(world);
  await world.clock.advance(hoursMs(25));
  await notices.step();
  assert.equal(server.mails.length, 0);
  assert.equal(await notices.step(), 0);
  await notices.stop();
});

test("writes nothing down for an account that names nobody", async () => {
  const { world } = await failingWorld([]);
  await using server = await startMailServer();
  const { notices } = noticesOf(world, server.url);
  await failOften(world);
  assert.equal(await notices.step(), 0);
  await notices.stop();
});

test("says that a destination was turned off by a 410", async () => {
  const { world, state } = await failingWorld(["ana@example.com"]);
  await using server = await startMailServer();
  const { notices } = noticesOf(world, server.url);
  state.status = 410;
  await world.acceptOne(session(1));
  await world.run();
  assert.equal(await notices.step(), 1);
  assert.match(server.mails[0]?.source ?? "", /are turned off/);
  await notices.stop();
});

test("a start says that the mail server cannot be used, and stops no later than that", async () => {
  const { world } = await failingWorld([]);
  await using server = await startMailServer();
  const { notices, failures } = noticesOf(world, server.url.replace("127.0.0.1", "bell:hunter2@0.0.0.0"));
  notices.start();
  await notices.stop();
  assert.match(failures.join("\n"), /STARTTLS.*BELLWIRE_SMTP_PLAINTEXT=allow/);
  assert.doesNotMatch(failures.join("\n"), /hunter2/);
  assert.deepEqual(server.logins, []);
});
