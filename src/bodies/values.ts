/**
 * The values of one event, by their paths: what a body is made of. Paths are those of conditions (`events/payload.ts`)
 * and besides `items.0.name` for an item by its place; `items[].name` is the list of each item's. Nothing there, `null`
 * and an empty text are the same: nothing. Pure, but for the last event's body, which is kept parsed for the next
 * webhook that wants it.
 */
import { createSteps } from "../domain/conditions.ts";
import { LIMITS } from "../domain/limits.ts";
import { parseBody, writtenNumber } from "../events/exact-json.ts";
import { listItems, NAME_STEPS } from "../events/payload.ts";
import type { Steps } from "../lib/steps.ts";
import type { BodySource } from "./body-text.ts";

export interface Values {
  /** The value as JSON; `null`: nothing is there. A text is cut where it is longer than a body may be. */
  json(path: string): string | null;
  /**
   * The value as a text, cut likewise; empty where nothing is there. A list's items are joined by commas, and an object
   * is its JSON.
   */
  text(path: string): string;
  /** Something is there. Does not write it. */
  has(path: string): boolean;
  /**
   * The paths have taken more work than one body may, 65,536 names and items: what was found is not everything. A body
   * has no room for more.
   */
  readonly isSpent: boolean;
}

/** Paths that every event has, whatever its body; they win over a member of the same name. */
export const OWN_PATHS = ["payload", "webhook_id", "accepted_at"] as const;

export function createValues(source: BodySource): Values {
  const steps = createSteps();
  const own = (path: string): string | null => {
    if (path === "webhook_id") return source.webhookId;
    return path === "accepted_at" ? new Date(source.acceptedAtMs).toISOString() : null;
  };
  return {
    json(path) {
      if (path === "payload") return source.body;
      const value = own(path) ?? findValue(parseOnce(source.body), path, steps);
      return isNothing(value) ? null : JSON.stringify(typeof value === "string" ? cut(value) : value);
    },
    text(path) {
      if (path === "payload") return cut(source.body);
      return own(path) ?? cut(toText(findValue(parseOnce(source.body), path, steps), steps));
    },
    has(path) {
      if (OWN_PATHS.some((each) => each === path)) return true;
      return !isNothing(findValue(parseOnce(source.body), path, steps));
    },
    get isSpent() {
      return steps.isSpent;
    },
  };
}

/** One character too long is too long, and each costs its escape. */
const cut = (text: string): string =>
  text.length > LIMITS.madeBodyBytesMax ? text.slice(0, LIMITS.madeBodyBytesMax + 1) : text;

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === "";

/** An event goes to several webhooks at about the same time, and parsing takes most of the work for a body. */
let last: { readonly body: string; readonly parsed: unknown } = { body: "", parsed: null };

function parseOnce(body: string): unknown {
  if (last.body !== body) {
    const parsed = parseBody(body);
    last = { body, parsed: parsed.ok ? parsed.value : null };
  }
  return last.parsed;
}

interface Found {
  readonly values: unknown[];
  /** The path goes through the items of a list. */
  isList: boolean;
  readonly steps: Steps;
}

function findValue(body: unknown, path: string, steps: Steps): unknown {
  const found: Found = { values: [], isList: false, steps };
  find(body, path, found);
  return found.isList ? found.values : found.values[0];
}

/** As `findMembers`: the whole path is looked for first, and then the shortest name that is there. */
function find(container: unknown, path: string, found: Found): void {
  const { values, steps } = found;
  if (!steps.take(NAME_STEPS) || !isContainer(container)) return;
  if (owns(container, path)) {
    values.push(Reflect.get(container, path));
    return;
  }
  for (let dot = path.indexOf("."); dot !== -1 && steps.take(NAME_STEPS); dot = path.indexOf(".", dot + 1)) {
    const [name, below] = [path.slice(0, dot), path.slice(dot + 1)];
    if (owns(container, name)) {
      find(Reflect.get(container, name), below, found);
      return;
    }
    const items = listItems(container, name, steps);
    if (items !== null) {
      found.isList = true;
      for (const item of items) find(item, below, found);
      return;
    }
  }
}

/** A number that is kept as it was written is an object too. */
const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && writtenNumber(value) === undefined;

/** The names of a list are the places of its items. */
const owns = (container: object, name: string): boolean =>
  Object.hasOwn(container, name) && !(name === "length" && Array.isArray(container));

function toText(value: unknown, steps: Steps): string {
  if (isNothing(value)) return "";
  if (typeof value === "string") return value;
  // A hundred thousand numbers as JSON take three times as long as their texts.
  if (typeof value === "number") return String(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  let text = "";
  for (const item of value) {
    if (!steps.take(NAME_STEPS) || text.length > LIMITS.madeBodyBytesMax) break;
    const more = toText(item, steps);
    if (more !== "") text += text === "" ? more : `, ${more}`;
  }
  return text;
}
