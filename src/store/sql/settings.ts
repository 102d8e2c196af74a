/**
 * Small values of the installation itself, what its event types are declared as, and the probe that shows whether the
 * store still takes writes.
 */
import { assert } from "../../lib/assert.ts";
import type { KeptDeclaration, KeptSetting } from "../contract/installation.ts";
import type { SqlConnection, SqlTransaction } from "./transaction.ts";

export async function loadSetting(tx: SqlTransaction, { name }: { name: string }): Promise<string | null> {
  return (await tx.db.get<{ value: string }>(FIND_SETTING, name))?.value ?? null;
}

export async function saveSetting(tx: SqlTransaction, { name, value }: { name: string; value: string }): Promise<void> {
  await tx.db.run(PUT_SETTING, name, value);
}

export async function saveSettingUnlessThere(
  tx: SqlTransaction,
  { name, value }: { name: string; value: string },
): Promise<KeptSetting> {
  if ((await tx.db.run(INSERT_SETTING, name, value)) === 1) return { value, isNew: true };
  const first = await loadSetting(tx, { name });
  assert(first !== null, `the setting ${name} was there and is not`);
  return { value: first, isNew: false };
}

export async function listDeclarations(
  { db }: { readonly db: Pick<SqlConnection, "all"> },
  { typesMax }: { typesMax: number },
): Promise<readonly KeptDeclaration[]> {
  return (await db.all<KeptDeclaration>(LIST_DECLARATIONS, typesMax)).map((row) => ({ ...row }));
}

export async function saveDeclaration(
  tx: SqlTransaction,
  { type, declaration, nowMs }: { type: string; declaration: string | null; nowMs: number },
): Promise<void> {
  if (declaration === null) await tx.db.run(DELETE_DECLARATION, type);
  else await tx.db.run(PUT_DECLARATION, type, declaration, nowMs);
}

export async function probe(tx: SqlTransaction, { nowMs }: { nowMs: number }): Promise<void> {
  await tx.db.run(PUT_PROBE, nowMs);
  const read = (await tx.db.get<{ probedAtMs: number }>(FIND_PROBE))?.probedAtMs;
  assert(read === nowMs, `the probe wrote ${nowMs} and read ${read}`);
}

const FIND_SETTING = `-- name: find setting
  select value
  from settings
  where name = $1`;

const PUT_SETTING = `-- name: put setting
  insert into settings (name, value)
  values ($1, $2)
  on conflict (name) do update
  set value = excluded.value`;

const INSERT_SETTING = `-- name: insert setting unless it is there
  insert into settings (name, value)
  values ($1, $2)
  on conflict (name) do nothing`;

/** Byte by byte, the same on both databases. */
const LIST_DECLARATIONS = `-- name: list declarations
  select type, declaration, changed_at as "changedAtMs"
  from event_types
  order by type
  limit $1`;

const PUT_DECLARATION = `-- name: put declaration
  insert into event_types (type, declaration, changed_at)
  values ($1, $2, $3)
  on conflict (type) do update
  set declaration = excluded.declaration, changed_at = excluded.changed_at`;

const DELETE_DECLARATION = `-- name: delete declaration
  delete from event_types
  where type = $1`;

const PUT_PROBE = `-- name: put probe
  insert into probes (id, probed_at)
  values (1, $1)
  on conflict (id) do update
  set probed_at = excluded.probed_at`;

const FIND_PROBE = `-- name: find probe
  select probed_at as "probedAtMs"
  from probes
  where id = 1`;
