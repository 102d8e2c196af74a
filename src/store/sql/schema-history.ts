/**
 * Which build made a database's schema, told by its steps, so that no refusal guesses. A released step keeps number and
 * name for ever: a step of another name is no release's, and one beyond ours is a newer build's.
 */
import { VERSION } from "../../lib/version.ts";

export interface StepThere {
  readonly version: number;
  readonly name: string;
}

/** The setting that names the build that made the newest step. 1.0.0 wrote none. */
export const SCHEMA_BUILD = "schema_build";

/** The end of a sentence that refuses; `null`: the steps are those of `known`, and perhaps more. */
export function explainOther(there: readonly StepThere[], known: readonly StepThere[]): string | null {
  const names = new Map(known.map(({ version, name }) => [version, name]));
  const other = there.find(({ version, name }) => (names.get(version) ?? name) !== name);
  if (other === undefined) return null;
  return (
    `its step ${other.version} is "${other.name}", and in every release that has one "${names.get(other.version)}": ` +
    "another build made it, from before 1.0.0 or from between two releases; start that one, or use another database"
  );
}

/** Who made steps that this build lacks. */
export const describeNewer = (build: string | null): string =>
  build === null ? "a newer Bellwire has used it" : `a newer Bellwire (${build}) has used it`;

export const LIST_STEPS = `-- name: list steps of schema
  select version, name
  from schema_migrations
  order by version`;

export const FIND_BUILD = `-- name: find build of schema
  select value
  from settings
  where name = '${SCHEMA_BUILD}'`;

export const NOTE_BUILD = `-- name: note build of schema
  insert into settings (name, value)
  values ('${SCHEMA_BUILD}', '${VERSION.replaceAll("'", "''")}')
  on conflict (name) do update
  set value = excluded.value`;
