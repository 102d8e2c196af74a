/**
 * On several servers: sends each call along its route (`../../contract/verb-table.ts`), to one bucket, to each group
 * that it names accounts of, to the groups or servers that may have something, or to the installation's own tables.
 *
 * Invariant: a server that is away fails only the calls of its own groups (`../buckets/servers.ts`). Calls that look
 * everywhere pass it over, and fail where all are away.
 */
import { type Clock, inTime } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import type { Call, VerbAnswer } from "../../calls.ts";
import { AccountAway, StoreUnavailable, type VerbName, VERBS } from "../../contract/store.ts";
import type { ByServer, InAll, Route, Split } from "../../contract/verb-table.ts";
import type { AttemptColumns } from "../attempts.ts";
import type { Where } from "../buckets/bucket-text.ts";
import { EVERYWHERE, type Group, type Groups } from "../buckets/groups.ts";
import { type Found, type Look, LOOKS } from "./looks.ts";
import type { Servers } from "../buckets/servers.ts";
import type { NodeMemory } from "../transaction.ts";

type PostgresCall = Call<AttemptColumns>;
type Answer = VerbAnswer<VerbName>;
type AnyLook = Look<VerbName>;
type Params = PostgresCall["params"];

export interface DispatchOptions {
  readonly groups: Groups;
  readonly servers: Pick<Servers, "list">;
  readonly clock: Pick<Clock, "after">;
  readonly node: NodeMemory;
  /** Runs a call in some buckets. */
  readonly run: (call: PostgresCall, where: Where) => Promise<Answer>;
  /** Asks some groups what is to be done there; `null`: asks the installation's own tables. */
  readonly look: (call: PostgresCall, look: AnyLook, groups: readonly Group[] | null) => Promise<Found>;
  /** Before and after a call that goes from group to group. */
  readonly aroundAll: (call: PostgresCall, ask: () => Promise<Answer>) => Promise<Answer>;
  /** Hears what each group that was reached has answered to a call that goes from group to group. */
  readonly onVisits?: (verb: VerbName, answers: ReadonlyMap<Group, Answer>) => void;
}

export type Dispatch = (call: PostgresCall) => Promise<Answer>;

/** Timeout per server when all are queried; the health check finds servers that hang. Guess. */
const PATIENCE_MS = secondsMs(1);

export function createDispatch(options: DispatchOptions): Dispatch {
  const { groups, run, aroundAll } = options;
  const inAll = createInAll(options);
  return async (call) => {
    // The route of a verb takes that verb's params: `storeOver`, which makes every call, made sure of it.
    const route = VERBS[call.verb].route as Route<Params, Answer>;
    switch (route.kind) {
      case "local":
        return await run(call, EVERYWHERE);
      case "one bucket":
        return await run(call, groups.where([route.bucketOf(call.params)]));
      case "split":
        return await runSplit(options, call, route);
      case "in all":
        return await aroundAll(call, () => inAll(call, route));
      case "by server":
        return await runByServer(options, call, route);
    }
  };
}

/** All parts are waited for: one that fails says nothing about the others, and a call that is repeated finds them. */
async function runSplit(options: DispatchOptions, call: PostgresCall, route: Split<Params, Answer>): Promise<Answer> {
  const { groups, run } = options;
  const { bucketsOf, only, join, ofAway } = route;
  const buckets = bucketsOf(call.params);
  const byGroup = Map.groupBy(buckets.keys(), (index) => groups.of(buckets[index] ?? 0));
  const parts = [...byGroup].map(async ([group, indexes]) => {
    const params = byGroup.size === 1 ? call.params : only(call.params, indexes);
    const running = run({ ...call, params }, groups.where(group));
    if (ofAway === undefined) return { answer: await running, indexes };
    const answer = await patiently(options.clock, running).catch((error: unknown) => {
      if (error instanceof AccountAway) return ofAway(params);
      throw error;
    });
    return { answer, indexes };
  });
  const ended = await Promise.allSettled(parts);
  const failed = ended.find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const answered = ended.flatMap((part) => (part.status === "fulfilled" ? [part.value] : []));
  const [first] = answered;
  return answered.length === 1 && first !== undefined ? first.answer : join(answered);
}

async function patiently<Value>(clock: Pick<Clock, "after">, running: Promise<Value>): Promise<Value> {
  const answered = await inTime(
    clock,
    PATIENCE_MS,
    running.then((value) => ({ value })),
  );
  if (answered === null) throw new AccountAway("the server that has these accounts does not answer");
  return answered.value;
}

