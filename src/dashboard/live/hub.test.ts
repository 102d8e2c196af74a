import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import { START_MS, createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import type { LiveFrames } from "../contract/live.ts";
import type { FollowedNews, LiveFollow } from "./follow.ts";
import { BUFFERED_BYTES_MAX, STREAMS_PER_ACCOUNT_MAX, createLiveHub } from "./hub.ts";
import type { LiveDelivery } from "../call/context.ts";

interface Frame {
  readonly id: string;
  readonly topic: string;
  readonly data: unknown;
}

function createHub(seed = 1) {
  const clock = createVirtualClock();
  /** The accounts that are followed. */
  const followed = new Map<string, FollowedNews>();
  const follow: LiveFollow = (accountId, news) => {
    followed.set(accountId, news);
    return () => void followed.delete(accountId);
  };
  const hub = createLiveHub({ clock, random: createSeededRandom(seed), follow });

  function open(accountId: string, lastEventId: string | null = null, id = `session of ${accountId}`) {
    const texts: string[] = [];
    const reader = {
      unread: 0,
      hasEnded: false,
      doubts: 0,
      text: () => texts.join(""),
      frames: () => framesIn(texts.join("")),
    };
    const session = {
      accountId,
      by: { person: "ana@example.com", role: "owner" as const },
      expiresAtMs: START_MS + 3_600_000,
      csrfToken: "",
      id,
      hash: "",
    };
    const sink = {
      write: (text: string) => void texts.push(text),
      buffered: () => reader.unread,
      end: (lastText = "") => void (texts.push(lastText), (reader.hasEnded = true)),
    };
    const onDoubt = (): void => void (reader.doubts += 1);
    return Object.assign(reader, { stream: hub.open({ session, lastEventId, sink, onDoubt }) });
  }

  return { clock, hub, open, followed };
}

const framesIn = (text: string): Frame[] =>
  text.split("\n\n").flatMap((block) => {
    const [, id = "", topic = "", data = ""] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
    return topic === "" ? [] : [{ id, topic, data: JSON.parse(data) }];
  });

const delivery = (number: number, changes: Partial<LiveDelivery> = {}): LiveDelivery => ({
  id: `dlv_${number}`,
  status: "waiting",
  destinationId: "dst_1",
  isNew: true,
  isTest: false,
  ...changes,
});

const findDeliveries = (frames: readonly Frame[]) =>
  frames.filter(({ topic }) => topic === "deliveries").map(({ data }) => data as LiveFrames["deliveries"]);

function closed(stream: ReturnType<ReturnType<typeof createHub>["open"]>["stream"]): void {
  assert.ok(typeof stream === "object");
  stream.close();
}

test("tells a delivery at once, and what follows within a quarter of a second together", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  hub.deliveriesChanged("acme", [delivery(1)]);
  await clock.advance(0);
  assert.equal(reader.frames().length, 1);
  hub.deliveriesChanged("acme", [delivery(2)]);
  hub.deliveriesChanged("acme", [delivery(3)]);
  await clock.advance(249);
  assert.equal(reader.frames().length, 1);
  await clock.advance(1);
  assert.deepEqual(
    findDeliveries(reader.frames())[1]?.changed.map(({ id }) => id),
    ["dlv_2", "dlv_3"],
  );
});

test("tells at most four frames a second, however much happens", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  for (let number = 0; number < 1_000; number += 1) {
    hub.deliveriesChanged("acme", [delivery(number)]);
    await clock.advance(1);
  }
  assert.ok(reader.frames().length <= 5, `${reader.frames().length} frames in a second`);
});

test("a delivery that came and was sent within one frame is told once, as new and as it is now", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  hub.deliveriesChanged("acme", [delivery(1)]);
  hub.deliveriesChanged("acme", [delivery(1, { status: "delivered", isNew: false })]);
  await clock.advance(0);
  assert.deepEqual(findDeliveries(reader.frames()), [
    { changed: [delivery(1, { status: "delivered" })], isCut: false },
  ]);
});

test("a frame has at most 100 deliveries, and says that it was cut", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  hub.deliveriesChanged(
    "acme",
    Array.from({ length: 101 }, (_, number) => delivery(number)),
  );
  await clock.advance(0);
  const [frame] = findDeliveries(reader.frames());
  assert.deepEqual([frame?.changed.length, frame?.isCut], [100, true]);
});

