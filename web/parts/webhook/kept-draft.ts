/**
 * The settings of a webhook that are kept as they were given and typed into one line, or ticked, while somebody edits
 * them: a row each. The draft, what is wrong with it, the fields of the form, and the edits of two people brought
 * together follow from the rows. Pure. The body, which is more than a line, has its own draft
 * (`../body/body-draft.ts`).
 */
import type { BodySettings, KeptSettings as AllKept } from "../../../src/dashboard/contract/destinations.ts";
import type { FormLimits } from "../../../src/dashboard/contract/session.ts";
import type { FieldErrors } from "../field-errors.ts";

/** As typed; any text for a tick. */
export type KeptDraft = Readonly<Record<Key, string>>;

type Key = Exclude<keyof AllKept, keyof BodySettings>;
type KeptSettings = Pick<AllKept, Key>;

interface KeptField<Value> {
  readonly label: string;
  /** `tick`: nothing is typed. */
  readonly input:
    | { readonly placeholder: string; readonly inputMode?: "decimal"; readonly className?: string }
    | "tick";
  /** Stands behind the input, or below the tick. */
  readonly unit: string;
  readonly toText: (value: Value) => string;
  /** White space around a text is not sent. */
  readonly toValue: (text: string) => Value;
  readonly show: (text: string) => string;
  /** A sentence, or `null` when nothing is wrong. */
  readonly refuse: (value: Value, limits: FormLimits) => string | null;
}

export const KEPT: { readonly [Each in Key]: KeptField<KeptSettings[Each]> } = {
  ratePerSecond: {
    label: "Rate limit",
    input: { placeholder: "No limit", inputMode: "decimal", className: "w-28!" },
    unit: "webhooks a second",
    toText: (rate) => rate?.toString() ?? "",
    // What is no number stays one (NaN), for the check to refuse.
    toValue: (text) => (text === "" ? null : Number(text.replace(",", "."))),
    show: (text) => (text === "" ? "No limit" : `${text} a second`),
    refuse: (rate, { ratePerSecondMin: min, ratePerSecondMax: max }) =>
      rate === null || (rate >= min && rate <= max) ? null : `Enter a number from ${min} to ${max}, or leave it empty.`,
  },
  oneAtATime: {
    label: "One at a time",
    input: "tick",
    unit: "In the order of the records. One that fails holds all that follow: most webhooks are better without.",
    toText: (isOn) => (isOn ? "on" : ""),
    toValue: (text) => text !== "",
    show: (text) => (text === "" ? "As they come" : "One at a time"),
    refuse: () => null,
  },
  tags: {
    label: "Tags",
    input: { placeholder: "crm, eu" },
    unit: "With commas between. Nothing is sent by them.",
    toText: (tags) => tags.join(", "),
    toValue: (text) =>
      text
        .split(",")
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ""),
    show: (text) => (text === "" ? "None" : text),
    refuse: (tags, { tagsMax, tagCharsMax }) =>
      tags.length <= tagsMax && tags.every((tag) => tag.length <= tagCharsMax)
        ? null
        : `Enter ${tagsMax} tags at most, of ${tagCharsMax} characters each.`,
  },
};

/** Those that only a request has. */
export const REQUEST_KEYS = ["ratePerSecond", "oneAtATime"] as const satisfies readonly Key[];

export const isKept = (key: string): key is Key => Object.hasOwn(KEPT, key);
export const KEPT_KEYS = Object.keys(KEPT).filter(isKept);

const each = <Value>(toValue: (key: Key) => Value) =>
  Object.fromEntries(KEPT_KEYS.map((key) => [key, toValue(key)])) as Readonly<Record<Key, Value>>;

export const toKeptDraft = (saved: KeptSettings | null): KeptDraft =>
  each((key) => (saved === null ? "" : toText(saved, key)));

const toText = <Each extends Key>(saved: KeptSettings, key: Each): string => KEPT[key].toText(saved[key]);

export const toKeptSettings = (draft: KeptDraft): KeptSettings => each((key) => toValue(draft, key)) as KeptSettings;

const toValue = <Each extends Key>(draft: KeptDraft, key: Each): KeptSettings[Each] =>
  KEPT[key].toValue(draft[key].trim());

export function checkKept(draft: KeptDraft, limits: FormLimits): FieldErrors {
  const refused = KEPT_KEYS.map((key) => [key, refuse(draft, limits, key)] as const);
  return Object.fromEntries(refused.flatMap(([key, words]) => (words === null ? [] : [[key, words]])));
}

const refuse = <Each extends Key>(draft: KeptDraft, limits: FormLimits, key: Each): string | null =>
  KEPT[key].refuse(toValue(draft, key), limits);