/** One statement for all groups of a server. */
async function runByServer(
  { groups, servers, clock, run }: DispatchOptions,
  call: PostgresCall,
  { join }: ByServer<Answer>,
): Promise<Answer> {
  const ended = await Promise.allSettled(
    servers.list().map((server) => patiently(clock, run(call, groups.where(server.groups.flat())))),
  );
  const answers = ended.flatMap((part) => (part.status === "fulfilled" ? [part.value] : []));
  const failure = ended.find((part) => part.status === "rejected" && !(part.reason instanceof StoreUnavailable));
  const [first, ...others] = answers;
  if (failure?.status === "rejected") throw failure.reason;
  if (first === undefined) throw ended[0]?.status === "rejected" ? ended[0].reason : new AccountAway("no server");
  return others.reduce(join, first);
}

const SAME = (answer: Answer): Answer => answer;

/** Each time another group is the first, so that none is always left with the rest. */
function createInAll(options: DispatchOptions) {
  const { groups, node, run, onVisits = () => {} } = options;
  let turn = 0;
  return async (
    call: PostgresCall,
    { none, rest, join, cut, without = SAME }: InAll<Params, Answer>,
  ): Promise<Answer> => {
    const look: AnyLook | undefined = LOOKS[call.verb];
    const looked = await findVisits(options, call, look);
    turn = (turn + 1) % groups.all.length;
    const walk = [...groups.all.slice(turn), ...groups.all.slice(0, turn)].filter((group) => looked.visits.has(group));
    const answers = new Map<Group, Answer>();
    let found = none;
    let { failure } = looked;
    for (const group of walk) {
      const params = answers.size === 0 ? call.params : rest(call.params, found);
      if (params === null) return cut === undefined ? found : cut(found);
      try {
        const answer = await run({ ...call, params }, groups.where(group));
        look?.note?.(node.ofGroup(group[0] ?? 0), call.params, answer);
        found = answers.size === 0 ? answer : join(found, answer);
        answers.set(group, answer);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        failure = error;
      }
    }
    if (answers.size === 0 && !looked.hasAnswered && failure !== null) throw failure;
    for (const group of looked.quiet) answers.set(group, none);
    onVisits(call.verb, answers);
    return failure === null ? found : without(found);
  };
}

interface Looked {
  readonly visits: ReadonlySet<Group>;
  /** Those that have nothing to do. */
  readonly quiet: ReadonlySet<Group>;
  /** A server has. */
  readonly hasAnswered: boolean;
  readonly failure: unknown;
}

async function findVisits(options: DispatchOptions, call: PostgresCall, look: AnyLook | undefined): Promise<Looked> {
  const { groups, node } = options;
  const quiet = new Set<Group>();
  if (look === undefined) return { visits: new Set(groups.all), quiet, hasAnswered: false, failure: null };
  const isAnyway = look.anyway?.(node, call.params) ?? (() => false);
  const visits = new Set(groups.all.filter(isAnyway));
  if (look.askLocal !== undefined) {
    for (const group of toGroupsOf(groups.all, await options.look(call, look, null))) visits.add(group);
    return { visits, quiet, hasAnswered: true, failure: null };
  }
  if (look.ask === undefined) return { visits, quiet, hasAnswered: visits.size === 0, failure: null };
  const asked = await askServers(options, call, look);
  for (const group of asked.unasked) visits.delete(group);
  for (const group of asked.found) visits.add(group);
  for (const group of asked.answered) {
    if (visits.has(group)) continue;
    quiet.add(group);
    look.note?.(node.ofGroup(group[0] ?? 0), call.params, null);
  }
  return { visits, quiet, hasAnswered: asked.answered.length > 0, failure: asked.failure };
}

/** All at once: one that hangs keeps none from its answer. */
async function askServers({ servers, clock, look: ask }: DispatchOptions, call: PostgresCall, look: AnyLook) {
  const found: Group[] = [];
  const answered: Group[] = [];
  const unasked: Group[] = [];
  let failure: unknown = null;
  await Promise.all(
    servers.list().map(async ({ groups }) => {
      try {
        found.push(...toGroupsOf(groups, await patiently(clock, ask(call, look, groups))));
        answered.push(...groups);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        failure = error;
        unasked.push(...groups);
      }
    }),
  );
  return { found, answered, unasked, failure };
}

function toGroupsOf(groups: readonly Group[], found: Found): readonly Group[] {
  if (found === "all") return groups;
  const buckets = new Set(found);
  return groups.filter((group) => group.some((bucket) => buckets.has(bucket)));
}
