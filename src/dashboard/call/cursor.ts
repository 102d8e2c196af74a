/**
 * Cursors of lists as the page carries them: the last row's place, in a form that does not invite writing one by hand.
 * They carry no rights: with any cursor the list is of the session's own account.
 */
import type { FieldError, Result } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { parseJson } from "../../events/exact-json.ts";
import type { DeliveryCursor } from "../../store/contract/log.ts";

/** The longest there is has a time and an id. */
const CURSOR_CHARS_MAX = 200;

/** The characters of our ids. */
const ID = /^[\w-]{1,64}$/;

export const writeDeliveryCursor = ({ createdAtMs, id }: DeliveryCursor): string => encode([createdAtMs, id]);

export const writeSeqCursor = (seq: number): string => encode([seq]);

/** `null` for the first page. */
export function readDeliveryCursor(text: string | undefined): Result<DeliveryCursor | null, FieldError> {
  if (text === undefined) return ok(null);
  const [createdAtMs, id, ...rest] = decode(text);
  const isOurs = Number.isSafeInteger(createdAtMs) && typeof id === "string" && ID.test(id) && rest.length === 0;
  return isOurs ? ok({ createdAtMs: createdAtMs as number, id }) : refuse(NOT_OURS);
}

export function readSeqCursor(text: string | undefined): Result<{ readonly seq: number } | null, FieldError> {
  if (text === undefined) return ok(null);
  const [seq, ...rest] = decode(text);
  return Number.isSafeInteger(seq) && rest.length === 0 ? ok({ seq: seq as number }) : refuse(NOT_OURS);
}

export const writeIdCursor = (id: string): string => encode([id]);

export function readIdCursor(text: string | undefined): Result<{ readonly id: string } | null, FieldError> {
  if (text === undefined) return ok(null);
  const [id, ...rest] = decode(text);
  return typeof id === "string" && ID.test(id) && rest.length === 0 ? ok({ id }) : refuse(NOT_OURS);
}

const NOT_OURS: FieldError = { path: "cursor", message: "is not one that a list gave; load the list from its start" };

const encode = (place: readonly unknown[]): string => Buffer.from(JSON.stringify(place)).toString("base64url");

function decode(text: string): readonly unknown[] {
  if (text.length > CURSOR_CHARS_MAX) return [];
  const parsed = parseJson(Buffer.from(text, "base64url").toString("utf8"));
  return parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
}
