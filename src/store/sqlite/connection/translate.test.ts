import assert from "node:assert/strict";
import { test } from "node:test";
import { openConnection } from "./connection.ts";
import { bind, translate } from "./translate.ts";

test("a value that a statement names twice is bound twice", () => {
  const { text, order } = translate("update t set a = $2, b = $1, c = $2 where id = $11");
  assert.equal(text, "update t set a = ?, b = ?, c = ? where id = ?");
  assert.deepEqual(order, [1, 0, 1, 10]);
});

test("row locks go, wherever they stand, and nothing else does", () => {
  const locked = `
  with free as (
    select id
    from t
    where id = $1
    order by id
    for no key update of t skip locked
  )
  select 'wait for update' as word
  from free
  for update`;
  const { text } = translate(locked);
  assert.doesNotMatch(text, /for no key|skip locked|from free\s+for/);
  assert.match(text, /'wait for update'/);
});

test("a statement that was written for SQLite stays as it is", () => {
  const sql = "select ?1, ?2";
  assert.deepEqual(translate(sql), { text: sql, order: null });
});

test("flags are bound as 0 and 1", () => {
  assert.deepEqual(bind([0, 1, 0], [true, false]), [1, 0, 1]);
});

test("a connection runs a statement of both dialects", (t) => {
  const db = openConnection(":memory:");
  t.after(() => db.close());
  db.exec("create table t (id integer, is_on integer) strict");
  assert.equal(db.run("insert into t (id, is_on) values ($1, $2), ($1 + 1, not $2)", 7, true), 2);
  const rows = db.all<{ id: number }>("select id from t where is_on and id = $1\n  for update", 7);
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ id: 7 }],
  );
});
