/**
 * Why an event did not go to a webhook, in words that go on from "Not sent to CRM sync:". The event's own values come
 * from its body, so they cost the event's row nothing. Pure.
 */
import type { AlertAudience } from "../../domain/alert.ts";
import type { Steps } from "../../lib/steps.ts";
import type { OwnerKind } from "../../domain/event.ts";
import type { NotSentReason } from "../../domain/not-sent.ts";
import { writtenNumber } from "../../events/exact-json.ts";
import { type Payload, findMembers, listValues } from "../../events/payload.ts";

/** `payload` is `null` once it is deleted. */
export interface NotSentCase {
  readonly payload: Payload | null;
  /** Of the webhook; `null` when it is gone. */
  readonly owner: OwnerKind | null;
  /** For all reasons of the event together. */
  readonly steps: Steps;
}

export function explainNotSent(reason: NotSentReason, given: NotSentCase): string {
  switch (reason.kind) {
    case "toggle_off":
      return "the alert’s Webhooks toggle was off";
    case "plan":
      return PLANS[given.owner ?? "alert"];
    case "audience":
      return AUDIENCES[reason.wanted];
    case "demos":
      return `the demo is ${showField("name", given)}, and the alert wants ${choiceWords(reason)}`;
    case "intent_levels":
      return `intent_level is ${showField("intent_level", given)}, and the alert wants ${choiceWords(reason)}`;
    case "conditions": {
      const sentences = reason.unmet.map((condition) => explainCondition(condition, given));
      const [only = ""] = sentences;
      if (sentences.length < 2) return only;
      return `${reason.join === "any" ? "no condition is met: " : ""}${sentences.join("; ")}`;
    }
  }
}

const OF_TYPE = "the account’s plan had no webhooks for events of this type";
const PLANS: Readonly<Record<OwnerKind, string>> = {
  alert: "the account’s plan had no webhooks for alerts",
  assistant: OF_TYPE,
  webhook: OF_TYPE,
};

const AUDIENCES: Readonly<Record<AlertAudience, string>> = {
  all: "the alert wants other sessions",
  known_lead: "the visitor is not a known lead, and the alert wants known leads",
  known_lead_or_company:
    "neither the visitor nor the company is known, and the alert wants known leads or known companies",
};

type Unmet = Extract<NotSentReason, { readonly kind: "conditions" }>["unmet"][number];

function explainCondition(condition: Unmet, given: NotSentCase): string {
  const { field } = condition;
  const wanting = given.owner === "alert" ? "alert" : "webhook";
  return `${field} is ${showField(field, given)}, and the ${wanting} wants ${wishWords(condition)}`;
}

function wishWords(condition: Unmet): string {
  switch (condition.operator) {
    case "is":
      return quote(condition.value);
    case "is_not":
      return `anything but ${quote(condition.value)}`;
    case "contains":
      return `it to contain ${quote(condition.value)}`;
    case "contains_not":
      return `it not to contain ${quote(condition.value)}`;
    case "begins_with":
      return `it to begin with ${quote(condition.value)}`;
    case "begins_not":
      return `it not to begin with ${quote(condition.value)}`;
    case "at_least":
      return `at least ${condition.value}`;
    case "at_most":
      return `at most ${condition.value}`;
    case "one_of":
      return listWords(condition.values, condition.more);
    case "none_of":
      return `anything but ${listWords(condition.values, condition.more)}`;
    case "known":
      return "it known";
    case "not_known":
      return "it unknown";
  }
}

const listWords = (values: readonly string[], left = 0): string =>
  choiceWords({ wanted: values.slice(0, SHOWN_MAX), more: Math.max(0, values.length - SHOWN_MAX) + left });

function choiceWords({ wanted, more }: { readonly wanted: readonly string[]; readonly more: number }): string {
  const shown = [...wanted.map(quote), ...(more === 0 ? [] : [`one of ${more} more`])];
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`;
}

const SHOWN_MAX = 3;
const CHARS_MAX = 80;

function showField(field: string, { payload, steps }: NotSentCase): string {
  if (payload === null) return "deleted with the payload";
  const found = findMembers(payload, field, steps);
  const value = found.length === 1 ? found[0] : found.flat();
  const values = listValues(value, steps);
  if (values.length === 0) return "not known";
  if (typeof value === "string") return quote(value.trim());
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const written = writtenNumber(value);
  if (written !== undefined) return written;
  const texts = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  const shown = (texts.length > 0 ? texts : values.map(({ text }) => text)).slice(0, SHOWN_MAX).map(quote);
  return `${shown.join(", ")}${values.length > SHOWN_MAX ? " …" : ""}`;
}

/** One word needs no marks: "intent_level is low". */
function quote(text: string): string {
  const shown = text.length <= CHARS_MAX ? text : `${text.slice(0, CHARS_MAX - 1)}…`.toWellFormed();
  return /^[\w.@:/+-]+…?$/.test(shown) ? shown : `“${shown}”`;
}
