/**
 * Recent keys against repeats, in memory: those of events that `event_keys` does not have yet. Keys are random, so each
 * would touch a page of its own in a large table. They are collected here, sorted, and merged into the table later,
 * when neighbours share a page.
 *
 *     accept ──► young ──a generation is full──► merging ──slice by slice, sorted, with later accepts──► event_keys
 *
 * Invariant: a key is in `event_keys`, or its event is not older than `path_marks.keys_from` and the key is here. A
 * start reads those events again.
 */

/** A key as the table has it. */
interface KeyColumns {
  readonly accountId: string;
  readonly type: string;
  /** 16 bytes. */
  readonly source: Uint8Array;
}

/** With its place here, which is found once: it is asked for and added. */
export interface EventKey extends KeyColumns {
  readonly group: string;
  readonly sourceText: string;
}

export interface RecentKey extends KeyColumns {
  readonly seq: number;
}

export function toEventKey({ accountId, type, source }: KeyColumns): EventKey {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  return { accountId, type, source, group: `${accountId}\n${type}`, sourceText: bytes.toString("latin1") };
}

/** More keys share more pages when they are merged, and take more memory: some 10 MB for two generations. */
export const GENERATION_KEYS = 65_536;

/** The events of each source in an account and type; sources as text of 16 characters, which a map can tell apart. */
type Generation = Map<string, Map<string, number>>;

export class RecentKeys {
  readonly #generationKeys: number;
  #young: Generation = new Map();
  #youngCount = 0;
  #youngTo = 0;
  /** Known until it is merged whole; `null`: none is being merged. */
  #merging: Generation | null = null;
  #mergingTo = 0;
  #rest: Iterator<RecentKey> = [].values();
  /** The next of the rest, in their order. */
  readonly #next: RecentKey[] = [];
  readonly #added: Generation = new Map();
  #taken = 0;

  constructor(generationKeys: number) {
    this.#generationKeys = generationKeys;
  }

  /** Forgets what a transaction changed that was rolled back. */
  begin(): void {
    this.#added.clear();
    this.#taken = 0;
  }

  commit(): void {
    for (const [group, seqs] of this.#added) this.#keep(group, seqs);
    const isMerged = this.findMergedTo() !== null;
    this.#next.splice(0, this.#taken);
    this.begin();
    if (isMerged) this.#endMerging();
    if (this.#merging === null && this.#youngCount >= this.#generationKeys) this.#beginMerging();
  }

  /** As a process does that dies. */
  clear(): void {
    this.begin();
    this.#young = new Map();
    this.#youngCount = 0;
    this.#endMerging();
  }

  add({ group, sourceText }: EventKey, seq: number): void {
    groupIn(this.#added, group).set(sourceText, seq);
  }

  /** The number of the key's event. */
  findSeq({ group, sourceText }: EventKey): number | null {
    for (const generation of [this.#added, this.#young, this.#merging]) {
      const seq = generation?.get(group)?.get(sourceText);
      if (seq !== undefined) return seq;
    }
    return null;
  }

  /** The next keys to merge, in the order of the table, at most `count`. Taken when the transaction commits. */
  take(count: number): readonly RecentKey[] {
    const end = this.#taken + count;
    this.#lookAhead(end);
    const slice = this.#next.slice(this.#taken, end);
    this.#taken += slice.length;
    return slice;
  }

  /** The number behind the generation's newest event, when this transaction takes the rest of it. */
  findMergedTo(): number | null {
    if (this.#merging === null || this.#taken === 0) return null;
    this.#lookAhead(this.#taken + 1);
    return this.#next.length === this.#taken ? this.#mergingTo + 1 : null;
  }

  /** Everything, in order: to merge it at once. */
  *all(): Generator<RecentKey> {
    this.#lookAhead(Infinity);
    yield* this.#next;
    yield* inOrder(this.#young);
  }

  #lookAhead(count: number): void {
    while (this.#next.length < count) {
      const { value, done } = this.#rest.next();
      if (done === true) return;
      this.#next.push(value);
    }
  }

  #keep(group: string, added: ReadonlyMap<string, number>): void {
    const seqs = groupIn(this.#young, group);
    for (const [sourceText, seq] of added) {
      seqs.set(sourceText, seq);
      this.#youngTo = Math.max(this.#youngTo, seq);
    }
    this.#youngCount += added.size;
  }

  #beginMerging(): void {
    this.#merging = this.#young;
    this.#mergingTo = this.#youngTo;
    this.#rest = inOrder(this.#young);
    this.#young = new Map();
    this.#youngCount = 0;
  }

  #endMerging(): void {
    this.#merging = null;
    this.#rest = [].values();
    this.#next.length = 0;
  }
}

function groupIn(generation: Generation, group: string): Map<string, number> {
  const known = generation.get(group);
  if (known !== undefined) return known;
  const seqs = new Map<string, number>();
  generation.set(group, seqs);
  return seqs;
}

/**
 * Near enough to the table's order for neighbours to share pages: each account's keys together, sorted by their source.
 * Sorted a little at a time, because commits wait meanwhile: 65,536 at once took 200 ms on a loaded machine.
 */
function* inOrder(generation: Generation): Generator<RecentKey> {
  for (const [group, seqs] of generation) {
    const [accountId = "", type = ""] = group.split("\n");
    for (const bucket of toBuckets(seqs)) {
      for (const [source, seq] of bucket.toSorted(bySource)) {
        yield { accountId, type, source: Buffer.from(source, "latin1"), seq };
      }
    }
  }
}

type Entry = readonly [source: string, seq: number];

const bySource = ([one]: Entry, [other]: Entry): number => (one < other ? -1 : 1);

/** So many are sorted in a millisecond or two. */
const BUCKET_MAX = 2_048;

/** By their first byte, unless they are few. */
function toBuckets(seqs: ReadonlyMap<string, number>): readonly Entry[][] {
  if (seqs.size <= BUCKET_MAX) return [[...seqs]];
  const buckets = Array.from({ length: 256 }, (): Entry[] => []);
  for (const entry of seqs) buckets[entry[0].charCodeAt(0)]?.push(entry);
  return buckets;
}
