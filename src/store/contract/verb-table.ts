/**
 * What the store needs to know of a verb beside its types: one row of the contract's table (`store.ts`). The queue in
 * front of a store, PostgreSQL's pools and fence, the way to an account's shard and the simulator's port are derived
 * from these rows. A verb without a row does not compile.
 */
export type VerbTable<Verbs> = {
  readonly [Name in keyof Verbs]: Verbs[Name] extends (params: infer Params) => Promise<infer Answer>
    ? VerbRow<Params, Answer>
    : never;
};

export interface VerbRow<Params, Answer> {
  readonly kind: VerbKind;
  /** It changes nothing, and is answered by a database that takes no writes. */
  readonly reads?: true;
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
 * What a verb is about, and so where it runs when accounts lie in several shards (`../postgres/shards/shards.ts`).
 *
 * - `account`: one account.
 * - `accounts`: several. Each shard gets its part in a transaction of its own.
 * - `token`: whatever the token opens. Shards are asked until one knows it.
 * - `all`: the verb searches for work. Each shard is asked, and one that is away is passed over.
 * - `home`: the installation itself, whose tables stand in one shard.
 */
export type Route<Params, Answer> =
  | OfAccount<Params, Answer>
  | OfAccounts<Params, Answer>
  | ByToken<Answer>
  | InAll<Params, Answer>
  | typeof HOME;

export interface OfAccount<Params, Answer> {
  readonly kind: "account";
  /** `null`: of none, so that it runs at home. */
  accountOf(params: Params): string | null;
  /** Makes an account that is in no shard yet. */
  readonly creates?: true;
  /** Its answer where the account was on its way to another shard when that had been given. */
  whileMoving?(answer: Answer): Answer;
}

export interface OfAccounts<Params, Answer> {
  readonly kind: "accounts";
  /** The accounts of its items, in their order. */
  accountsOf(params: Params): readonly string[];
  /** The same call with some of its items, by their indexes. */
  only(params: Params, indexes: readonly number[]): Params;
  join(parts: readonly PartAnswer<Answer>[]): Answer;
  /** The answer of a part whose shard is away; without it the whole call fails. */
  ofAway?(params: Params): Answer;
  /** Items, by their indexes, whose answer may only say that their account has moved. */
  lost?(answer: Answer): readonly number[];
}

/** `indexes`: those of the part's items in the whole call. */
export interface PartAnswer<Answer> {
  readonly answer: Answer;
  readonly indexes: readonly number[];
}

export interface ByToken<Answer> {
  readonly kind: "token";
  isKnown(answer: Answer): boolean;
}

export interface InAll<Params, Answer> {
  readonly kind: "all";
  /** Params for the next shard; `null`: enough is found. Without it all are asked at once. */
  rest?(params: Params, soFar: Answer): Params | null;
  join(one: Answer, other: Answer): Answer;
  /** The answer when some shards were not asked because enough was found; the same unless given. */
  cut?(answer: Answer): Answer;
  /** The answer when some shards could not be asked; the same unless given. */
  without?(answer: Answer): Answer;
}

export const HOME = { kind: "home" } as const;

interface HasAccount {
  readonly accountId: string;
}

export const OF_ACCOUNT = {
  kind: "account",
  accountOf: ({ accountId }: { readonly accountId: string | null }) => accountId,
} as const;

export const accountsOf = (items: readonly HasAccount[]): string[] => items.map(({ accountId }) => accountId);

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

/** What two shards found, one behind the other. */
export const inARow = <Item>(one: readonly Item[], other: readonly Item[]): Item[] => [...one, ...other];

export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
