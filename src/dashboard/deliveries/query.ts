/** The log's filters, from the call's query: what is text there becomes what the store asks for. */
import { toDeliveryId } from "../../domain/delivery.ts";
import type { FieldError, Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { FIELD_VALUES_MAX, type FieldValue, hasOpenQuote, splitFieldValues } from "../../domain/field-values.ts";
import { parsePhrases, type Phrase } from "../../domain/search-words.ts";
import { findPasted } from "../../lib/pasted.ts";
import type { ListDeliveries } from "../../store/contract/log.ts";
import { PHRASES_MAX } from "../../store/contract/search.ts";
import { readDeliveryCursor } from "../call/cursor.ts";
import { invalidQuery } from "../call/operation.ts";
import type { DeliveryQuery } from "../contract/deliveries.ts";

/** With an id or with words, or with neither. */
export type DeliveryFilter = Omit<ListDeliveries, "accountId" | "limit"> & {
  readonly phrases?: readonly Phrase[];
  /** With phrases, which may be none then. */
  readonly values?: readonly FieldValue[];
  /** A person's, which no filter of the log has. */
  readonly email?: string;
};

/** Of a search, where a sentence goes in: more is a paste by mistake. */
const TEXT_CHARS_MAX = 200;

/** Its schema has taken the query; a search and a cursor are looked at here. */
export function readDeliveryQuery(query: DeliveryQuery): Result<DeliveryFilter> {
  const search = parseSearch(query.q);
  if (!search.ok) return refuse(invalidQuery([search.error]));
  const before = readDeliveryCursor(query.cursor);
  if (!before.ok) return refuse(invalidQuery([before.error]));
  const { status, event, destination, response, from, to } = query;
  const found = search.value;
  return ok({
    ...(status !== undefined && { statuses: [...new Set(status.split(","))] as readonly string[] as Statuses }),
    ...(event !== undefined && { type: event }),
    ...(destination !== undefined && { destinationId: destination }),
    ...(response !== undefined && { response: toResponse(response) }),
    ...(from !== undefined && { createdFromMs: Number(from) }),
    ...(to !== undefined && { createdToMs: Number(to) }),
    ...(found?.kind === "id" && { idText: found.id }),
    ...(found?.kind === "words" && { phrases: found.phrases }),
    ...(found?.kind === "words" && found.values.length > 0 && { values: found.values }),
    // A search for the `webhook-id` of a test means that test, whether tests are shown or not.
    withTests: query.tests === "1" || (found?.kind === "id" && found.isTest),
    before: before.value,
  });
}

type Statuses = NonNullable<ListDeliveries["statuses"]>;

function toResponse(text: string): NonNullable<ListDeliveries["response"]> {
  if (text === "none") return text;
  return text.endsWith("xx") ? { hundreds: Number(text[0]) } : { status: Number(text) };
}

/* A search box's text: an id that is looked up, or words that are searched for. Pure. */

export type SearchQuery =
  | { readonly kind: "id"; readonly id: string; readonly isTest: boolean }
  | { readonly kind: "words"; readonly phrases: readonly Phrase[]; readonly values: readonly FieldValue[] };

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
  // In quotes, text with a colon in it is words.
  const { values, rest } = text === trimmed ? splitFieldValues(text) : { values: [], rest: text };
  const fault = findValueFault(values, rest);
  if (fault !== null) return refused(fault);
  const phrases = parsePhrases(rest);
  if (values.length > 0) return readBeside(values, phrases);
  if (phrases.length === 0) return refused("needs a letter or a digit");
  // Nearly everything has one, and to find that out costs more than any other search.
  if (phrases.every(([word = "", ...more]) => more.length === 0 && /^[a-z\d]$/.test(word))) {
    return refused("needs a word of two letters or more");
  }
  if (phrases.length > PHRASES_MAX) return refused(`can have ${PHRASES_MAX} words`);
  return ok({ kind: "words", phrases, values: [] });
}

function findValueFault(values: readonly FieldValue[], rest: string): string | null {
  if (hasOpenQuote(rest)) return 'has a quote that does not end; write city:"New York"';
  const empty = values.find(({ value }) => value === "");
  if (empty !== undefined) return `has no value for ${empty.field}; write ${empty.field}:value`;
  return values.length > FIELD_VALUES_MAX ? `can have ${FIELD_VALUES_MAX} fields with values` : null;
}

const readBeside = (values: readonly FieldValue[], phrases: readonly Phrase[]): Result<SearchQuery, FieldError> =>
  phrases.length > PHRASES_MAX ? refused(`can have ${PHRASES_MAX} words`) : ok({ kind: "words", phrases, values });

const refused = (message: string): Result<never, FieldError> => refuse({ path: "q", message });
