/** Small values of the installation itself, and the probe that shows whether the store still takes writes. */
import { assert } from "../../lib/assert.ts";
import type { KeptSetting } from "../contract/installation.ts";
import type { Transaction } from "./transaction.ts";

export function loadSetting(tx: Transaction, { name }: { name: string }): string | null {
  return tx.db.get<{ value: string }>(FIND_SETTING, name)?.value ?? null;
}

export function saveSetting(tx: Transaction, { name, value }: { name: string; value: string }): void {
  tx.db.run(PUT_SETTING, name, value);
}

export function saveSettingUnlessThere(tx: Transaction, { name, value }: { name: string; value: string }): KeptSetting {
  if (tx.db.run(INSERT_SETTING, name, value) === 1) return { value, isNew: true };
  const first = loadSetting(tx, { name });
  assert(first !== null, `the setting ${name} was there and is not`);
  return { value: first, isNew: false };
}

export function probe(tx: Transaction, { nowMs }: { nowMs: number }): void {
  tx.db.run(PUT_PROBE, nowMs);
  const read = tx.db.get<{ probedAtMs: number }>(FIND_PROBE)?.probedAtMs;
  assert(read === nowMs, `the probe wrote ${nowMs} and read ${read}`);
}

const FIND_SETTING = `-- name: find setting
  select value
  from settings
  where name = ?`;

const PUT_SETTING = `-- name: put setting
  insert into settings (name, value)
  values (?, ?)
  on conflict (name) do update
  set value = excluded.value`;

const INSERT_SETTING = `-- name: insert setting unless it is there
  insert into settings (name, value)
  values (?, ?)
  on conflict (name) do nothing`;

const PUT_PROBE = `-- name: put probe
  insert into probes (id, probed_at)
  values (1, ?)
  on conflict (id) do update
  set probed_at = excluded.probed_at`;

const FIND_PROBE = `-- name: find probe
  select probed_at as "probedAtMs"
  from probes
  where id = 1`;
