/**
 * The log's filters as they stand in the address. A person who edits an address, or follows an old link, is
 * told which part cannot be read: without a filter that was dropped quietly the list would be another one.
 */
import { DELIVERY_STATUSES, toDeliveryId } from "../../domain/delivery.ts";
import { TYPE_NAME } from "../../domain/event.ts";
import { type FieldError, problem, type Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { parsePhrases, type Phrase } from "../../domain/search-words.ts";
import { findPasted } from "../../lib/pasted.ts";
import type { ListDeliveries } from "../../store/contract/log.ts";
import { PHRASES_MAX } from "../../store/contract/search.ts";
import { readDeliveryCursor } from "../call/cursor.ts";

/** With an id or with words, or with neither. */
export type DeliveryFilter = Omit<ListDeliveries, "accountId" | "limit"> & {
  readonly phrases?: readonly Phrase[];
};

/** Names as in `DeliveryQuery`; numbers are still text. */
export type QueryText = Readonly<Record<string, string | undefined>>;

const NAMES = ["status", "event", "destination", "response", "from", "to", "q", "tests", "cursor"];

/** Of an id, which has 30 to 36, and of a search, where a sentence goes in: more is a paste by mistake. */
const TEXT_CHARS_MAX = 200;

export function readDeliveryQuery(query: QueryText): Result<DeliveryFilter> {
  const errors: FieldError[] = unknownNames(query);
  const take = <Value>(read: Result<Value, FieldError>): Value | undefined => {
    if (read.ok) return read.value;
    errors.push(read.error);
    return undefined;
  };
  const search = take(parseSearch(query["q"])) ?? null;
  const filter = {
    ...present("statuses", take(parseStatuses(query))),
    ...present("type", take(parseType(query))),
    ...present("destinationId", take(parseText(query, "destination"))),
    ...present("response", take(parseResponse(query))),
    ...present("createdFromMs", take(parseInstant(query, "from"))),
    ...present("createdToMs", take(parseInstant(query, "to"))),
    ...present("idText", search?.kind === "id" ? search.id : undefined),
    ...present("phrases", search?.kind === "words" ? search.phrases : undefined),
    // A search for the `webhook-id` of a test means that test, whether tests are shown or not.
    withTests: (take(parseTests(query)) ?? false) || (search?.kind === "id" && search.isTest),
    before: take(readDeliveryCursor(query["cursor"])) ?? null,
  };
  if (errors.length === 0) return ok(filter);
  const [first] = errors;
  return refuse(problem("invalid_parameter", `The filter "${first?.path}" ${first?.message}.`, errors));
}

/** A part that is not asked for is left out, and not there as `undefined`. */
function present<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };
}

const unknownNames = (query: QueryText): FieldError[] =>
  Object.keys(query)
    .filter((name) => !NAMES.includes(name))
    .map((name) => ({ path: name, message: `is not known; known are ${NAMES.join(", ")}` }));

type Statuses = NonNullable<ListDeliveries["statuses"]>;
type Read<Value> = Result<Value | undefined, FieldError>;

/** Empty parts count as not there: a form that is cleared leaves them behind. */
const given = (query: QueryText, name: string): string | undefined => query[name]?.trim() || undefined;

function parseStatuses(query: QueryText): Read<Statuses> {
  const text = given(query, "status");
  if (text === undefined) return ok(undefined);
  const statuses = [...new Set(text.split(","))];
  const unknown = statuses.find((status) => !(DELIVERY_STATUSES as readonly string[]).includes(status));
  if (unknown === undefined) return ok(statuses as unknown as Statuses);
  return refuse({ path: "status", message: `can be ${DELIVERY_STATUSES.join(", ")}, with commas between several` });
}

function parseType(query: QueryText): Read<string> {
  const text = given(query, "event");
  if (text === undefined || TYPE_NAME.test(text)) return ok(text);
  return refuse({ path: "event", message: "must be the name of an event type" });
}

function parseResponse(query: QueryText): Read<NonNullable<ListDeliveries["response"]>> {
  const text = given(query, "response");
  if (text === undefined) return ok(undefined);
  if (text === "none") return ok("none");
  if (/^[1-5]xx$/.test(text)) return ok({ hundreds: Number(text[0]) });
  if (/^[1-9]\d\d$/.test(text)) return ok({ status: Number(text) });
  return refuse({ path: "response", message: "can be 2xx, 3xx, 4xx, 5xx, none, or a code such as 503" });
}

function parseInstant(query: QueryText, name: "from" | "to"): Read<number> {
  const text = given(query, name);
  if (text === undefined) return ok(undefined);
  if (/^\d{1,15}$/.test(text)) return ok(Number(text));
  return refuse({ path: name, message: "must be a time in milliseconds since 1970" });
}

function parseText(query: QueryText, name: "destination"): Read<string> {
  const text = given(query, name);
  if (text === undefined || text.length <= TEXT_CHARS_MAX) return ok(text);
  return refuse({ path: name, message: "is too long to be an id" });
}

function parseTests(query: QueryText): Read<boolean> {
  const text = given(query, "tests");
  if (text === undefined || text === "1") return ok(text === "1");
  return refuse({ path: "tests", message: "can be 1, or left out" });
}

/* A search box's text: an id that is looked up, or words that are searched for. Pure. */

export type SearchQuery =
  | { readonly kind: "id"; readonly id: string; readonly isTest: boolean }
  | { readonly kind: "words"; readonly phrases: readonly Phrase[] };

const ID = /^(?:test_)?(?:dlv|evt)_\w+$/;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** `null`: nothing is asked for. Our ids are lower case; the product's may be kept as it wrote them. */
export function parseSearch(typed: string | undefined): Result<SearchQuery | null, FieldError> {
  const trimmed = typed?.trim() ?? "";
  const text = findPasted(trimmed, { kind: "words" })?.value ?? trimmed;
  if (text === "") return ok(null);
  if (text.length > TEXT_CHARS_MAX) return refused(`can have ${TEXT_CHARS_MAX} characters`);
  const lower = text.toLowerCase();
  if (UUID.test(lower)) return ok({ kind: "id", id: text, isTest: false });
  if (ID.test(lower)) return ok({ kind: "id", id: toDeliveryId(lower), isTest: lower.startsWith("test_") });
  const phrases = parsePhrases(text);
  if (phrases.length === 0) return refused("needs a letter or a digit");
  // Nearly everything has one, and to find that out costs more than any other search.
  if (phrases.every(([word = "", ...more]) => more.length === 0 && /^[a-z\d]$/.test(word))) {
    return refused("needs a word of two letters or more");
  }
  if (phrases.length > PHRASES_MAX) return refused(`can have ${PHRASES_MAX} words`);
  return ok({ kind: "words", phrases });
}

const refused = (message: string): Result<never, FieldError> => refuse({ path: "q", message });
