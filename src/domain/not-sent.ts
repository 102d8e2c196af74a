/**
 * Why an accepted event did not go to a webhook of its account: kept in the event's row, and only where there is
 * something to say, so that a person who misses a webhook reads the reason on the event's page. Names the webhook by
 * its destination; the event's own values are in its body. Pure.
 */
import type { AlertAudience } from "./alert.ts";
import { type Condition, type Conditions, COMPARING_OPERATORS, LIST_OPERATORS } from "./conditions.ts";

export type NotSentReason =
  /** The alert's Webhooks toggle is off. */
  | { readonly kind: "toggle_off" }
  /** The plan has no webhooks of alerts. */
  | { readonly kind: "plan" }
  | { readonly kind: "audience"; readonly wanted: AlertAudience }
  | { readonly kind: "demos" | "intent_levels"; readonly wanted: readonly string[]; readonly more: number }
  /** `unmet`: the first of the conditions that kept it away. */
  | { readonly kind: "conditions"; readonly join: Conditions["join"]; readonly unmet: readonly UnmetCondition[] };

/** `more`: how many of its values are left out here. */
type UnmetCondition = Condition & { readonly more?: number };

export interface NotSent {
  readonly destinationId: string;
  readonly reason: NotSentReason;
}

/** `more` counts the webhooks that are not named. */
export interface NotSentList {
  readonly webhooks: readonly NotSent[];
  readonly more: number;
}

/** Guesses: an account with more has them for different demos, and no person looks for the eleventh by its reason. */
export const NOT_SENT_WEBHOOKS_MAX = 10;
const NAMES_MAX = 3;
/** For a name, a field or a value. */
const CHARS_MAX = 120;

/** The row's text; `null` when every webhook wanted the event. */
export function writeNotSent({ webhooks, more }: NotSentList): string | null {
  if (webhooks.length === 0) return null;
  const shown = webhooks.slice(0, NOT_SENT_WEBHOOKS_MAX);
  // An id of ours needs no escape.
  const rows = shown.map(({ destinationId, reason }) => `["${destinationId}",${writeReason(reason)}]`);
  // One piece in memory, because it is kept and read often.
  return ["[", [more + webhooks.length - shown.length, ...rows].join(","), "]"].join("");
}

/** Reasons that do not depend on the event are the same objects from event to event, and keep their texts. */
const textByReason = new WeakMap<NotSentReason, string>();

function writeReason(reason: NotSentReason): string {
  if (reason.kind === "conditions") return writeCells(reason);
  const known = textByReason.get(reason);
  if (known !== undefined) return known;
  const text = writeCells(reason);
  textByReason.set(reason, text);
  return text;
}

const writeCells = (reason: NotSentReason): string => JSON.stringify(toCells(reason)).slice(1, -1);

/** An alert's list of names keeps its reason. Another version of the alert has another list. */
const reasonsByNames = {
  demos: new WeakMap<readonly string[], NotSentReason>(),
  intent_levels: new WeakMap<readonly string[], NotSentReason>(),
};

/** A cut list of the names that an alert wants, for its reason. */
export function namesWanted(kind: "demos" | "intent_levels", names: readonly string[]): NotSentReason {
  const known = reasonsByNames[kind].get(names);
  if (known !== undefined) return known;
  const wanted = names.slice(0, NAMES_MAX).map(cut);
  const reason = { kind, wanted, more: names.length - wanted.length };
  reasonsByNames[kind].set(names, reason);
  return reason;
}

export function conditionsUnmet(join: Conditions["join"], unmet: readonly Condition[]): NotSentReason {
  return { kind: "conditions", join, unmet: unmet.slice(0, NAMES_MAX) };
}

function toCells(reason: NotSentReason): readonly unknown[] {
  switch (reason.kind) {
    case "toggle_off":
    case "plan":
      return [reason.kind];
    case "audience":
      return [reason.kind, reason.wanted];
    case "demos":
    case "intent_levels":
      return [reason.kind, reason.more, ...reason.wanted];
    case "conditions":
      return [reason.join, ...reason.unmet.map(conditionCells)];
  }
}

function conditionCells(condition: Condition): readonly string[] {
  const start = [cut(condition.field), condition.operator];
  if ("value" in condition) return [...start, cut(condition.value)];
  if (!("values" in condition)) return start;
  const shown = condition.values.slice(0, NAMES_MAX).map(cut);
  return [...start, String(condition.values.length - shown.length), ...shown];
}

/** Not between the two halves of a letter. */
const cut = (text: string): string =>
  text.length <= CHARS_MAX ? text : `${text.slice(0, CHARS_MAX - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** The list that a row's text has; a reason that this version does not know is left out. */
export function readNotSent(text: string | null): NotSentList {
  if (text === null) return { webhooks: [], more: 0 };
  const [more, ...rows] = JSON.parse(text) as [number, ...(readonly [string, string, ...unknown[]])[]];
  const webhooks = rows.flatMap(([destinationId, kind, ...rest]): NotSent[] => {
    const reason = readReason(kind, rest);
    return reason === null ? [] : [{ destinationId, reason }];
  });
  return { webhooks, more };
}

function readReason(kind: string, rest: readonly unknown[]): NotSentReason | null {
  switch (kind) {
    case "toggle_off":
    case "plan":
      return { kind };
    case "audience":
      return { kind, wanted: rest[0] as AlertAudience };
    case "demos":
    case "intent_levels": {
      const [more, ...wanted] = rest as [number, ...string[]];
      return { kind, more, wanted };
    }
    case "all":
    case "any":
      return { kind: "conditions", join: kind, unmet: (rest as (readonly string[])[]).map(toCondition) };
    default:
      return null;
  }
}

function toCondition([field = "", operator = "", value = "", ...values]: readonly string[]): UnmetCondition {
  const comparing = COMPARING_OPERATORS.find((known) => known === operator);
  if (comparing !== undefined) return { field, operator: comparing, value };
  const list = LIST_OPERATORS.find((known) => known === operator);
  const more = Number(value);
  if (list !== undefined) return { field, operator: list, values, ...(more > 0 && { more }) };
  return { field, operator: operator === "known" ? "known" : "not_known" };
}
