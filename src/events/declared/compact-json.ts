/**
 * The text of a record as a body carries it: without the white space between its parts, and otherwise as it came, so
 * that the order of names and the digits of numbers stay. Where an object has a name twice, the last one stands, as
 * for `JSON.parse`. Pure.
 */
import { findEndOfString } from "../json-levels.ts";

/** `text` is the JSON of `value`, at most 64 levels deep. */
export function compactJson(text: string, value: unknown): string {
  // Most back ends write it so already; the comparison takes a third of the walk.
  return JSON.stringify(value) === text ? text : readValue({ text, at: 0 });
}

/** The object's text without its member of that name. */
export const withoutMember = (text: string, name: string): string => readObject({ text, at: text.indexOf("{") }, name);

interface Cursor {
  readonly text: string;
  at: number;
}

const SCALAR = /[\w.+-]+/y;

function readValue(cursor: Cursor): string {
  skip(cursor);
  const first = cursor.text[cursor.at];
  if (first === "{") return readObject(cursor);
  if (first === "[") return readList(cursor);
  return first === '"' ? readString(cursor) : readScalar(cursor);
}

function readObject(cursor: Cursor, without = ""): string {
  const members = new Map<string, string>();
  while (hasNext(cursor, "}")) {
    const name = readString(cursor);
    skip(cursor);
    cursor.at += 1;
    const member = `${name}:${readValue(cursor)}`;
    // One name may be written in several ways.
    const key = name.includes("\\") ? JSON.stringify(JSON.parse(name)) : name;
    members.delete(key);
    members.set(key, member);
  }
  if (without !== "") members.delete(JSON.stringify(without));
  return `{${[...members.values()].join(",")}}`;
}

function readList(cursor: Cursor): string {
  const items: string[] = [];
  while (hasNext(cursor, "]")) items.push(readValue(cursor));
  return `[${items.join(",")}]`;
}

/** Goes on to the next part, or behind `close`. */
function hasNext(cursor: Cursor, close: string): boolean {
  skip(cursor);
  if (cursor.text[cursor.at] !== close) {
    // The opening bracket, or a comma.
    cursor.at += 1;
    skip(cursor);
    if (cursor.text[cursor.at] !== close) return true;
  }
  cursor.at += 1;
  return false;
}

function readString(cursor: Cursor): string {
  const start = cursor.at;
  cursor.at = findEndOfString(cursor.text, start) + 1;
  return cursor.text.slice(start, cursor.at);
}

/** Space, tab, line feed and carriage return. */
function skip(cursor: Cursor): void {
  while (cursor.text.charCodeAt(cursor.at) <= 0x20) cursor.at += 1;
}

function readScalar(cursor: Cursor): string {
  SCALAR.lastIndex = cursor.at;
  const [found = ""] = SCALAR.exec(cursor.text) ?? [];
  cursor.at += found.length;
  return found;
}
