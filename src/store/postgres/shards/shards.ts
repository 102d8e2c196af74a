/**
 * One store over several: each call goes to the shard that has its account, to several and is joined, or to all
 * (`../../contract/verb-table.ts`). With one shard, as most installations have, a call goes straight there.
 *
 * Where an account is, is remembered; the shard itself says when that is not so any more, because every transaction
 * about an account holds its row (`../path/fence.ts`). Then the directory is asked, and the call is made there.
 *
 * Invariant: a shard that is away fails only the calls of its own accounts. Calls that look everywhere pass it over,
 * and fail where all are away.
 */
import { type Clock, inTime } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import type { VerbAnswer } from "../../calls.ts";
import { AccountAway, StoreUnavailable, type VerbName, VERBS } from "../../contract/store.ts";
import type { NewEvent } from "../../contract/path.ts";
import type { ByToken, InAll, OfAccount, OfAccounts, PartAnswer, Route } from "../../contract/verb-table.ts";
import type { PostgresCall } from "../commit-calls.ts";
import { AccountElsewhere } from "../failures.ts";
import { type FromInbox, seqsOf } from "../inbox.ts";
import { type AccountPlace, type Directory, HOME_SHARD } from "./directory.ts";

type Answer = VerbAnswer<VerbName>;
type Params = PostgresCall["params"];

/** One of them, as a call finds it. Rejects with `AccountElsewhere`, or with `AccountAway` when its server is gone. */
export interface Shard {
  readonly name: string;
  readonly isHere: boolean;
  call(call: PostgresCall): Promise<Answer>;
}

export interface ShardsOptions {
  /** Those that this node knows, the home shard first. */
  readonly list: () => readonly Shard[];
  /** Looks whether there are others by now. */
  readonly lookAgain: () => Promise<void>;
  readonly directory: Directory;
  readonly clock: Pick<Clock, "after" | "nowMs">;
  /** Ends a move that has let the account go and not brought it in yet. */
  readonly completeMove: (accountId: string) => Promise<void>;
  /** Holds records of the inbox while their events are accepted in another shard, and takes them out then. */
  readonly acceptElsewhere: <Value>(
    seqs: readonly number[],
    work: (gone: ReadonlySet<number>) => Promise<FromInbox<Value>>,
  ) => Promise<Value>;
  /** Hears what each shard that was reached has answered to a call that goes to all. */
  readonly onAll?: (verb: VerbName, answers: ReadonlyMap<string, Answer>) => void;
}

/** What one shard may take when all are asked at once; the watch finds those that hang. Guess. */
const PATIENCE_MS = secondsMs(1);

/** Accounts whose shard is remembered. */
const REMEMBERED_MAX = 200_000;

export function callShards(options: ShardsOptions): (call: PostgresCall) => Promise<Answer> {
  const { list, lookAgain } = options;
  const places = new Places(options);
  const all = createCallAll(options);

  async function ofOneShard(home: Shard, call: PostgresCall): Promise<Answer> {
    try {
      return await withMoved(home, call, await home.call(call));
    } catch (error) {
      if (!(error instanceof AccountElsewhere)) throw error;
      await lookAgain();
      return list().length > 1 ? await ofSeveral(call) : await home.call({ ...call, mayBeMissing: true });
    }
  }

  /** Where an account has moved to the first other shard, which this node does not know yet. */
  async function withMoved(home: Shard, call: PostgresCall, answer: Answer): Promise<Answer> {
    const route = VERBS[call.verb].route as Route<Params, Answer>;
    if (route.kind !== "accounts" || (route.lost?.(answer) ?? []).length === 0) return answer;
    await lookAgain();
    if (list().length === 1) return answer;
    const accountIds = route.accountsOf(call.params);
    const indexes = [...accountIds.keys()];
    return joinParts(
      route,
      await followLost({ options, places, call, route, accountIds }, home.name, { answer, indexes }),
    );
  }

  async function ofSeveral(call: PostgresCall): Promise<Answer> {
    // The route of a verb takes that verb's params: `storeOver`, which makes every call, made sure of it.
    const route = VERBS[call.verb].route as Route<Params, Answer>;
    switch (route.kind) {
      case "home":
        return await places.shard(HOME_SHARD).call(call);
      case "account":
        return await ofAccount(options, { places, call, route });
      case "accounts":
        return await ofAccounts(options, { places, call, route });
      case "token":
        return await byToken(options, call, route);
      case "all":
        return await all(call, route);
    }
  }

  return (call) => {
    const [home, ...others] = list();
    if (home === undefined) throw new StoreUnavailable("the store has no shard");
    return others.length === 0 ? ofOneShard(home, call) : ofSeveral(call);
  };
}