test("each topic is an event of its own, with ids once each", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  hub.destinationsChanged("acme", ["dst_1"]);
  hub.destinationsChanged("acme", ["dst_1", "dst_2"]);
  hub.replaysChanged("acme", ["rpl_1"]);
  hub.configurationChanged("acme");
  hub.configurationChanged("acme");
  await clock.advance(0);
  assert.deepEqual(
    reader.frames().map(({ topic, data }) => [topic, data]),
    [
      ["destinations", { ids: ["dst_1", "dst_2"] }],
      ["replays", { ids: ["rpl_1"] }],
      ["configuration", {}],
    ],
  );
});

test("another account hears nothing", async () => {
  const { clock, hub, open } = createHub();
  const other = open("other");
  const before = other.text();
  open("acme");
  hub.deliveriesChanged("acme", [delivery(1)]);
  hub.destinationsChanged("acme", ["dst_1"]);
  hub.replaysChanged("acme", ["rpl_1"]);
  hub.configurationChanged("acme");
  await clock.advance(1_000);
  assert.equal(other.text(), before);
});

test("who comes back gets the frames missed, and no others", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  hub.deliveriesChanged("acme", [delivery(1)]);
  await clock.advance(250);
  const [seen] = reader.frames();
  closed(reader.stream);
  hub.deliveriesChanged("acme", [delivery(2)]);
  await clock.advance(250);
  const again = open("acme", seen?.id ?? "");
  assert.deepEqual(
    findDeliveries(again.frames()).map(({ changed }) => changed[0]?.id),
    ["dlv_2"],
  );
});

test("who lost the connection before the first frame comes back by the id of the greeting", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  const [, greeted = ""] = /^id: (.+)$/m.exec(reader.text()) ?? [];
  closed(reader.stream);
  hub.deliveriesChanged("acme", [delivery(1)]);
  await clock.advance(250);
  assert.deepEqual(
    findDeliveries(open("acme", greeted).frames()).map(({ changed }) => changed[0]?.id),
    ["dlv_1"],
  );
});

test("who has missed more than is kept is told to fetch everything", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  const [, greeted = ""] = /^id: (.+)$/m.exec(reader.text()) ?? [];
  closed(reader.stream);
  for (let number = 0; number < 121; number += 1) {
    hub.deliveriesChanged("acme", [delivery(number)]);
    await clock.advance(250);
  }
  assert.deepEqual(
    open("acme", greeted)
      .frames()
      .map(({ topic }) => topic),
    ["resync"],
  );
});

for (const [what, id] of [
  ["of a time before a restart", "AAAAAAAA-1"],
  ["of the future", null],
  ["that is no id", "<script>"],
] as const) {
  test(`an id ${what} is answered with resync`, async () => {
    const { clock, hub, open } = createHub(2);
    const reader = open("acme");
    hub.configurationChanged("acme");
    await clock.advance(250);
    const future = (reader.frames()[0]?.id ?? "").replace(/\d+$/, "99");
    assert.deepEqual(
      open("acme", id ?? future)
        .frames()
        .map(({ topic }) => topic),
      ["resync"],
    );
  });
}

test("an id of one account's stream resumes nothing of another's", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  hub.configurationChanged("acme");
  await clock.advance(250);
  assert.deepEqual(
    open("other", reader.frames()[0]?.id ?? "")
      .frames()
      .map(({ topic }) => topic),
    ["resync"],
  );
});

test("frames are kept for a minute after the last reader has gone, and no timer stays after that", async () => {
  const { clock, hub, open } = createHub();
  const reader = open("acme");
  hub.configurationChanged("acme");
  await clock.advance(250);
  closed(reader.stream);
  await clock.advance(59_000);
  const [seen] = reader.frames();
  const back = open("acme", seen?.id ?? "");
  assert.deepEqual(back.frames(), []);
  closed(back.stream);
  await clock.advance(60_000);
  assert.equal(clock.pending(), 0);
  assert.deepEqual(
    open("acme", seen?.id ?? "")
      .frames()
      .map(({ topic }) => topic),
    ["resync"],
  );
});

