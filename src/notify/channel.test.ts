/** From a destination that begins to fail to the message that a channel gets, on a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSealer } from "../lib/seal.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { ACCOUNT, ADA, HOOK, type World, answer, createWorld, session, toValue } from "../../test/kit/world/world.ts";
import { addNewsChannel } from "../accounts/news-channels.ts";
import { rotateSecret } from "../accounts/rotate-secret.ts";
import { secretsAt } from "../accounts/secrets.ts";
import { sendCurrent } from "../delivery/send-current.ts";
import type { WebhookRequest } from "../delivery/send/request.ts";
import type { Outcome } from "../domain/attempt.ts";
import { LIMITS } from "../domain/limits.ts";
import type { NotificationBody } from "../domain/notification-body.ts";
import { bodyTime } from "../domain/operator-alert.ts";
import { CHANNEL_KINDS, type ChannelKind } from "../domain/channel.ts";
import { REMIND_MS } from "../domain/message.ts";
import { daysMs, hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { type ChannelContext, createChannelLoop } from "./channel.ts";

const OPS = "https://ops.example/in?token=0123456789abcdef";
const SLACK = "https://hooks.slack.example/services/T000/B000/XXXXXXXXXXXX";

interface Answers {
  /** The status of receivers of events. */
  receiver: number;
  /** The answer of channels. */
  channel: (request: WebhookRequest) => Outcome;
}

async function startWorld(kinds: readonly ChannelKind[] = ["webhook"]) {
  const answers: Answers = { receiver: 503, channel: () => answer(200) };
  const isChannel = (request: WebhookRequest) => request.lane.startsWith("channel:");
  const world = await createWorld({
    receiver: (request) => (isChannel(request) ? answers.channel(request) : answer(answers.receiver)),
  });
  await world.setUpAccount();
  await world.setUpAlert();
  for (const kind of kinds) {
    const url = kind === "slack" ? SLACK : kind === "webhook" ? OPS : `https://${kind.replace("_", "-")}.example/in`;
    toValue(await addNewsChannel(world.accounts, { accountId: ACCOUNT, kind, name: kind, url, by: ADA }));
  }
  const refused: string[] = [];
  const failures: unknown[] = [];
  const makeNode = (changes: Partial<ChannelContext> = {}) =>
    createChannelLoop({
      ...toPost(world),
      store: world.store,
      onRefused: ({ met }) => void refused.push(met),
      onFailure: (_what, error) => void failures.push(error),
      ...changes,
    });
  const posts = () => world.sent.map(({ request }) => request).filter(isChannel);
  const bodies = () => posts().map(({ body }) => JSON.parse(body) as NotificationBody);
  return { world, answers, node: makeNode(), makeNode, posts, bodies, refused, failures };
}

function toPost({ ctx, accounts }: World) {
  const { clock, random, names } = ctx;
  const sendAs: ChannelContext["sendAs"] = async (accountId, build) => {
    const sent = await sendCurrent(ctx, {
      accountId,
      configVersion: 0,
      build: ({ secrets }) => ({ request: build(secretsAt(secrets, clock.nowMs())) }),
      isTooLate: () => false,
    });
    return sent?.result ?? null;
  };
  return { clock, random, names, sealer: accounts.sealer, sendAs, publicUrl: () => "https://webhooks.example.com" };
}

const findChannel = async (world: World, kind: ChannelKind) =>
  (await world.store.loadRecipients({ accountId: ACCOUNT })).channels.find((channel) => channel.kind === kind);

/** Enough failures to open the breakers, and the half minute in which news is gathered. */
async function failOften(world: World, from = 1): Promise<void> {
  for (let number = from; number < from + 8; number += 1) await world.acceptOne(session(number));
  await world.run();
  await world.clock.advance(secondsMs(30));
}