/** Which shard has an account, as far as this node remembers. */
class Places {
  readonly #options: ShardsOptions;
  readonly #known = new Map<string, string>();
  /** The latest question: one after the other, so that calls go on in the order in which they were made. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: ShardsOptions) {
    this.#options = options;
  }

  shard(name: string): Shard {
    const shard = this.#options.list().find((one) => one.name === name);
    if (shard === undefined) throw new AccountAway(`this node does not know shard ${name} yet`);
    return shard;
  }

  /** One in a shard that was removed is looked for anew. */
  known(accountId: string): string | undefined {
    const name = this.#known.get(accountId);
    return name !== undefined && this.#isThere(name) ? name : undefined;
  }

  /** As the directory said last. */
  remembered(accountId: string): string {
    return this.#known.get(accountId) ?? HOME_SHARD;
  }

  #isThere(name: string): boolean {
    return this.#options.list().some((shard) => shard.name === name);
  }

  /** Asks the directory, and remembers what it says. */
  find(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountPlace>> {
    const ask = () => this.#ask(accountIds);
    const asked = this.#asking.then(ask, ask);
    this.#asking = asked;
    return asked;
  }

  async #ask(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountPlace>> {
    const found = await this.#options.directory.find([...new Set(accountIds)]);
    for (const [id, { shard }] of found) this.remember(id, shard);
    if ([...found.values()].some(({ shard }) => !this.#isThere(shard))) await this.#options.lookAgain();
    return found;
  }

  /** The same for accounts that were not where they were asked for: a move that stands between its shards is ended. */
  async locate(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountPlace>> {
    const found = await this.find(accountIds);
    const moving = [...found].filter(([, { movingTo }]) => movingTo !== null);
    for (const [id] of moving) await this.#options.completeMove(id);
    return moving.length === 0 ? found : await this.find(accountIds);
  }

  remember(accountId: string, shard: string): void {
    if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
    this.#known.set(accountId, shard);
  }

  /** The shards of accounts in their order; `null`: the directory has to be asked for some of them. */
  allKnown(accountIds: readonly string[]): readonly string[] | null {
    const shards = accountIds.flatMap((id) => this.known(id) ?? []);
    return shards.length === accountIds.length ? shards : null;
  }
}

interface Of<OfRoute> {
  readonly places: Places;
  readonly call: PostgresCall;
  readonly route: OfRoute;
}

/** Moves that one call may meet. Guess. */
const MOVES_MAX = 5;

/** It is in no shard when the one that has refused it is the one that the directory names after that. */
async function ofAccount(
  options: ShardsOptions,
  { places, call, route }: Of<OfAccount<Params, Answer>>,
): Promise<Answer> {
  const accountId = route.accountOf(call.params);
  if (accountId === null) return await places.shard(HOME_SHARD).call(call);
  const locate = async (): Promise<AccountPlace> =>
    (await places.locate([accountId])).get(accountId) ?? { shard: HOME_SHARD, movingTo: null };
  const known = places.known(accountId);
  let place = known === undefined ? await locate() : { shard: known, movingTo: null };
  let refused: string | null = null;
  for (let moves = 0; place.shard !== refused || place.movingTo !== null; moves += 1) {
    try {
      const answer = await places.shard(place.shard).call(call);
      return route.whileMoving === undefined || !(await isMoving(options, accountId))
        ? answer
        : route.whileMoving(answer);
    } catch (error) {
      if (!(error instanceof AccountElsewhere) || moves === MOVES_MAX) throw error;
    }
    refused = place.shard;
    place = await locate();
  }
  const chosen = route.creates === true ? await choose(options, accountId) : place.shard;
  places.remember(accountId, chosen);
  return await places.shard(chosen).call({ ...call, mayBeMissing: true });
}

/** Also while its history is still there that it has left. */
async function isMoving({ directory }: ShardsOptions, accountId: string): Promise<boolean> {
  const { movingTo = null, leaving = null } = (await directory.find([accountId])).get(accountId) ?? {};
  return movingTo !== null || leaving !== null;
}

function choose({ directory, list, clock }: ShardsOptions, accountId: string): Promise<string> {
  const here = list().filter(({ isHere }) => isHere);
  return directory.choose({ accountId, among: here.map(({ name }) => name), nowMs: clock.nowMs() });
}

/** All parts are waited for: one that fails says nothing about the others, and a call that is repeated finds them. */
async function ofAccounts(options: ShardsOptions, of: Of<OfAccounts<Params, Answer>>): Promise<Answer> {
  const { places, call, route } = of;
  const accountIds = route.accountsOf(call.params);
  // A call about accounts that are remembered is made at once, so that it keeps its place among those before it.
  const shards = places.allKnown(accountIds) ?? shardsOf(await places.find(accountIds), accountIds);
  const asked: OfSeveral = { ...of, options, accountIds };
  const byShard = [...Map.groupBy(accountIds.keys(), (index) => shards[index] ?? HOME_SHARD)];
  const ended = await Promise.allSettled(byShard.map(([shard, indexes]) => askPart(asked, shard, indexes)));
  const failed = ended.find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return joinParts(
    route,
    ended.flatMap((part) => (part.status === "fulfilled" ? part.value : [])),
  );
}

function joinParts(route: OfAccounts<Params, Answer>, parts: Parts): Answer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first.answer : route.join(parts);
}

const shardsOf = (found: ReadonlyMap<string, AccountPlace>, accountIds: readonly string[]): string[] =>
  accountIds.map((id) => found.get(id)?.shard ?? HOME_SHARD);

/** A call about several accounts, whose items are known by their indexes. */
interface OfSeveral extends Of<OfAccounts<Params, Answer>> {
  readonly options: ShardsOptions;
  /** Of its items, in their order. */
  readonly accountIds: readonly string[];
}

type Parts = PartAnswer<Answer>[];

/** The items that a shard has, as far as this node remembers; those that it had are asked for where they are now. */
async function askPart(of: OfSeveral, shard: string, indexes: readonly number[]): Promise<Parts> {
  const { options, places, call, route, accountIds } = of;
  const params = route.only(call.params, indexes);
  try {
    const running = askShard(options, places.shard(shard), { ...call, params });
    const answer = await (route.ofAway === undefined ? running : patiently(options.clock, running));
    return await followLost(of, shard, { answer, indexes });
  } catch (error) {
    if (error instanceof AccountAway && route.ofAway !== undefined) return [{ answer: route.ofAway(params), indexes }];
    if (!(error instanceof AccountElsewhere)) throw error;
    await places.locate(indexes.map((index) => accountIds[index] ?? ""));
    return await askMoved(of, indexes);
  }
}

/** The answer, and behind it those of items that were lost there because their account has moved. */
async function followLost(of: OfSeveral, shard: string, part: PartAnswer<Answer>): Promise<Parts> {
  const lost = of.route.lost?.(part.answer).map((place) => part.indexes[place] ?? 0) ?? [];
  return [part, ...(await askMoved(of, await findMoved(of, shard, lost)))];
}

/** Those of the items that the directory has in another shard than the one that was asked. */
async function findMoved({ places, accountIds }: OfSeveral, shard: string, lost: readonly number[]): Promise<number[]> {
  if (lost.length === 0) return [];
  const found = await places.locate(lost.map((index) => accountIds[index] ?? ""));
  return lost.filter((index) => found.get(accountIds[index] ?? "")?.shard !== shard);
}

/** Once more, where the directory says. */
async function askMoved({ options, places, call, route, accountIds }: OfSeveral, moved: readonly number[]) {
  const byShard = Map.groupBy(moved, (index) => places.remembered(accountIds[index] ?? ""));
  return await Promise.all(
    [...byShard].map(async ([shard, indexes]) => {
      const asked = { ...call, params: route.only(call.params, indexes), mayBeMissing: true };
      return { answer: await askShard(options, places.shard(shard), asked), indexes };
    }),
  );
}

/**
 * A record of the inbox goes in the transaction of its event where both are in one shard. Elsewhere it is held until
 * that has committed, and goes then: a node that dies in between leaves it there, and when it is taken again the
 * event's key is known.
 */
async function askShard({ acceptElsewhere }: ShardsOptions, shard: Shard, call: PostgresCall): Promise<Answer> {
  const { params } = call;
  const given = "events" in params ? params.events : [];
  const seqs = seqsOf(given);
  if (shard.name === HOME_SHARD || seqs.length === 0) return await shard.call(call);
  return await acceptElsewhere(seqs, async (gone) => {
    const isGone = ({ inboxSeq }: NewEvent) => gone.has(inboxSeq ?? 0);
    const there = given.filter((event) => !isGone(event));
    const events = there.map((event) => ({ ...event, inboxSeq: null }));
    const asked = { ...call, params: { ...params, events } } as PostgresCall;
    const answers = events.length === 0 ? [] : ((await shard.call(asked)) as VerbAnswer<"acceptEvents">);
    const byEvent = new Map(there.map((event, place) => [event, answers[place]]));
    const accepted = seqsOf(there.filter((event) => byEvent.get(event)?.kind !== "config_changed"));
    const value = given.map((event) => byEvent.get(event) ?? toGone(event));
    return { value, accepted };
  });
}

const toGone = ({ id, deliveries }: NewEvent) =>
  ({ kind: "duplicate", eventId: id, deliveries: deliveries.length, differs: false }) as const;

async function patiently<Value>(clock: Pick<Clock, "after">, running: Promise<Value>): Promise<Value> {
  const answered = await inTime(
    clock,
    PATIENCE_MS,
    running.then((value) => ({ value })),
  );
  if (answered === null) throw new AccountAway("the server that has these accounts does not answer");
  return answered.value;
}

/** Nobody knows a token only when each shard has said so. */
async function byToken({ list }: ShardsOptions, call: PostgresCall, route: ByToken<Answer>): Promise<Answer> {
  const ended = await Promise.allSettled(list().map((shard) => shard.call(call)));
  const answers = ended.flatMap((part) => (part.status === "fulfilled" ? [part.value] : []));
  const known = answers.find((answer) => route.isKnown(answer));
  if (known !== undefined) return known;
  const failed = ended.find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return answers[0];
}

/** Each time another shard is the first, so that none is always left with the rest. */
function createCallAll(options: ShardsOptions) {
  const { list, clock, onAll = () => {} } = options;
  let first = 0;

  async function inTurns(call: PostgresCall, rest: NonNullable<InAll<Params, Answer>["rest"]>, route: Joining) {
    const shards = list();
    first = (first + 1) % shards.length;
    const answers = new Map<string, Answer>();
    let failure: unknown = null;
    let found: Answer | null = null;
    for (const shard of [...shards.slice(first), ...shards.slice(0, first)]) {
      const params = answers.size === 0 ? call.params : rest(call.params, found);
      if (params === null) {
        found = route.cut?.(found) ?? found;
        break;
      }
      try {
        const answer = await shard.call({ ...call, params });
        found = answers.size === 0 ? answer : route.join(found, answer);
        answers.set(shard.name, answer);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        failure = error;
      }
    }
    return { answers, found, failure };
  }

  /** One that hangs keeps no other from its answer. */
  async function atOnce(call: PostgresCall, route: Joining) {
    const answers = new Map<string, Answer>();
    let failure: unknown = null;
    let found: Answer | null = null;
    const asked = list().map(async (shard) => ({ shard, answer: await patiently(clock, shard.call(call)) }));
    for (const part of await Promise.allSettled(asked)) {
      if (part.status === "fulfilled") {
        found = answers.size === 0 ? part.value.answer : route.join(found, part.value.answer);
        answers.set(part.value.shard.name, part.value.answer);
      } else if (part.reason instanceof StoreUnavailable) failure = part.reason;
      else throw part.reason;
    }
    return { answers, found, failure };
  }

  return async (call: PostgresCall, route: InAll<Params, Answer>): Promise<Answer> => {
    const { rest, without = (answer: Answer) => answer } = route;
    const { answers, found, failure } = await (rest === undefined ? atOnce(call, route) : inTurns(call, rest, route));
    if (answers.size === 0 && failure !== null) throw failure;
    onAll(call.verb, answers);
    return failure === null ? found : without(found);
  };
}

type Joining = Pick<InAll<Params, Answer>, "join" | "cut">;
