/**
 * Recent keys against repeats, in memory: those of events that `event_keys` does not have yet. Keys are random, so each
 * would touch a page of its own in a large table. They are collected here, sorted, and merged into the table later,
 * when neighbours share a page.
 *
 *     accept ──► young ──a generation is full──► merging, sorted ──slice by slice, with later accepts──► event_keys
 *
 * Invariant: a key is in `event_keys`, or its event is not older than `path_marks.keys_from` and the key is here. A
 * start reads those events again.
 */

export interface EventKey {
  readonly accountId: string;
  readonly type: string;
  /** 16 bytes. */
  readonly source: Uint8Array;
}

export interface RecentKey extends EventKey {
  readonly seq: number;
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
  #merging: readonly RecentKey[] = [];
  #mergingSeqs: Generation = new Map();
  #mergingTo = 0;
  #place = 0;
  readonly #added = new Map<string, RecentKey>();
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
    for (const key of this.#added.values()) this.#keep(key);
    this.#place += this.#taken;
    this.begin();
    if (this.#place > 0 && this.#place === this.#merging.length) this.#endMerging();
    if (this.#merging.length === 0 && this.#youngCount >= this.#generationKeys) this.#beginMerging();
  }

  /** As a process does that dies. */
  clear(): void {
    this.begin();
    this.#young = new Map();
    this.#youngCount = 0;
    this.#endMerging();
  }

  add(key: RecentKey): void {
    this.#added.set(toText(key), key);
  }

  /** The number of the key's event. */
  findSeq(key: EventKey): number | null {
    const group = toGroup(key);
    const source = toLatin(key.source);
    const added = this.#added.size === 0 ? undefined : this.#added.get(toText(key))?.seq;
    return added ?? this.#young.get(group)?.get(source) ?? this.#mergingSeqs.get(group)?.get(source) ?? null;
  }

  /** The next keys to merge, in the order of the table, at most `count`. Taken when the transaction commits. */
  take(count: number): readonly RecentKey[] {
    const from = this.#place + this.#taken;
    const slice = this.#merging.slice(from, from + count);
    this.#taken += slice.length;
    return slice;
  }

  /** The number behind the generation's newest event, when this transaction takes the rest of it. */
  findMergedTo(): number | null {
    const isLast = this.#taken > 0 && this.#place + this.#taken === this.#merging.length;
    return isLast ? this.#mergingTo + 1 : null;
  }

  /** Everything, sorted: to merge it at once. */
  all(): readonly RecentKey[] {
    return [...this.#merging.slice(this.#place), ...sort(this.#young)];
  }

  #keep(key: RecentKey): void {
    const group = toGroup(key);
    const seqs = this.#young.get(group) ?? new Map<string, number>();
    seqs.set(toLatin(key.source), key.seq);
    this.#young.set(group, seqs);
    this.#youngCount += 1;
    this.#youngTo = Math.max(this.#youngTo, key.seq);
  }

  #beginMerging(): void {
    this.#merging = sort(this.#young);
    this.#mergingSeqs = this.#young;
    this.#mergingTo = this.#youngTo;
    this.#young = new Map();
    this.#youngCount = 0;
  }

  #endMerging(): void {
    this.#merging = [];
    this.#mergingSeqs = new Map();
    this.#place = 0;
  }
}

const toLatin = (source: Uint8Array): string => Buffer.from(source).toString("latin1");
const toGroup = ({ accountId, type }: EventKey): string => `${accountId}\n${type}`;
const toText = (key: EventKey): string => `${toGroup(key)}\n${toLatin(key.source)}`;

/** By account, type and the source's first bits: near enough to the table's order for neighbours to share pages. */
function sort(generation: Generation): readonly RecentKey[] {
  return [...generation.keys()].toSorted().flatMap((group) => {
    const [accountId = "", type = ""] = group.split("\n");
    const entries = [...(generation.get(group) ?? [])];
    // Numbers in an array of their own are sorted ten times as fast as texts; each has its entry's place in it.
    const places = Float64Array.from(entries, ([source], place) => firstBits(source) * GENERATION_KEYS_MAX + place);
    return Array.from(places.toSorted(), (value): RecentKey => {
      const [source, seq] = entries[value % GENERATION_KEYS_MAX] ?? ["", 0];
      return { accountId, type, source: Buffer.from(source, "latin1"), seq };
    });
  });
}

/** 32 bits and a place below this fit into a number. */
const GENERATION_KEYS_MAX = 2 ** 20;

const firstBits = (source: string): number =>
  source.charCodeAt(0) * 2 ** 24 +
  source.charCodeAt(1) * 2 ** 16 +
  source.charCodeAt(2) * 2 ** 8 +
  source.charCodeAt(3);
