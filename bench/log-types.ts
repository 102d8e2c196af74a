/**
 * An account of many event types: 60 webhooks, the first with five types, every tenth with all 200, the others with
 * three each. More than half of the events are of one type, and some types have hardly any.
 */
import { createEventTypes } from "../src/events/event-types.ts";
import { toDeclaration } from "../src/events/declared/declared.kit.ts";
import type { ListDeliveries, ListEvents } from "../src/store/contract/log.ts";
import type { Store } from "../src/store/contract/store.ts";
import { parsePhrases } from "../src/domain/search-words.ts";
import { TOTAL_ROWS_MAX } from "../src/dashboard/deliveries/total.ts";
import { companyOf, wordOf } from "./log-bodies.ts";
import type { MadeAccount, TypesOfHistory } from "./log-history.ts";

export const WEBHOOKS = 60;
const TYPES = 200;
/** Its types are 0 to 4. */
const FIVE = 0;

const nameOf = (n: number): string => `type_${n}`;

const DECLARED = { headline: ["/lead/email"], search: ["/lead/email", "/buyer_reveal/company_name"] };
const textNode = { type: "string" } as const;
const schema = {
  type: "object",
  required: ["id"],
  properties: {
    id: textNode,
    lead: { type: "object", properties: { email: textNode } },
    buyer_reveal: { type: "object", properties: { company_name: textNode } },
  },
} as const;

/** All but the last one, which is of an installation that declares it no more. */
export const BENCH_TYPES = createEventTypes(
  Array.from({ length: TYPES - 1 }, (_, n) => toDeclaration({ type: nameOf(n), schema, ...DECLARED })),
);

const wantsAll = (place: number): boolean => place % 10 === 9;

/** One that all have, one that some have, and one of its own. */
const threeOf = (place: number): readonly number[] => [0, 1 + (place % 5), 6 + place];

const fiveOf = [0, 1, 2, 3, 4] as const;

export const TYPES_OF_HISTORY: TypesOfHistory = {
  wantedBy: (place) => {
    if (wantsAll(place)) return "all";
    return (place === FIVE ? fiveOf : threeOf(place)).map((n) => ({ type: nameOf(n), conditions: null }));
  },
  // Of all: by the square, so that the last types have some hundred deliveries of a million.
  typeOf: (place, unit) => {
    if (wantsAll(place)) return nameOf(Math.floor(TYPES * (1 - Math.sqrt(1 - unit ** 2))));
    const some = place === FIVE ? fiveOf : threeOf(place);
    return nameOf(some[Math.floor(some.length * unit ** 2)] ?? 0);
  },
};

interface Context {
  readonly store: Store;
  readonly account: MadeAccount;
  readonly nowMs: number;
}

const PAGE_ROWS = 50;

/** Of a million: half a million, some 40,000, 3,000, some hundred, hardly any, and those of a type that is gone. */
const SHARES = { frequent: 0, common: 1, usual: 20, seldom: 100, rare: 195, gone: TYPES - 1 } as const;

export async function typeQuestions(context: Context) {
  const { store, account, nowMs } = context;
  const accountId = account.id;
  const [five, all] = [account.destinations[FIVE]?.id ?? "", account.destinations[9]?.id ?? ""];
  const list = (filter: Partial<ListDeliveries>) => () =>
    store.listDeliveries({ accountId, withTests: false, before: null, limit: PAGE_ROWS, ...filter });
  const total = (filter: Partial<ListDeliveries>) => () =>
    store.countDeliveries({ accountId, withTests: false, ...filter, rowsMax: TOTAL_ROWS_MAX });
  const events = (parts: Partial<ListEvents>) => () =>
    store.listEvents({ accountId, type: null, before: null, limit: PAGE_ROWS + 1, ...parts });
  const [newest] = await events({})();
  const seq = Math.floor((newest?.seq ?? 0) / 2);
  const found = (text: string, type: string | null) => () =>
    store.searchEvents({ accountId, type, phrases: parsePhrases(text), before: null, limit: PAGE_ROWS, nowMs });
  const searched = (text: string, type: string) => () => {
    const page = { accountId, type, withTests: false, before: null, limit: PAGE_ROWS, nowMs };
    return store.searchDeliveries({ ...page, phrases: parsePhrases(text) });
  };
  const ofTypes = Object.entries(SHARES).flatMap(([name, n]) => {
    const type = nameOf(n);
    return [
      { name: `log, a ${name} type`, ask: list({ type }) },
      { name: `log, a ${name} type, failed`, ask: list({ type, statuses: ["failed"] }) },
      { name: `log, a ${name} type, delivered`, ask: list({ type, statuses: ["delivered"] }) },
      { name: `log, a ${name} type, no answer`, ask: list({ type, response: "none" }) },
      { name: `log, a ${name} type, waiting`, ask: list({ type, statuses: ["waiting"] }) },
      { name: `total, a ${name} type`, ask: total({ type }) },
      { name: `total, a ${name} type, failed`, ask: total({ type, statuses: ["failed"] }) },
      { name: `events, a ${name} type`, ask: events({ type }) },
      { name: `search, a company in a ${name} type`, ask: searched(companyOf(13), type) },
      { name: `search, a frequent word in a ${name} type`, ask: searched(wordOf(3), type) },
    ];
  });
  return [
    ...ofTypes,
    { name: "log, one of five types of a webhook", ask: list({ type: nameOf(4), destinationId: five }) },
    {
      name: "log, one of five types of a webhook, failed",
      ask: list({ type: nameOf(4), destinationId: five, statuses: ["failed"] }),
    },
    {
      name: "log, a usual type of a webhook that wants all",
      ask: list({ type: nameOf(SHARES.usual), destinationId: all }),
    },
    { name: "total, one of five types of a webhook", ask: total({ type: nameOf(4), destinationId: five }) },
    { name: "events of all types", ask: events({}) },
    { name: "events of all types, deep page", ask: events({ before: { seq } }) },
    { name: "search, events of all types by a company", ask: found(companyOf(13), null) },
    { name: "activity", ask: () => store.loadActivity({ accountId, sinceMs: nowMs - 300_000 }) },
  ];
}
