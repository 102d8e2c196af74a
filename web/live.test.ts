/** What news do to answers that the page has, or waits for: a service that answers when the test says so. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { describe, type TestContext, test } from "node:test";
import { QueryObserver } from "@tanstack/react-query";
import { outdate, receive } from "./live.ts";
import { makeQueryClient } from "./query.ts";

const KEY = ["GET /deliveries", {}];

/** A list on the page. Its answer says how many news the service knew when it was asked. */
function watchList(t: TestContext) {
  const client = makeQueryClient();
  const open: { readonly known: number; readonly resolve: (known: number) => void; readonly fail: () => void }[] = [];
  let known = 0;
  let questions = 0;
  const observer = new QueryObserver<number>(client, {
    queryKey: KEY,
    retry: false,
    queryFn: () => {
      questions += 1;
      return new Promise<number>((resolve, reject) => {
        open.push({ known, resolve, fail: () => reject(new Error("refused")) });
      });
    },
  });
  t.after(observer.subscribe(() => {}));
  t.after(() => client.clear());
  return {
    news: (): void => {
      known += 1;
      outdate(client, ["GET /deliveries"]);
    },
    answer: async (): Promise<void> => {
      const first = open.shift();
      first?.resolve(first.known);
      await setImmediate();
    },
    fail: async (): Promise<void> => {
      open.shift()?.fail();
      await setImmediate();
    },
    facts: () => ({ questions, open: open.length, shown: observer.getCurrentResult().data }),
  };
}

describe("news that come faster than answers", () => {
  test("leave one question on its way, and ask one more after it", async (t) => {
    const list = watchList(t);
    await list.answer();
    for (let number = 1; number <= 20; number += 1) list.news();
    assert.deepEqual(list.facts(), { questions: 2, open: 1, shown: 0 });
    await list.answer();
    assert.deepEqual(list.facts(), { questions: 3, open: 1, shown: 1 });
    await list.answer();
    assert.deepEqual(list.facts(), { questions: 3, open: 0, shown: 20 });
  });

  test("do not hold up a list that is asked for the first time", async (t) => {
    const list = watchList(t);
    for (let number = 1; number <= 20; number += 1) list.news();
    assert.deepEqual(list.facts(), { questions: 1, open: 1, shown: undefined });
    await list.answer();
    assert.deepEqual(list.facts(), { questions: 2, open: 1, shown: 0 });
    await list.answer();
    assert.deepEqual(list.facts(), { questions: 2, open: 0, shown: 20 });
  });

  test("are shown answer by answer, however long they go on", async (t) => {
    const list = watchList(t);
    await list.answer();
    for (let number = 1; number <= 50; number += 1) {
      list.news();
      list.news();
      await list.answer();
      assert.equal(list.facts().open, 1);
      assert.equal(list.facts().shown, Math.max(1, 2 * number - 2));
    }
    assert.equal(list.facts().questions, 52);
  });

  test("are asked for although the question before them failed: it may be a session's that has ended", async (t) => {
    const list = watchList(t);
    await list.answer();
    list.news();
    list.news();
    await list.fail();
    assert.deepEqual(list.facts(), { questions: 3, open: 1, shown: 0 });
    await list.fail();
    assert.deepEqual(list.facts(), { questions: 3, open: 0, shown: 0 });
    list.news();
    await list.answer();
    assert.deepEqual(list.facts(), { questions: 4, open: 0, shown: 3 });
  });
});

test("a delivery's news make old what shows deliveries: its own page, and an event's of each kind", (t) => {
  const client = makeQueryClient();
  t.after(() => client.clear());
  const keys = {
    "GET /deliveries/:id": { params: { id: "dlv_1" } },
    "GET /sessions/:id": { params: { id: "s1" } },
    "GET /conversations/:id": { params: { id: "c1" } },
    "GET /events/:type/:id": { params: { type: "order.paid", id: "o1" } },
  };
  const others = {
    "GET /deliveries/:id": { params: { id: "dlv_2" } },
    "GET /deliveries": {},
    "POST /people": { email: "jane@acme.example" },
  };
  for (const key of [...Object.entries(keys), ...Object.entries(others)]) client.setQueryData(key, {});
  const isOld = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
  const changed = [{ id: "dlv_1", status: "delivered", destinationId: "dst_1", isNew: false, isTest: false }];
  receive(client, "deliveries", { changed, isCut: false });
  for (const key of Object.entries(keys)) assert.equal(isOld(key), true, key[0]);
  for (const key of Object.entries(others)) assert.equal(isOld(key), false, key[0]);
});
