import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { shareCluster } from "../../../../test/kit/servers/postgres.ts";
import { overClient } from "../connection/connection.ts";
import { givenRows } from "./given-rows.ts";

const cluster = await shareCluster();
const client = new pg.Client({ connectionString: await cluster.createStoreDatabase(), pipeline: true });
await client.connect();
const db = overClient(client, { sql: "begin", keepsStatements: true });
after(async () => {
  await client.end();
  await cluster[Symbol.asyncDispose]();
});

const GIVEN = givenRows({
  yes: "boolean",
  small: "integer",
  large: "bigint",
  real: "double precision",
  words: "text",
  source: "text",
  bytes: "bytea",
});

const GIVE_BACK = `-- name: give rows back
  select yes, small, large::text, real, words, source::text, bytes
  from (select ${GIVEN.columns}) as given`;

const GIVE_BACK_JOINED = GIVE_BACK.replace("rows back", "joined rows back").replace(
  `(select ${GIVEN.columns}) as given`,
  `unnest(${GIVEN.arrays}) as given (${GIVEN.names})`,
);

const NOTHING = { yes: null, small: null, large: null, real: null, words: null, source: null, bytes: null };

test("each kind of value arrives as it was given, row by row, with what is left out as null", async () => {
  const full = {
    yes: true,
    small: -(2 ** 31),
    large: 1_795_305_600_123,
    real: 0.1 + 0.2,
    words: `"it's" {a,\\b} NULL\n\u{1f600} Ünï`,
    source: "00112233-4455-6677-8899-aabbccddeeff",
    bytes: Buffer.from([0, 1, 254, 255]),
  };
  const edge = {
    ...full,
    yes: false,
    small: 2 ** 31 - 1,
    large: -1,
    real: -Infinity,
    words: "",
    bytes: Buffer.alloc(0),
  };
  const shown = ({ large, ...row }: typeof full) => ({ ...row, large: String(large) });
  for (const giveBack of [GIVE_BACK, GIVE_BACK_JOINED]) {
    const rows = await db.all(giveBack, ...GIVEN.toValues([full, {}, NOTHING, edge]));
    assert.deepEqual(rows, [shown(full), NOTHING, NOTHING, shown(edge)]);
  }
});

test("a column without a value is not sent, and null in each row", async () => {
  const values = GIVEN.toValues([{ small: 1 }, { small: 2 }]);
  assert.deepEqual(
    values.map((value) => value === null),
    [true, false, true, true, true, true, true],
  );
  for (const giveBack of [GIVE_BACK, GIVE_BACK_JOINED]) {
    const rows = await db.all(giveBack, ...values);
    assert.deepEqual(rows, [
      { ...NOTHING, small: 1 },
      { ...NOTHING, small: 2 },
    ]);
  }
});

test("a text arrives whole, whatever its length", async () => {
  const words = [1, 4_096, 4_097, 100_000].map((length) => "é".repeat(length));
  const rows = await db.all<{ words: string }>(GIVE_BACK, ...GIVEN.toValues(words.map((text) => ({ words: text }))));
  assert.deepEqual(
    rows.map((row) => row.words),
    words,
  );
});

test("whole numbers arrive exactly on both sides of 32 bits", async () => {
  const numbers = [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER].flatMap((number) => [number, -number]);
  const rows = await db.all<{ large: string }>(GIVE_BACK, ...GIVEN.toValues(numbers.map((large) => ({ large }))));
  assert.deepEqual(
    rows.map(({ large }) => Number(large)),
    numbers.map((number) => number + 0),
  );
});

test("no rows are none", async () => {
  assert.deepEqual(await db.all(GIVE_BACK, ...GIVEN.toValues([])), []);
});

test("a fraction is no whole number", () => {
  assert.throws(() => GIVEN.toValues([{ large: 1.5 }]), /1.5 is not a whole number/);
});
