/**
 * The body that a test sends unless it is edited: the account's latest session or conversation exactly as it was sent,
 * or the family's own sample with this account's addresses while there is none.
 */
import type { EventType } from "../../domain/event.ts";
import { EVENT_FAMILIES } from "../../events/catalog.ts";
import { assert } from "../../lib/assert.ts";
import type { LogVerbs } from "../../store/contract/log.ts";
import type { SampleBody } from "../contract/alerts.ts";

export interface WantedSample {
  readonly accountId: string;
  readonly appUrl: string;
  readonly type: EventType;
  /** Its own latest conversation comes before those of others. */
  readonly assistantId?: string;
}

export async function findSampleBody(
  store: Pick<LogVerbs, "listEvents" | "loadEvent">,
  { accountId, appUrl, type, assistantId }: WantedSample,
): Promise<SampleBody> {
  const own = assistantId === undefined ? null : await latestBody(store, { accountId, type, assistantId });
  const body = own ?? (await latestBody(store, { accountId, type }));
  return body === null ? { body: builtInBody(type, appUrl), from: "built_in" } : { body, from: "latest" };
}

/** The latest one is enough: where its payload is purged, so are those of all before it. */
async function latestBody(
  store: Pick<LogVerbs, "listEvents" | "loadEvent">,
  wanted: { readonly accountId: string; readonly type: EventType; readonly assistantId?: string },
): Promise<string | null> {
  const [latest] = await store.listEvents({ ...wanted, before: null, limit: 1 });
  if (latest === undefined) return null;
  const { accountId, type } = wanted;
  const event = await store.loadEvent({ accountId, type, sourceId: latest.sourceId });
  return event?.body ?? null;
}

/** From the record that stands in the documentation, by the same builder as real ones. */
export function builtInBody(type: EventType, appUrl: string): string {
  const family = EVENT_FAMILIES[type];
  const parsed = family.parse(JSON.stringify(family.sampleRecord));
  assert(parsed.ok, `the sample of ${type} is accepted by its own family`);
  return parsed.value.buildBody({ appUrl });
}
