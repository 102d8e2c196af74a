/** The searches that the log is measured with: for rare and frequent words, alone and with filters. */
import type { DeliveryCursor } from "../src/store/contract/log.ts";
import type { SearchDeliveries } from "../src/store/contract/search.ts";
import type { Store } from "../src/store/contract/store.ts";
import { splitFieldValues } from "../src/domain/field-values.ts";
import { parsePhrases } from "../src/domain/search-words.ts";
import { companyOf, emailOf, wordOf } from "./log-bodies.ts";
import { searchLog } from "../src/dashboard/deliveries/search.ts";
import type { MadeAccount } from "./log-history.ts";
import { toReadContext } from "./log-reads.ts";

interface Context {
  readonly store: Store;
  readonly account: MadeAccount;
  readonly nowMs: number;
}

const PAGE_ROWS = 50;

/** Takes everything into the index; returns how long that took. */
export async function indexAll(store: Store): Promise<number> {
  const startedMs = performance.now();
  const limits = { eventsMax: 500, bytesMax: 2 ** 20 };
  while ((await store.indexEvents({ nowMs: Date.now(), ...limits })).hasMore);
  return performance.now() - startedMs;
}

/** Events that the widest search for a field's value has looked into. */
let mostLookedAt = 0;

export function describeLookedAt(): string {
  const days = (eventsADay: number): string => (mostLookedAt / eventsADay).toFixed(2);
  return `a field's value: ${mostLookedAt} events, ${days(10_000)} days of 10,000, ${days(100_000)} of 100,000 a day`;
}

interface SearchQuestion {
  readonly name: string;
  readonly ask: () => Promise<unknown>;
  readonly msMax?: number;
}

/** Some 20,000 bodies are looked at. The aim of issue 48. */
const VALUES_MS_MAX = 500;

export function searchQuestions({ store, account, nowMs }: Context): SearchQuestion[] {
  const accountId = account.id;
  let turn = 0;
  const find = (query: () => string, filter: Partial<SearchDeliveries> = {}) => {
    const wanted = { accountId, withTests: false, before: null as DeliveryCursor | null, limit: PAGE_ROWS };
    return async () => {
      turn += 1;
      const { values, rest } = splitFieldValues(query());
      const asked = { ...wanted, phrases: parsePhrases(rest), values, ...filter };
      if (values.length === 0) return await store.searchDeliveries({ ...asked, nowMs });
      const { lookedAt } = await searchLog(toReadContext(store), asked);
      mostLookedAt = Math.max(mostLookedAt, lookedAt ?? 0);
      return lookedAt;
    };
  };
  const events = (query: () => string, type: "demo_viewed" | "chat_conversation_completed") => async () => {
    turn += 1;
    const page = { before: null, limit: PAGE_ROWS, nowMs };
    return await store.searchEvents({ accountId, type, phrases: parsePhrases(query()), ...page });
  };
  const destinationId = account.destinations[0]?.id ?? "";
  return [
    { name: "search, an e-mail", ask: find(() => emailOf(turn * 97)) },
    { name: "search, a name", ask: find(() => wordOf((turn * 131) % 20_000)) },
    { name: "search, a company", ask: find(() => companyOf(turn * 13)) },
    { name: "search, the beginning of a name", ask: find(() => wordOf((turn * 131) % 20_000).slice(0, 3)) },
    { name: "search, two letters", ask: find(() => "ka") },
    { name: "search, a frequent word", ask: find(() => wordOf(3)) },
    { name: "search, a rare word", ask: find(() => wordOf(7_000 + (turn % 900))) },
    { name: "search, two frequent words", ask: find(() => `${wordOf(3)} ${wordOf(5)}`) },
    { name: "search, a name and a rare word", ask: find(() => `${wordOf(turn)} ${wordOf(7_500)}`) },
    { name: "search, a field's value", ask: find(() => `lead.email:${emailOf(turn * 97)}`), msMax: VALUES_MS_MAX },
    { name: "search, a field's value that all have", ask: find(() => "intent_level:high") },
    { name: "search, a field's value that none has", ask: find(() => "intent_level:zzzzzz"), msMax: VALUES_MS_MAX },
    { name: "search, a field that none has", ask: find(() => "utm_sorce:google"), msMax: VALUES_MS_MAX },
    { name: "search, nothing", ask: find(() => "zzzzzz") },
    { name: "search, nothing, of words that are there", ask: find(() => `${wordOf(19_001)} ${wordOf(19_777)}`) },
    { name: "search, an e-mail that failed", ask: find(() => emailOf(turn * 97), { statuses: ["failed"] }) },
    { name: "search, a frequent word that failed", ask: find(() => wordOf(3), { statuses: ["failed"] }) },
    { name: "search, a frequent word of one webhook", ask: find(() => wordOf(3), { destinationId }) },
    { name: "search, sessions by name", ask: events(() => wordOf((turn * 131) % 20_000), "demo_viewed") },
    { name: "search, conversations by a word", ask: events(() => wordOf(40), "chat_conversation_completed") },
  ];
}
