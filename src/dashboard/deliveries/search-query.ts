/** A search box's text: an id that is looked up, or words that are searched for. Pure. */
import { type FieldError, type Result, ok, refuse } from "../../domain/problem.ts";
import { type Phrase, parsePhrases } from "../../domain/search-words.ts";
import { findPasted } from "../../lib/pasted.ts";
import { toDeliveryId } from "../../domain/test-mark.ts";
import { PHRASES_MAX } from "../../store/contract/search.ts";

export type SearchQuery =
  | { readonly kind: "id"; readonly id: string; readonly isTest: boolean }
  | { readonly kind: "words"; readonly phrases: readonly Phrase[] };

/** A sentence of a transcript goes in; more than this is a paste by mistake. */
const TEXT_CHARS_MAX = 200;

const ID = /^(?:test_)?(?:dlv|evt)_\w+$/;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** `null`: nothing is asked for. Ids are lower case, ours and the product's. */
export function parseSearch(typed: string | undefined): Result<SearchQuery | null, FieldError> {
  const trimmed = typed?.trim() ?? "";
  const text = findPasted(trimmed, { kind: "words" })?.value ?? trimmed;
  if (text === "") return ok(null);
  if (text.length > TEXT_CHARS_MAX) return refused(`can have ${TEXT_CHARS_MAX} characters`);
  const lower = text.toLowerCase();
  if (ID.test(lower) || UUID.test(lower)) {
    return ok({ kind: "id", id: toDeliveryId(lower), isTest: lower.startsWith("test_") });
  }
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
