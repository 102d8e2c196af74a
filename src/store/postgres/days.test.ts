import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { newId } from "../../domain/id.ts";
import { daysMs } from "../../lib/duration.ts";
import { systemRandom } from "../../lib/random.ts";
import {
  dayOfName,
  daysFrom,
  findDeliveryIds,
  endOfDay,
  type IdRange,
  idsOfDay,
  isBehind,
  nameOfDay,
  toParts,
  spansBack,
  startOfDay,
} from "./days.ts";

const TODAY = Date.UTC(2026, 10, 21);
const LAST_MS = endOfDay(TODAY) - 1;

/** The condition of `isIn`, in PostgreSQL's order, which is that of the bytes. */
const has = ({ from, to, below, above }: IdRange, id: string): boolean =>
  (id >= from && id < to) || (below !== null && id < below) || (above !== null && id >= above);

const idAt = (prefix: "evt" | "dlv", nowMs: number): string => newId(prefix, nowMs, systemRandom);

describe("a day", () => {
  test("holds what was made from its first to its last millisecond, and nothing else", () => {
    const day = idsOfDay("dlv", TODAY);
    const instants = [TODAY - 1, TODAY, LAST_MS, LAST_MS + 1];
    assert.deepEqual(
      instants.map((atMs) => has(day, idAt("dlv", atMs))),
      [false, true, true, false],
    );
    assert.ok(!has(day, "dlv_1"));
  });

  test("of an event holds its deliveries, which are of its millisecond", () => {
    for (const atMs of [TODAY, LAST_MS]) {
      const range = findDeliveryIds(idAt("evt", atMs));
      assert.ok(has(range, idAt("dlv", atMs)));
      assert.ok(!has(range, idAt("dlv", atMs + 1)) && !has(range, idAt("dlv", atMs - 1)));
    }
    assert.ok(has(findDeliveryIds("evt_7"), "dlv_7"));
  });

  test("has a name that says it", () => {
    assert.equal(nameOfDay(TODAY), "20261121");
    assert.equal(dayOfName("events_20261121"), TODAY);
    assert.equal(dayOfName("events_default"), null);
  });

  test("begins at midnight, in the year 1970 as in the year 3000", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(3000, 0, 1) }), (nowMs) => {
        const dayMs = startOfDay(nowMs);
        assert.ok(dayMs <= nowMs && nowMs < endOfDay(dayMs));
        assert.equal(dayOfName(`x_${nameOfDay(dayMs)}`), dayMs);
      }),
    );
  });
});

describe("parts", () => {
  const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) });

  test("hold every id once, whichever days have tables", () => {
    const days = fc.array(instant.map(startOfDay), { maxLength: 20 });
    const ids = fc.oneof(
      instant.map((atMs) => idAt("evt", atMs)),
      fc.constantFrom("evt_0", "evt_1", "evt_test", "evt_zz"),
    );
    fc.assert(
      fc.property(days, ids, (some, id) => {
        const holding = toParts([...new Set(some)]).filter(({ events }) => has(events, id));
        assert.equal(holding.length, 1);
      }),
    );
  });

  test("are a day each, and what lies before, between and behind them", () => {
    const parts = toParts([TODAY, TODAY + daysMs(1), TODAY + daysMs(3)]);
    const days = parts.map(({ dayMs }) => (dayMs === null ? null : (dayMs - TODAY) / daysMs(1)));
    assert.deepEqual(days, [null, 0, 1, null, 3, null]);
  });
});

describe("a list that is read back in time", () => {
  const nowMs = TODAY + 1_000;

  test("meets every delivery once, and those without an instant first", () => {
    const spans = spansBack({ newestMs: nowMs, oldestMs: 0, nowMs });
    const instants = fc.integer({ min: Date.UTC(2020, 0, 1), max: nowMs });
    const listSpans = (id: string) => spans.filter((span) => has(span.ids("dlv"), id));
    fc.assert(fc.property(instants, (atMs) => assert.equal(listSpans(idAt("dlv", atMs)).length, 1)));
    for (const id of ["dlv_1", "dlv_test"]) assert.deepEqual(listSpans(id), spans.slice(0, 1));
  });

  test("is at its end when no older day can have anything newer", () => {
    const [first] = spansBack({ newestMs: nowMs, oldestMs: 0, nowMs });
    assert.ok(first !== undefined);
    assert.ok(isBehind(first, nowMs));
    assert.ok(!isBehind(first, first.fromMs + 1));
  });

  test("leaves out days before those that are asked for", () => {
    const spans = spansBack({ newestMs: nowMs, oldestMs: nowMs - daysMs(3), nowMs });
    const { fromMs = 0 } = spans.at(-1) ?? {};
    assert.ok(fromMs <= nowMs - daysMs(3) && fromMs > nowMs - daysMs(30), new Date(fromMs).toISOString());
    assert.deepEqual(daysFrom(TODAY, 2), [TODAY, TODAY + daysMs(1)]);
  });
});
