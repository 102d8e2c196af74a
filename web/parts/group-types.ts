/** Event types by the first word of their names, for lists of two hundred. Pure. */
import { groupOf } from "../../src/domain/event.ts";

interface Typed {
  readonly type: string;
}

export interface TypeGroup<Row> {
  /** `order.*`; `null` for those that share their first word with no other. */
  readonly group: string | null;
  readonly types: readonly Row[];
}

/** In the order of the first of each; those that are alone come last. */
export function groupTypes<Row extends Typed>(types: readonly Row[]): readonly TypeGroup<Row>[] {
  const byGroup = Map.groupBy(types, ({ type }) => groupOf(type));
  const groups = [...byGroup].flatMap(([group, members]) =>
    group !== null && members.length > 1 ? [{ group, types: members }] : [],
  );
  const shared = new Set<Row>(groups.flatMap((each) => each.types));
  const alone = types.filter((each) => !shared.has(each));
  return alone.length === 0 ? groups : [...groups, { group: null, types: alone }];
}