test("a reader that does not keep up is cut off, and the others go on", async () => {
  const { clock, hub, open } = createHub();
  const [slow, quick] = [open("acme"), open("acme")];
  slow.unread = BUFFERED_BYTES_MAX + 1;
  hub.configurationChanged("acme");
  await clock.advance(250);
  assert.deepEqual([slow.hasEnded, slow.frames().length], [true, 0]);
  assert.deepEqual([quick.hasEnded, quick.frames().length], [false, 1]);
});

test("a stream ends with its session: when it is signed out, and when it expires", async () => {
  const { clock, hub, open } = createHub();
  const [mine, sameAccount] = [open("acme", null, "mine"), open("acme", null, "theirs")];
  hub.sessionsEnded("other", ["mine"]);
  assert.equal(mine.hasEnded, false, "an account ends its own sessions only");
  hub.sessionsEnded("acme", ["mine"]);
  assert.deepEqual([mine.hasEnded, sameAccount.hasEnded], [true, false]);
  assert.match(mine.text(), /event: ended\ndata: \{\}\n\n$/);
  await clock.advance(3_600_000);
  assert.ok(typeof sameAccount.stream === "object");
  sameAccount.stream.ping();
  assert.equal(sameAccount.hasEnded, true);
});

test("whoever stays is told that the list of who is signed in has changed", async () => {
  const { clock, hub, open } = createHub();
  const [mine, stays, elsewhere] = [open("acme", null, "mine"), open("acme", null, "stays"), open("other")];
  hub.sessionsEnded("acme", ["mine"]);
  await clock.advance(250);
  const topics = (reader: typeof mine): string[] => reader.frames().map(({ topic }) => topic);
  assert.deepEqual([topics(stays), topics(elsewhere)], [["configuration"], []]);
  assert.ok(!topics(mine).includes("configuration"), "nothing more goes to a session that has ended");
});

test("when sessions may have ended elsewhere, each stream of the account asks for its own", () => {
  const { open, followed } = createHub();
  const [one, two, elsewhere] = [open("acme"), open("acme"), open("other")];
  followed.get("acme")?.sessionsMayHaveEnded("acme");
  assert.deepEqual([one.doubts, two.doubts, elsewhere.doubts], [1, 1, 0]);
});

test("an account has a bounded number of streams, and gives a place back", () => {
  const { open } = createHub();
  const readers = Array.from({ length: STREAMS_PER_ACCOUNT_MAX }, () => open("acme"));
  assert.equal(open("acme").stream, "too_many");
  assert.ok(typeof open("other").stream === "object");
  const [first] = readers;
  assert.ok(first !== undefined);
  closed(first.stream);
  assert.ok(typeof open("acme").stream === "object");
});

test("a stop ends every stream, takes no more, and leaves no timer", async () => {
  const { clock, hub, open } = createHub();
  const readers = [open("acme"), open("other")];
  hub.configurationChanged("acme");
  hub.stop();
  assert.deepEqual(
    readers.map(({ hasEnded }) => hasEnded),
    [true, true],
  );
  for (const { stream } of readers) closed(stream);
  assert.equal(open("acme").stream, "stopping");
  hub.configurationChanged("acme");
  await clock.advance(0);
  assert.equal(clock.pending(), 0);
});

test("an account is followed while it has a channel, from its first reader to a minute after the last", async () => {
  const { clock, open, followed } = createHub();
  const [first, second] = [open("acme"), open("acme")];
  assert.deepEqual([...followed.keys()], ["acme"]);
  closed(first.stream);
  closed(second.stream);
  await clock.advance(59_000);
  assert.equal(followed.size, 1);
  await clock.advance(1_000);
  assert.equal(followed.size, 0);
});

test("what another node did makes a frame that names no delivery and says that there are some", async () => {
  const { clock, open, followed, hub } = createHub();
  const [reader, other] = [open("acme"), open("other")];
  followed.get("acme")?.someDeliveriesChanged("acme");
  await clock.advance(250);
  hub.deliveriesChanged("acme", [delivery(1)]);
  await clock.advance(250);
  assert.deepEqual(
    findDeliveries(reader.frames()).map(({ changed, isCut }) => [changed.length, isCut]),
    [
      [0, true],
      [1, false],
    ],
  );
  assert.deepEqual(other.frames(), []);
});

test("a stop follows nobody any more", () => {
  const { open, hub, followed } = createHub();
  open("acme");
  hub.stop();
  assert.equal(followed.size, 0);
});
