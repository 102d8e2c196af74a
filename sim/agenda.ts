/**
 * The events to come: events in the order of their virtual time. Events of the same instant have no order in
 * reality; here a seeded number decides, so that a seed meets one order and a thousand seeds meet many.
 */
export interface Entry {
  readonly atMs: number;
  /** Decides between entries of one instant. Unique in practice: a draw of 32 bits. */
  readonly tie: number;
}

export const isBefore = (one: Entry, other: Entry): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.tie < other.tie);

export interface Agenda<Item extends Entry> {
  add(entry: Item): void;
  first(): Item | undefined;
  takeFirst(): Item | undefined;
}

/** A binary heap: a parent at `place` comes before its children at `2 place + 1` and `2 place + 2`. */
export function createAgenda<Item extends Entry>(): Agenda<Item> {
  const entries: Item[] = [];

  function swapIfBefore(lower: number, upper: number): boolean {
    const below = entries[lower];
    const above = entries[upper];
    if (below === undefined || above === undefined || !isBefore(below, above)) return false;
    entries[lower] = above;
    entries[upper] = below;
    return true;
  }

  function rise(place: number): void {
    const parent = (place - 1) >> 1;
    if (place > 0 && swapIfBefore(place, parent)) rise(parent);
  }

  function sink(place: number): void {
    const left = 2 * place + 1;
    const right = left + 1;
    const [one, other] = [entries[left], entries[right]];
    const earlier = one !== undefined && other !== undefined && isBefore(other, one) ? right : left;
    if (swapIfBefore(earlier, place)) sink(earlier);
  }

  return {
    add(entry) {
      entries.push(entry);
      rise(entries.length - 1);
    },
    first: () => entries[0],
    takeFirst() {
      const [first] = entries;
      const last = entries.pop();
      if (first === undefined || last === undefined || first === last) return first;
      entries[0] = last;
      sink(0);
      return first;
    },
  };
}
