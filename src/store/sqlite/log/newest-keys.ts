/**
 * The newest keys of many lists, each of which follows an index: an account's log has one for each destination. First
 * each list's share of the page is asked for, and then more of those alone of which all that came is on the page: they
 * are fewer and fewer, and keys that are older than the page's last so far are not looked at.
 */

/** Greater ones are newer. */
type AnyKey = string | number;

export interface KeysStep<List, Key> {
  readonly among: readonly List[];
  /** Of each of them, the newest. */
  readonly each: number;
  /** None that is older. */
  readonly fromKey: Key | null;
}

export interface KeysOfList<Key> {
  /** Among those that were asked. */
  readonly place: number;
  /** Newest first. */
  readonly keys: readonly Key[];
}

/** As much more is asked of a list in a step than in the one before. */
const STEP_GROWTH = 4;

/** The newest `count` of all, newest first. */
export function findNewestKeys<List, Key extends AnyKey>(
  { lists, count }: { readonly lists: readonly List[]; readonly count: number },
  ask: (step: KeysStep<List, Key>) => readonly KeysOfList<Key>[],
): Key[] {
  const keysOf = new Map<List | undefined, readonly Key[]>();
  let newest: Key[] = [];
  let among = lists;
  for (let each = Math.ceil(count / lists.length); among.length > 0; each = Math.min(each * STEP_GROWTH, count)) {
    const lastKey = newest[count - 1] ?? null;
    for (const { place, keys } of ask({ among, each, fromKey: lastKey })) keysOf.set(among[place], keys);
    newest = [...keysOf.values()].flat().toSorted(newestFirst).slice(0, count);
    const end = newest[count - 1];
    among = each >= count ? [] : among.filter((list) => isOpen(keysOf.get(list), { each, end }));
  }
  return newest;
}

/** It may have more on the page than came. */
function isOpen<Key extends AnyKey>(
  keys: readonly Key[] = [],
  { each, end }: { readonly each: number; readonly end: Key | undefined },
): boolean {
  const oldest = keys[each - 1];
  return oldest !== undefined && (end === undefined || oldest >= end);
}

const newestFirst = (one: AnyKey, other: AnyKey): number => (one === other ? 0 : one < other ? 1 : -1);
