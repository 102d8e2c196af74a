/**
 * What the store needs to know of a verb beside its types: one row of the contract's table (`store.ts`). The queue in
 * front of a store, PostgreSQL's pools of connections, the dispatch to servers and the simulator's port are derived
 * from these rows. A verb without a row does not compile.
 */
import { bucketOf, bucketOfMarked } from "../../lib/bucket.ts";

export type VerbTable<Verbs> = {
  readonly [Name in keyof Verbs]: Verbs[Name] extends (params: infer Params) => Promise<infer Answer>
    ? VerbRow<Params, Answer>
    : never;
};

export interface VerbRow<Params, Answer> {
  readonly kind: VerbKind;
  readonly route: Route<Params, Answer>;
}

/**
 * How a verb stands to the event's path, which decides what waits for what.
 *
 * - `path`: an event, a claim or a person waits for it.
 * - `set-up`: it changes what accepts are decided with, so it keeps its order with accepts.
 * - `side`: no event waits for it. PostgreSQL gives these verbs connections of their own.
 */
export type VerbKind = "path" | "set-up" | "side";

/**
 * Where a verb runs when accounts lie in several groups of buckets (`../postgres/buckets/groups.ts`).
 *
 * - `one bucket`: in an account's bucket, or in the one that a token begins with.
 * - `split`: the verb names several accounts. Each group gets its part in a transaction of its own.
 * - `in all`: the verb searches for work. Groups are asked one after the other, and one that is away is passed over.
 * - `by server`: one statement reads all of a server's groups at once.
 * - `local`: the verb is about the installation itself, whose tables stand on one server.
 */
export type Route<Params, Answer> =
  | OneBucket<Params>
  | Split<Params, Answer>
  | InAll<Params, Answer>
  | ByServer<Answer>
  | typeof LOCAL;

export interface OneBucket<Params> {
  readonly kind: "one bucket";
  bucketOf(params: Params): number;
}

export interface Split<Params, Answer> {
  readonly kind: "split";
  /** The buckets of its items, in their order. */
  bucketsOf(params: Params): readonly number[];
  /** The same call with some of its items, by their indexes. */
  only(params: Params, indexes: readonly number[]): Params;
  join(parts: readonly PartAnswer<Answer>[]): Answer;
  /** The answer of a part whose server is away; without it the whole call fails. */
  ofAway?(params: Params): Answer;
}

/** `indexes`: those of the part's items in the whole call. */
export interface PartAnswer<Answer> {
  readonly answer: Answer;
  readonly indexes: readonly number[];
}

export interface InAll<Params, Answer> {
  readonly kind: "in all";
  /** The answer where there is nothing. */
  readonly none: Answer;
  /** Params for the next group; `null`: enough is found. `../postgres/dispatch/looks.ts` leaves out idle groups. */
  rest(params: Params, soFar: Answer): Params | null;
  join(one: Answer, other: Answer): Answer;
  /** The answer when some groups were not asked because enough was found; the same unless given. */
  cut?(answer: Answer): Answer;
  /** The answer when some groups could not be asked; the same unless given. */
  without?(answer: Answer): Answer;
}

export interface ByServer<Answer> {
  readonly kind: "by server";
  join(one: Answer, other: Answer): Answer;
}

export const LOCAL = { kind: "local" } as const;

interface OfAccount {
  readonly accountId: string;
}

export const OF_ACCOUNT = {
  kind: "one bucket",
  bucketOf: ({ accountId }: OfAccount) => bucketOf(accountId),
} as const;

export const OF_TOKEN = {
  kind: "one bucket",
  bucketOf: ({ tokenHash }: { readonly tokenHash: string }) => bucketOfMarked(tokenHash),
} as const;

export const OF_SESSION = {
  kind: "one bucket",
  bucketOf: ({ sessionHash }: { readonly sessionHash: string }) => bucketOfMarked(sessionHash),
} as const;

export const bucketsOfAccounts = (items: readonly OfAccount[]): number[] =>
  items.map(({ accountId }) => bucketOf(accountId));

export const pick = <Item>(items: readonly Item[], indexes: readonly number[]): Item[] =>
  indexes.flatMap((index) => items.slice(index, index + 1));

/** The answers of a split call's items in the order of the call. */
export function inOrder<Item>(parts: readonly PartAnswer<readonly Item[]>[]): Item[] {
  const items: Item[] = [];
  for (const { answer, indexes } of parts) answer.forEach((item, at) => (items[indexes[at] ?? 0] = item));
  return items;
}

/** The params with what is left of a maximum; `null` when nothing is. */
export function withLess<Name extends string, Params extends { readonly [Max in Name]: number }>(
  params: Params,
  max: Name,
  done: number,
): Params | null {
  const left = params[max] - done;
  return left <= 0 ? null : { ...params, [max]: left };
}

/** What two groups found, one behind the other. */
export const inARow = <Item>(one: readonly Item[], other: readonly Item[]): Item[] => [...one, ...other];

export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
