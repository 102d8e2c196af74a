/**
 * An account's latest events of some types with their payloads, for trying conditions and bodies on them. Bounded by
 * number and by size: a body may have a megabyte, and a form asks again whenever somebody stops typing.
 */
import { type ReadField } from "../../domain/conditions.ts";
import { mayLoseDigits, parseExactJson } from "../../events/exact-json.ts";
import type { EventType } from "../../events/event-type.ts";
import { type Payload, createFieldReader } from "../../events/payload.ts";
import { mapInSlices } from "../../lib/rounds.ts";
import type { ListedEvent, LogVerbs } from "../../store/contract/log.ts";
import type { DashboardContext } from "../call/context.ts";

export interface LatestEvent {
  readonly event: ListedEvent;
  readonly payload: Payload;
  readonly readField: ReadField;
}

/** An event with the text of its body; the example of a type is one too. */
export interface StoredBody {
  readonly event: Pick<ListedEvent, "id" | "type" | "acceptedAtMs" | "about"> & { readonly sourceId: string | null };
  readonly body: string;
}

export interface WantedLatest {
  readonly accountId: string;
  readonly types: readonly EventType[];
  readonly assistantId?: string;
}

const EVENTS_MAX = 50;
/** Read at once: what the next line allows may be exceeded by these. */
const AT_ONCE = 5;
/** 50 bodies of usual size are a tenth of it. */
const BODY_CHARS_MAX = 4 * 1024 * 1024;

/** Newest first, and in slices: what conditions cost for 50 events would stop all other work for half a second. */
export async function mapLatest<Value>(
  ctx: DashboardContext,
  wanted: WantedLatest,
  toValue: (latest: LatestEvent) => Value,
): Promise<readonly Value[]> {
  return await mapLatestBodies(ctx, wanted, ({ event, body }) => {
    const payload = readPayload(body);
    return toValue({ event, payload, readField: createFieldReader(() => payload) });
  });
}

/** The same with bodies as they were accepted. */
export async function mapLatestBodies<Value>(
  ctx: DashboardContext,
  wanted: WantedLatest,
  toValue: (found: FoundBody) => Value,
): Promise<readonly Value[]> {
  return await mapInSlices(ctx.accounts.clock, await readBodies(ctx, wanted), toValue);
}

interface FoundBody extends StoredBody {
  readonly event: ListedEvent;
}

async function readBodies({ accounts: { store } }: DashboardContext, wanted: WantedLatest) {
  const { accountId } = wanted;
  const listed = await listNewest(store, wanted, EVENTS_MAX);
  const found: FoundBody[] = [];
  for (let place = 0, chars = 0; place < listed.length && chars < BODY_CHARS_MAX; place += AT_ONCE) {
    const some = listed.slice(place, place + AT_ONCE);
    const loaded = await Promise.all(some.map(({ type, sourceId }) => store.loadEvent({ accountId, type, sourceId })));
    for (const event of loaded) {
      // Where one payload is purged, so are those of all before it.
      if (event === null || event.body === null) return found;
      found.push({ event, body: event.body });
      chars += event.body.length;
    }
  }
  return found;
}

/** More types than these are looked for among the account's newest events of all types: one question, and not 200. */
const TYPES_ASKED_MAX = 5;

/** Newest first, without payloads. */
export async function listNewest(
  store: Pick<LogVerbs, "listEvents">,
  { types, ...wanted }: WantedLatest,
  limit: number,
): Promise<readonly ListedEvent[]> {
  const names = types.map(({ type }) => type);
  const asked = names.length > TYPES_ASKED_MAX ? [null] : names;
  const lists = await Promise.all(asked.map((type) => store.listEvents({ ...wanted, type, before: null, limit })));
  return lists
    .flat()
    .filter(({ type }) => names.includes(type))
    .toSorted((one, other) => other.seq - one.seq)
    .slice(0, limit);
}

/** A body was made by this service, of a record that it had checked. */
export const readPayload = (body: string): Payload =>
  (mayLoseDigits(body) ? parseExactJson(body) : JSON.parse(body)) as Payload;
