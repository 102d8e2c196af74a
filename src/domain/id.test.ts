import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { systemRandom } from "../lib/random.ts";
import { hoursMs } from "../lib/duration.ts";
import { type Place, firstIdAt, newIdAt, placeAfter, readInstant, newId } from "./id.ts";

test("an id has its prefix and 26 characters", () => {
  assert.match(newId("dlv", 1_790_000_000_000, systemRandom), /^dlv_[0-9a-hjkmnp-tv-z]{26}$/);
});

test("ids sort by the time they were made", () => {
  const instant = fc.integer({ min: 0, max: 253_402_300_799_999 });
  fc.assert(
    fc.property(instant, instant, (first, second) => {
      fc.pre(first < second);
      assert.ok(newId("evt", first, systemRandom) < newId("evt", second, systemRandom));
    }),
  );
});

test("ten thousand ids of one millisecond differ", () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => newId("evt", 5, systemRandom)));
  assert.equal(ids.size, 10_000);
});

test("ids of a node's places sort in their order, whatever its clock does, and are within an hour of it", () => {
  const ticks = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -2_000_000, max: 2_000_000 })), { minLength: 2 });
  fc.assert(
    fc.property(ticks, (steps) => {
      let nowMs = 1_790_000_000_000;
      let place: Place = { atMs: 0, number: 0 };
      let last = "";
      for (const step of steps) {
        nowMs += step;
        // A clock that has gone back further begins the order anew.
        if (nowMs < place.atMs - hoursMs(1 / 2)) last = "";
        place = placeAfter(place, nowMs);
        const id = newIdAt("evt", place, systemRandom);
        assert.ok(id > last, `${id} follows ${last}`);
        assert.ok(Math.abs((readInstant(id) ?? 0) - nowMs) <= hoursMs(1));
        last = id;
      }
    }),
  );
});

test("more places than a millisecond has go on in the next one", () => {
  let place: Place = { atMs: 5, number: 0 };
  const ids = Array.from({ length: 70_000 }, () => newIdAt("dlv", (place = placeAfter(place, 5)), systemRandom));
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(place.atMs, 6);
});

test("an instant parts the ids made before it from those made then and later", () => {
  const instant = fc.integer({ min: 1, max: 253_402_300_799_999 });
  fc.assert(
    fc.property(instant, (nowMs) => {
      const first = firstIdAt("dlv", nowMs);
      assert.ok(newId("dlv", nowMs - 1, systemRandom) < first);
      assert.ok(newId("dlv", nowMs, systemRandom) > first);
    }),
  );
});

test("an id says when it was made, and other texts say nothing", () => {
  const nowMs = 1_790_000_000_000;
  assert.equal(readInstant(newId("evt", nowMs, systemRandom)), nowMs);
  for (const text of ["", "evt_1", `${newId("evt", nowMs, systemRandom)}0`, newId("evt", nowMs, systemRandom).slice(1)])
    assert.equal(readInstant(text), null);
});

test("an id is its time and its bytes, five bits a character", () => {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const instant = fc.integer({ min: 0, max: 253_402_300_799_999 });
  fc.assert(
    fc.property(instant, fc.uint8Array({ minLength: 10, maxLength: 10 }), (nowMs, bytes) => {
      const number = (BigInt(nowMs) << 80n) | BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
      const digits = Array.from(
        { length: 26 },
        (_, place) => alphabet[Number((number >> BigInt(5 * (25 - place))) & 31n)],
      );
      assert.equal(newId("evt", nowMs, { unit: () => 0, bytes: () => bytes }), `evt_${digits.join("")}`);
    }),
  );
});