test("a channel is told that a webhook fails, a day later that it still does, and that it works again", async () => {
  const { world, answers, node, posts, bodies } = await startWorld();
  await failOften(world);
  assert.equal(await node.step(), 1);
  await world.clock.advance(hoursMs(1));
  assert.equal(await node.step(), 0);
  const [opening] = bodies();
  assert.equal(opening?.type, "destination.failing");
  assert.equal(opening.summary, "Webhooks to hook.example.com are failing");
  assert.deepEqual(opening.account, { id: ACCOUNT, name: "Acme Inc" });
  const [{ id, owner, ...facts } = assert.fail(), ...others] = opening.destinations;
  assert.deepEqual(others, []);
  assert.match(id, /^dst_/);
  assert.deepEqual([owner.kind, owner.name], ["alert", "Everyone"]);
  assert.equal(facts.host, "hook.example.com");
  assert.equal(facts.last_failure?.status, 503);
  assert.deepEqual(facts.waiting, { count: 8, is_capped: false });
  assert.match(facts.incident ?? "", /^inc_/);
  const page = `https://webhooks.example.com/settings/alerts/${owner.id}`;
  assert.equal(facts.link, `${page}?incident=${facts.incident}`);

  await world.clock.advance(REMIND_MS - hoursMs(1));
  await world.run();
  assert.equal(await node.step(), 1);
  assert.equal(bodies().at(-1)?.type, "destination.still_failing");
  assert.equal(bodies().at(-1)?.summary, "Webhooks to hook.example.com are still failing");

  answers.receiver = 200;
  await world.clock.advance(hoursMs(12));
  await world.run();
  await world.clock.advance(minutesMs(1));
  assert.equal(await node.step(), 1);
  const end = bodies().at(-1);
  assert.deepEqual([end?.type, end?.destinations[0]?.waiting], ["destination.recovered", null]);
  assert.equal(new Set(posts().map(({ headers }) => headers["webhook-id"])).size, 3, "three messages, three ids");
  await world.clock.advance(2 * REMIND_MS);
  await node.step();
  assert.equal(posts().length, 3);
});

test("a channel hears 30, 7 and 1 days before that a certificate ends, once each, also after a restart", async () => {
  const { world, makeNode, bodies } = await startWorld();
  const endsAtMs = world.clock.nowMs() + daysMs(40);
  const { certificate: chain, key } = makeAuthority("Receiver's CA").issue("acme", { untilMs: endsAtMs });
  await world.setUpAssistant("bot", { authentication: { oauth: null, certificate: { chain, key } } });
  // Each round is a node of its own: the one before has ended, perhaps between claim and answer.
  const round = async () => void (await makeNode().step());
  for (let day = 0; day < 42; day += 1) {
    await round();
    await round();
    await world.clock.advance(daysMs(1));
  }
  const told = bodies().map(({ type, sent_at: at, destinations }) => {
    const [{ certificate_ends_at: end, waiting, link } = assert.fail()] = destinations;
    assert.deepEqual([end, waiting, link.endsWith("/assistants/bot/webhook")], [bodyTime(endsAtMs), null, true]);
    return `${type} ${Math.round((endsAtMs - Date.parse(at)) / daysMs(1))}`;
  });
  assert.deepEqual(
    told,
    [30, 7, 1].map((days) => `destination.certificate_ends ${days}`),
  );
  assert.equal(bodies()[0]?.summary, "Webhooks to hook.example.com need a new client certificate");
});

test("a destination that a 410 turns off is told with the reason", async () => {
  const { world, answers, node, bodies } = await startWorld();
  answers.receiver = 410;
  await failOften(world);
  await node.step();
  const [body] = bodies();
  assert.equal(body?.type, "destination.turned_off");
  assert.equal(body.destinations[0]?.off_reason, "gone");
});

test("many webhooks that fail together make one message for each channel", async () => {
  const { world, node, posts, bodies } = await startWorld(CHANNEL_KINDS);
  for (let n = 1; n < 40; n += 1) {
    toValue(
      await world.setUpAlert({ settings: { name: `Alert ${n}` }, webhook: makeWebhookForm({ url: `${HOOK}/${n}` }) }),
    );
  }
  await failOften(world);
  assert.equal(await node.step(), CHANNEL_KINDS.length);
  assert.deepEqual(
    posts()
      .map(({ url }) => url.host)
      .toSorted(),
    ["discord.example", "google-chat.example", "hooks.slack.example", "ops.example", "teams.example"],
  );
  const forms = posts().map(({ body }) => Object.keys(JSON.parse(body) as object).join());
  assert.equal(new Set(forms).size, CHANNEL_KINDS.length, "each in its own form");
  const webhook = bodies().find((body) => "counts" in body);
  assert.deepEqual([webhook?.counts.failing, webhook?.destinations.length], [40, 20]);
});

test("a channel that is down is asked later each time, and no other channel waits for it", async () => {
  const { world, answers, node, posts, refused } = await startWorld(["webhook", "slack"]);
  answers.channel = ({ url }) => answer(url.host === "ops.example" ? 500 : 200);
  await failOften(world);
  assert.equal(await node.step(), 2);
  const countOps = () => posts().filter(({ url }) => url.host === "ops.example").length;
  const gaps: number[] = [];
  let lastAtMs = world.clock.nowMs();
  for (let tries = 1; tries < 8;) {
    await world.clock.advance(secondsMs(5));
    await node.step();
    if (countOps() === tries) continue;
    tries += 1;
    gaps.push((world.clock.nowMs() - lastAtMs) / 1000);
    lastAtMs = world.clock.nowMs();
  }
  assert.deepEqual(gaps, [15, 30, 60, 120, 240, 480, 900]);
  assert.equal(posts().filter(({ url }) => url.host === "hooks.slack.example").length, 1);
  assert.equal(refused.length, 8);
  const channel = await findChannel(world, "webhook");
  assert.deepEqual([channel?.answer?.status, channel?.answer?.isTaken], [500, false]);
  assert.equal((channel?.refusedSinceMs ?? 0) < lastAtMs, true);
  const ids = posts().filter(({ url }) => url.host === "ops.example");
  assert.equal(new Set(ids.map(({ headers }) => headers["webhook-id"])).size, 1, "repeats are known by their id");
});

