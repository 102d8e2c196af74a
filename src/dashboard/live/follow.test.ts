/** Following on a virtual clock: the questions, how often they are asked, and the news from their answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type VirtualClock, createVirtualClock, settled } from "../../../test/kit/world/virtual-clock.ts";
import { type Store, StoreUnavailable } from "../../store/contract/store.ts";
import { type FollowedNews, createLiveFollow } from "./follow.ts";

type Activity = Awaited<ReturnType<Store["loadActivity"]>>;

const QUIET: Activity = { deliveries: "0 0", configuration: "1 1", destinations: { dst_1: "on" }, replays: {} };

function createFollowed() {
  const clock: VirtualClock = createVirtualClock();
  const asked: string[] = [];
  const told: string[] = [];
  const failures: unknown[] = [];
  const marks = new Map<string, Activity>();
  const state = { answer: null as (() => Promise<Activity>) | null };
  const store = {
    loadActivity({ accountId }: { accountId: string }): Promise<Activity> {
      asked.push(accountId);
      return state.answer === null ? Promise.resolve(marks.get(accountId) ?? QUIET) : state.answer();
    },
  };
  const news: FollowedNews = {
    deliveriesChanged: () => assert.fail("which deliveries they are is not known"),
    someDeliveriesChanged: (accountId) => void told.push(`${accountId}: deliveries`),
    destinationsChanged: (accountId, ids) => void told.push(`${accountId}: destinations ${ids.join(" ")}`),
    replaysChanged: (accountId, ids) => void told.push(`${accountId}: replays ${ids.join(" ")}`),
    configurationChanged: (accountId) => void told.push(`${accountId}: configuration`),
    sessionsEnded: () => assert.fail("which sessions they are is not known"),
    sessionsMayHaveEnded: (accountId) => void told.push(`${accountId}: sessions`),
  };
  const follow = createLiveFollow({ clock, store, onFailure: (error) => void failures.push(error) });
  return {
    clock,
    asked,
    told,
    failures,
    state,
    follow: (accountId: string) => follow(accountId, news),
    set: (accountId: string, changes: Partial<Activity>) => void marks.set(accountId, { ...QUIET, ...changes }),
  };
}

test("asks at once, then every second, and not at all while nobody is followed", async () => {
  const { clock, asked, follow } = createFollowed();
  await clock.advance(10_000);
  assert.deepEqual(asked, []);
  const stop = follow("acme");
  await settled();
  assert.equal(asked.length, 1);
  await clock.advance(3_000);
  assert.equal(asked.length, 4);
  stop();
  await clock.advance(10_000);
  assert.deepEqual([asked.length, clock.pending()], [4, 0]);
});

test("tells what differs, once, and of the account alone where it does", async () => {
  const { clock, told, follow, set } = createFollowed();
  follow("acme");
  follow("other");
  await clock.advance(2_000);
  // The state at the beginning is not news; a session may have ended since its stream was opened.
  assert.deepEqual(told.splice(0), ["acme: sessions", "other: sessions"]);
  set("acme", { deliveries: "1 7" });
  await clock.advance(3_000);
  assert.deepEqual(told.splice(0), ["acme: deliveries"]);
  set("acme", { deliveries: "1 7", destinations: { dst_1: "off", dst_2: "on" }, replays: { rpl_1: "running 1" } });
  await clock.advance(1_000);
  const all = ["acme: deliveries", "acme: destinations dst_1 dst_2", "acme: replays rpl_1"];
  assert.deepEqual(told.splice(0), all);
  set("other", { configuration: "2 1" });
  await clock.advance(1_000);
  assert.deepEqual(told, ["other: deliveries", "other: configuration", "other: sessions"]);
});

test("asks one question at a time, however long the answers take", async () => {
  const { clock, asked, state, follow } = createFollowed();
  follow("acme");
  await settled();
  const { promise, resolve } = Promise.withResolvers<Activity>();
  state.answer = () => promise;
  await clock.advance(30_000);
  assert.equal(asked.length, 2);
  state.answer = null;
  resolve(QUIET);
  await settled();
  await clock.advance(1_000);
  assert.equal(asked.length, 3);
});

test("passes over a database that is away, and tells afterwards what was missed", async () => {
  const { clock, told, failures, state, follow, set } = createFollowed();
  follow("acme");
  await clock.advance(1_000);
  told.length = 0;
  state.answer = () => Promise.reject(new StoreUnavailable("away"));
  set("acme", { deliveries: "9 9" });
  await clock.advance(5_000);
  assert.deepEqual(told, []);
  state.answer = null;
  await clock.advance(1_000);
  assert.deepEqual(told, ["acme: deliveries"]);
  assert.deepEqual(failures, []);
  state.answer = () => Promise.reject(new Error("a fault"));
  await clock.advance(1_000);
  assert.equal(failures.length, 1);
  state.answer = null;
  await clock.advance(1_000);
  assert.deepEqual(told.length, 1, "and goes on");
});

test("an answer that comes after its account was let go is told to nobody", async () => {
  const { clock, told, state, follow, set } = createFollowed();
  const stop = follow("acme");
  await settled();
  assert.deepEqual(told.splice(0), ["acme: sessions"]);
  const { promise, resolve } = Promise.withResolvers<Activity>();
  state.answer = () => promise;
  await clock.advance(1_000);
  stop();
  follow("acme");
  resolve({ ...QUIET, deliveries: "5 5" });
  set("acme", { deliveries: "5 5" });
  state.answer = null;
  await clock.advance(3_000);
  assert.deepEqual(told, ["acme: sessions"], "the first look of the second one, and nothing of the answer");
});
