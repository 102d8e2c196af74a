/**
 * The body that a test sends unless it is edited: the account's latest event of those that its webhook gets, exactly as
 * it was sent, or the first type's own example with this account's addresses while there is none.
 */
import type { AccountsContext } from "../../accounts/context.ts";
import type { EventType } from "../../events/event-type.ts";
import { assert } from "../../lib/assert.ts";
import type { LogVerbs } from "../../store/contract/log.ts";
import { type WantedLatest, listNewest } from "../conditions/latest-events.ts";
import type { SampleBody } from "../contract/alerts.ts";

export interface WantedSample {
  readonly accountId: string;
  readonly appUrl: string;
  /** It is of one of these; the first one's example while the account has no event. */
  readonly types: readonly EventType[];
  /** Its own latest event comes before those of other assistants. */
  readonly assistantId?: string;
}

export async function findSampleBody(
  { store }: Pick<AccountsContext, "store">,
  { accountId, appUrl, types, assistantId }: WantedSample,
): Promise<SampleBody> {
  const own = assistantId === undefined ? null : await latestBody(store, { accountId, types, assistantId });
  const body = own ?? (await latestBody(store, { accountId, types }));
  const [first] = types;
  assert(first !== undefined, `no event goes to this webhook`);
  return body === null ? { body: builtInBody(first, appUrl), from: "built_in" } : { body, from: "latest" };
}

/** The latest one is enough: where its payload is purged, so are those of all before it. */
async function latestBody(
  store: Pick<LogVerbs, "listEvents" | "loadEvent">,
  wanted: WantedLatest,
): Promise<string | null> {
  const [latest] = await listNewest(store, wanted, 1);
  if (latest === undefined) return null;
  const { type, sourceId } = latest;
  const event = await store.loadEvent({ accountId: wanted.accountId, type, sourceId });
  return event?.body ?? null;
}

/** From the record that stands in the documentation, by the same builder as real ones. */
export function builtInBody({ type, example, parse }: EventType, appUrl: string): string {
  const parsed = parse(JSON.stringify(example));
  assert(parsed.ok, `the example of ${type} is accepted by its own type`);
  return parsed.value.buildBody({ appUrl });
}