test("a channel on the host that fails is told when that host is back, by its own retries alone", async () => {
  const { world, answers, node, bodies } = await startWorld();
  answers.channel = () => answer(answers.receiver);
  await failOften(world);
  await node.step();
  answers.receiver = 200;
  await world.clock.advance(secondsMs(15));
  assert.equal(await node.step(), 1);
  assert.deepEqual(
    bodies().map(({ type }) => type),
    ["destination.failing", "destination.failing"],
  );
  assert.equal((await findChannel(world, "webhook"))?.refusedSinceMs, null);
});

test("waits for as long as a channel asks", async () => {
  const { world, answers, node, posts } = await startWorld(["slack"]);
  const limited = { status: 429, headers: { "retry-after": "120" }, body: new Uint8Array(), bodyCut: false };
  answers.channel = () => ({ kind: "response", response: limited });
  await failOften(world);
  await node.step();
  await world.clock.advance(secondsMs(119));
  assert.equal(await node.step(), 0);
  await world.clock.advance(secondsMs(1));
  assert.equal(await node.step(), 1);
  assert.equal(posts().length, 2);
});

test("waits for as long as a tool asks in its answer's body", async () => {
  const { world, answers, node, posts } = await startWorld(["discord"]);
  const body = Buffer.from(JSON.stringify({ message: "You are being rate limited.", retry_after: 120, global: false }));
  answers.channel = () => ({ kind: "response", response: { status: 429, headers: {}, body, bodyCut: false } });
  await failOften(world);
  await node.step();
  await world.clock.advance(secondsMs(119));
  assert.equal(await node.step(), 0);
  await world.clock.advance(secondsMs(1));
  assert.equal(await node.step(), 1);
  assert.equal(posts().length, 2);
});

test("what a node that died had claimed goes out from another one, under the same id", async () => {
  const { world, makeNode, posts } = await startWorld();
  await failOften(world);
  const dying = makeNode({ sendAs: () => new Promise(() => {}) });
  void dying.step();
  await world.run();
  const other = makeNode();
  assert.equal(await other.step(), 0, "the claim holds");
  await world.clock.advance(LIMITS.channelGapMs);
  // The message may have gone out before the node died: its repeat is known by the id, which is of the news.
  assert.equal(await other.step(), 1);
  const late = makeNode({ store: { ...world.store, settleMessageIfClaimed: () => new Promise(() => {}) } });
  await world.clock.advance(REMIND_MS);
  void late.step();
  await world.run();
  await world.clock.advance(LIMITS.channelGapMs);
  assert.equal(await other.step(), 1);
  const [, second, third, ...more] = posts().map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([second, more], [third, []]);
});

test("two nodes send one message", async () => {
  const { world, makeNode, posts } = await startWorld();
  await failOften(world);
  const counts = await Promise.all([makeNode().step(), makeNode().step()]);
  assert.deepEqual(
    counts.toSorted((a, b) => a - b),
    [0, 1],
  );
  assert.equal(posts().length, 1);
});

test("both secrets sign while the secret is being rotated, and the first one alone the body", async () => {
  const { world, node, posts } = await startWorld();
  toValue(await rotateSecret(world.accounts, { accountId: ACCOUNT, overlap: "24h", by: ADA }));
  await failOften(world);
  await node.step();
  const { headers } = posts()[0] ?? assert.fail();
  assert.match(headers["webhook-signature"] ?? "", /^v1,\S{44} v1,\S{44}$/);
  assert.match(headers["x-service-signature"] ?? "", /^\S{44}$/);
});

test("an address that no key opens keeps no other channel from its news, and is reported", async () => {
  const { world, makeNode, posts, failures } = await startWorld(["webhook", "slack"]);
  await failOften(world);
  const other = createSealer(new Uint8Array(32).fill(2), createSeededRandom(3));
  const ops = await findChannel(world, "webhook");
  const sealer = {
    open: (sealed: string, place: string) =>
      (sealed === ops?.sealedUrl ? other : world.accounts.sealer).open(sealed, place),
  };
  assert.equal(await makeNode({ sealer }).step(), 2);
  assert.deepEqual(
    posts().map(({ url }) => url.host),
    ["hooks.slack.example"],
  );
  assert.match(String(failures[0]), /sealed with the encryption key/);
  assert.equal((await findChannel(world, "webhook"))?.answer, null, "it is not blamed");
});
