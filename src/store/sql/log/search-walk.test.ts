import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePhrases } from "../../../domain/search-words.ts";
import type { SqlTransaction } from "../transaction.ts";
import { type BlockReads, type FoundEvent, type WantedBlocks, walkBlocks } from "./search-walk.ts";

const EVENTS = 64;
const NONE = {} as SqlTransaction;

/** Blocks of 64 events by their texts, the newest first. Keeps what the index of words is asked. */
function makeBlocks(texts: readonly (readonly string[])[]) {
  const asked: WantedBlocks[] = [];
  const read: number[] = [];
  const blocks = texts.map((events, place) => {
    const id = texts.length - place;
    const listed = events.map((text, n) => ({ text, atMs: id * 1_000 + EVENTS - n, eventId: `evt_${id}_${n}` }));
    return { id, newestMs: id * 1_000 + EVENTS, events: listed };
  });
  const has = (text: string, { word, isBeginning }: WantedBlocks["words"][number]): boolean =>
    text.split(" ").some((each) => (isBeginning ? each.startsWith(word) : each === word));
  const reads: BlockReads<SqlTransaction> = {
    listBlocks(_, wanted) {
      if (wanted.words.length > 0) asked.push(wanted);
      return blocks
        .filter(({ id }) => id <= wanted.from.id)
        .filter(({ events }) => wanted.words.every((word) => events.some(({ text }) => has(text, word))))
        .slice(0, wanted.limit);
    },
    listEntries(_, blockIds, { phrases }) {
      read.push(...blockIds);
      return blocks
        .filter(({ id }) => blockIds.includes(id))
        .flatMap(({ id, events }) => events.map((event) => ({ ...event, blockId: id })))
        .filter(({ text }) => phrases.every((phrase) => ` ${text}`.includes(` ${phrase.join(" ")}`)))
        .map(({ eventId, blockId, atMs }) => ({ eventId, blockId, acceptedAtMs: atMs }));
    },
    countBlocksWith: (_, blockIds, beginnings) =>
      beginnings.map(
        (word) =>
          blocks.filter(
            ({ id, events }) =>
              blockIds.includes(id) && events.some(({ text }) => has(text, { word, isBeginning: true })),
          ).length,
      ),
  };
  return { reads, asked, read };
}

async function find(reads: BlockReads<SqlTransaction>, query: string, enough: number) {
  const found: FoundEvent[] = [];
  const filter = { newestMs: Number.MAX_SAFE_INTEGER, oldestMs: 0, type: null, assistantId: null, withTests: false };
  const walk = { accountId: "acc_1", phrases: parsePhrases(query), reads, look: null, ...filter };
  const reached = await walkBlocks(NONE, walk, async (events) => {
    found.push(...events);
    return found.length >= enough;
  });
  return { ids: found.map(({ eventId }) => eventId), reached };
}

const times = (count: number, events: readonly string[]): string[][] =>
  Array.from({ length: count }, () => [...events]);

test("a word that most blocks have is found without the index of words", async () => {
  const { reads, asked, read } = makeBlocks(times(100, ["red apple", "green pear"]));
  const { ids, reached } = await find(reads, "re", 10);
  assert.deepEqual(ids.slice(0, 3), ["evt_100_0", "evt_99_0", "evt_98_0"]);
  assert.equal(ids.length, 20);
  assert.equal(reached, 80_064);
  assert.deepEqual(asked, []);
  assert.equal(read.length, 20);
});

test("a word that few blocks have is looked for in the index, behind the blocks that were read before", async () => {
  const { reads, asked, read } = makeBlocks([...times(50, ["red apple"]), ["blue plum"], ...times(50, ["red apple"])]);
  const { ids, reached } = await find(reads, "blue", 10);
  assert.deepEqual(ids, ["evt_51_0"]);
  assert.equal(reached, null);
  assert.deepEqual(
    asked.map(({ words, from }) => ({ words, from: from.id })),
    [{ words: [{ word: "blue", isBeginning: true }], from: 97 }],
  );
  assert.deepEqual(read, [101, 100, 99, 98, 51]);
});

test("the index is not asked for beginnings that nearly all blocks have", async () => {
  const plain = ["jane example", "john example"];
  const { reads, asked } = makeBlocks([...times(50, plain), ["mary acme example"], ...times(50, plain)]);
  assert.deepEqual((await find(reads, "mary@acme.exam", 10)).ids, ["evt_51_0"]);
  const words = asked.flatMap((each) => each.words.map(({ word }) => word));
  assert.deepEqual(words, ["mary", "acme"]);
});

test("words that most blocks have, but no text together, are looked for without the index", async () => {
  const { reads, asked, read } = makeBlocks(times(200, ["red apple", "green pear"]));
  const { ids, reached } = await find(reads, "red green", 10);
  assert.deepEqual(ids, []);
  assert.deepEqual(asked, []);
  assert.equal(read.length, 128);
  assert.equal(reached, 72_064);
});

test("an event waits for older blocks that may have something newer", async () => {
  const newest = [90, 88, 86, 84, 70];
  const reads: BlockReads<SqlTransaction> = {
    listBlocks: () => newest.map((newestMs) => ({ id: newestMs, newestMs })),
    listEntries: (_, blockIds) =>
      blockIds.flatMap((id) => {
        const instants = id === 90 ? [90, 60] : [id];
        return instants.map((acceptedAtMs) => ({ eventId: `evt_${acceptedAtMs}`, blockId: id, acceptedAtMs }));
      }),
    countBlocksWith: () => [],
  };
  assert.deepEqual(await find(reads, "red", 1), { ids: ["evt_90", "evt_88", "evt_86", "evt_84"], reached: 70 });
  assert.deepEqual((await find(reads, "red", 5)).ids.toSorted(), [
    "evt_60",
    "evt_70",
    "evt_84",
    "evt_86",
    "evt_88",
    "evt_90",
  ]);
});
