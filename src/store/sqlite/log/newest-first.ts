/**
 * Joins lists that are each newest first into one, reading no more of them than the page needs. An account's log is one
 * list for each destination; with 500 of them a page of 50 reads a few rows of each.
 */

export interface Ordered {
  readonly createdAtMs: number;
  readonly id: string;
}

/** Reads at most `limit` rows behind `before`, newest first; `null` for the list's beginning. */
export type ReadList<Row extends Ordered> = (before: Ordered | null, limit: number) => readonly Row[];

/** The newest `count` rows of all lists, newest first. */
export function findNewest<Row extends Ordered>(lists: readonly ReadList<Row>[], count: number): Row[] {
  const firstStep = Math.ceil(count / Math.max(lists.length, 1)) + 1;
  let open = lists.map((read) => createReader(read, { firstStep, stepMax: count }));
  const newest: Row[] = [];
  while (newest.length < count) {
    open = open.filter((reader) => reader.head() !== null);
    const [first, ...others] = open;
    if (first === undefined) break;
    const next = others.reduce((best, other) => (isNewer(other.head(), best.head()) ? other : best), first);
    const row = next.take();
    if (row !== null) newest.push(row);
  }
  return newest;
}

/** By time, and by id among those of one millisecond: the order of the indexes, and of the cursor. */
function isNewer(one: Ordered | null, other: Ordered | null): boolean {
  if (one === null || other === null) return one !== null;
  if (one.createdAtMs !== other.createdAtMs) return one.createdAtMs > other.createdAtMs;
  return one.id > other.id;
}

interface Reader<Row> {
  /** The newest row that was not taken yet. */
  head(): Row | null;
  take(): Row | null;
}

/** Reads in steps that grow, since a list that has given rows to the page is likely to give more. */
function createReader<Row extends Ordered>(
  read: ReadList<Row>,
  { firstStep, stepMax }: { readonly firstStep: number; readonly stepMax: number },
): Reader<Row> {
  let step = Math.min(firstStep, stepMax);
  let rows = read(null, step);
  let place = 0;

  function head(): Row | null {
    const last = rows.at(-1);
    const isAtEnd = rows.length < step;
    if (place === rows.length && !isAtEnd && last !== undefined) {
      step = Math.min(step * 2, stepMax);
      rows = read(last, step);
      place = 0;
    }
    return rows[place] ?? null;
  }

  function take(): Row | null {
    const row = head();
    place += 1;
    return row;
  }

  return { head, take };
}
