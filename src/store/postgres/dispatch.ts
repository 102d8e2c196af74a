/**
 * Sends each call where it belongs (`places.ts`): to one bucket, to each group that it names accounts of, to all groups
 * one after the other, or to the installation's own tables.
 *
 * Invariant: a group that is away fails only its own calls (`away-groups.ts`). Calls that look everywhere pass it over.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Call, VerbAnswer } from "../calls.ts";
import { StoreUnavailable } from "../contract/store.ts";
import type { VerbName } from "../contract/verbs.ts";
import type { AttemptColumns } from "./attempts.ts";
import type { Where } from "./bucket-text.ts";
import { createAwayGroups } from "./away-groups.ts";
import { EVERYWHERE, type Group, type Groups } from "./groups.ts";
import { type InAll, type Params, type PartAnswer, type Place, PLACES, type Split } from "./places.ts";

type PostgresCall = Call<AttemptColumns>;
type Answer = VerbAnswer<VerbName>;

export interface DispatchOptions {
  readonly groups: Groups;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Runs a call in some buckets of one group. */
  readonly run: (call: PostgresCall, where: Where) => Promise<Answer>;
  /** Before and after a call that looks everywhere, where there are several groups. */
  readonly aroundAll: (call: PostgresCall, ask: () => Promise<Answer>) => Promise<Answer>;
}

export type Dispatch = (call: PostgresCall) => Promise<Answer>;

export function createDispatch(options: DispatchOptions): Dispatch {
  const { groups, run, aroundAll } = options;
  const isShared = groups.all.length > 1;
  const inGroup = createInGroup(options);
  const inAll = createInAll(groups, inGroup);
  return async (call) => {
    // The place of a verb takes that verb's params: `storeOver`, which makes every call, made sure of it.
    const place = PLACES[call.verb] as Place<VerbName>;
    switch (place.kind) {
      case "local":
        return await run(call, EVERYWHERE);
      case "one bucket": {
        const bucket = place.bucketOf(call.params);
        return await inGroup(groups.of(bucket), call, [bucket]);
      }
      case "split":
        // With one group nothing is to be split: the event's path looks no bucket up for it.
        return await (isShared ? runSplit({ groups, inGroup }, call, place) : run(call, EVERYWHERE));
      case "in all":
        return await (isShared ? aroundAll(call, () => inAll(call, place)) : inAll(call, place));
    }
  };
}

type InGroup = (group: Group, call: PostgresCall, buckets: readonly number[]) => Promise<Answer>;

function createInGroup({ groups, clock, run }: DispatchOptions): InGroup {
  if (groups.all.length === 1) return (_, call, buckets) => run(call, groups.where(buckets));
  const away = createAwayGroups(clock);
  return (group, call, buckets) => away.guard(group, () => run(call, groups.where(buckets)));
}

/** All parts are waited for: one that fails says nothing about the others, and a call that is repeated finds them. */
async function runSplit(
  { groups, inGroup }: { readonly groups: Groups; readonly inGroup: InGroup },
  call: PostgresCall,
  { bucketsOf, only, join }: Split<VerbName>,
): Promise<Answer> {
  const buckets = bucketsOf(call.params);
  const places = Map.groupBy(buckets.keys(), (place) => groups.of(buckets[place] ?? 0));
  const [group = groups.all[0] ?? [], ...others] = places.keys();
  if (others.length === 0) return await inGroup(group, call, group);
  const parts = [...places].map(async ([each, itsPlaces]): Promise<PartAnswer<VerbName>> => {
    const params = only(call.params, itsPlaces);
    return { answer: await inGroup(each, { ...call, params }, each), places: itsPlaces };
  });
  const ended = await Promise.allSettled(parts);
  const failed = ended.find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return join(ended.flatMap((part) => (part.status === "fulfilled" ? [part.value] : [])));
}

/** Each time another group is the first, so that none is always left with the rest. */
function createInAll(groups: Groups, inGroup: InGroup) {
  let turn = 0;
  return async (call: PostgresCall, { rest, join, cut }: InAll<VerbName>): Promise<Answer> => {
    turn = (turn + 1) % groups.all.length;
    const walk = [...groups.all.slice(turn), ...groups.all.slice(0, turn)];
    let found: { readonly answer: Answer } | null = null;
    let failure: unknown = null;
    for (const group of walk) {
      const params: Params<VerbName> | null = found === null ? call.params : rest(call.params, found.answer);
      if (params === null) return found === null || cut === undefined ? found?.answer : cut(found.answer);
      try {
        const answer = await inGroup(group, { ...call, params }, group);
        found = { answer: found === null ? answer : join(found.answer, answer) };
      } catch (error) {
        if (groups.all.length === 1 || !(error instanceof StoreUnavailable)) throw error;
        failure = error;
      }
    }
    if (found === null) throw failure;
    return found.answer;
  };
}
