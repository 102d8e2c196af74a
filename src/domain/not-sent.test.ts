import assert from "node:assert/strict";
import { test } from "node:test";
import { type NotSent, conditionsUnmet, namesWanted, readNotSent, writeNotSent } from "./not-sent.ts";

const webhook = (place: number, reason: NotSent["reason"]): NotSent => ({ destinationId: `dst_${place}`, reason });

test("every reason is read as it was written", () => {
  const webhooks = [
    webhook(1, { kind: "toggle_off" }),
    webhook(2, { kind: "plan" }),
    webhook(3, { kind: "audience", wanted: "known_lead" }),
    webhook(4, namesWanted("demos", ["Tour", 'A "quoted" name'])),
    webhook(5, namesWanted("intent_levels", ["high"])),
    webhook(6, conditionsUnmet("all", [{ field: "utm_params.utm_source", operator: "is", value: "linkedin" }])),
    webhook(7, conditionsUnmet("any", [{ field: "lead.email", operator: "not_known" }])),
    webhook(8, conditionsUnmet("all", [{ field: "name", operator: "none_of", values: ["Tour", "A"] }])),
  ];
  assert.deepEqual(readNotSent(writeNotSent({ webhooks, more: 4 })), { webhooks, more: 4 });
});

test("a reason that no event changes is made once, for each list of names and for each use of it", () => {
  const names = ["Tour"];
  const demos = namesWanted("demos", names);
  assert.equal(namesWanted("demos", names), demos);
  assert.deepEqual(namesWanted("intent_levels", names), { kind: "intent_levels", wanted: ["Tour"], more: 0 });
  assert.deepEqual(namesWanted("demos", ["Other"]), { kind: "demos", wanted: ["Other"], more: 0 });
  const webhooks = [webhook(1, demos), webhook(2, demos), webhook(3, namesWanted("intent_levels", names))];
  const text = '[0,["dst_1","demos",0,"Tour"],["dst_2","demos",0,"Tour"],["dst_3","intent_levels",0,"Tour"]]';
  assert.deepEqual(
    [1, 2].map(() => writeNotSent({ webhooks, more: 0 })),
    [text, text],
  );
});

test("an event that every webhook takes has nothing to remember", () => {
  assert.equal(writeNotSent({ webhooks: [], more: 0 }), null);
  assert.deepEqual(readNotSent(null), { webhooks: [], more: 0 });
});

test("the text is bounded, whatever the names, the values and the number of webhooks are", () => {
  const long = "😀".repeat(300);
  const list = Array.from({ length: 20 }, () => ({ field: long, operator: "is", value: long }) as const);
  const webhooks = Array.from({ length: 500 }, (_, place) => webhook(place, conditionsUnmet("all", list)));
  const text = writeNotSent({ webhooks, more: 0 }) ?? "";
  const read = readNotSent(text);
  assert.ok(text.length < 10_000, `${text.length} characters`);
  assert.deepEqual([read.webhooks.length, read.more], [10, 490]);
  assert.ok(text.isWellFormed());
});

test("names beyond the first three are counted", () => {
  assert.deepEqual(namesWanted("demos", ["a", "b", "c", "d", "e"]), {
    kind: "demos",
    wanted: ["a", "b", "c"],
    more: 2,
  });
});

test("values of a list beyond the first three are counted", () => {
  const values = ["a", "b", "c", "d", "e"];
  const text = writeNotSent({
    webhooks: [webhook(1, conditionsUnmet("all", [{ field: "name", operator: "one_of", values }]))],
    more: 0,
  });
  assert.equal(text, '[0,["dst_1","all",["name","one_of","2","a","b","c"]]]');
  const unmet = [{ field: "name", operator: "one_of", values: ["a", "b", "c"], more: 2 }] as const;
  assert.deepEqual(readNotSent(text).webhooks, [webhook(1, { kind: "conditions", join: "all", unmet })]);
});

test("a reason of a later version is left out", () => {
  assert.deepEqual(readNotSent('[0,["dst_1","weather","rain"],["dst_2","plan"]]').webhooks, [
    webhook(2, { kind: "plan" }),
  ]);
});
