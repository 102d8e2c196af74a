/**
 * The errors of a webhook form by field (field-errors.ts): those that the page finds before it sends the form, and
 * those that the service found.
 */
import type { FormLimits } from "../../../src/dashboard/contract/session.ts";
import { pasteFault, withoutBlanks } from "../../../src/lib/pasted.ts";
import type { FieldProblem } from "../../api.ts";
import { AUTHENTICATION_SUBJECTS, checkAuthentication } from "../authentication/authentication-draft.ts";
import { checkBody } from "../body/body-draft.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { HeaderRow } from "../headers/rows.ts";
import { type WebhookDraft, toForm, hasNewOrigin, keepsSaved } from "./draft.ts";
import { checkKept, isKept, KEPT } from "./kept-draft.ts";

export function checkDraft(draft: WebhookDraft, limits: FormLimits): FieldErrors {
  return {
    ...checkUrl(draft.url.trim(), limits),
    ...checkKept(draft.kept, limits),
    ...checkBody(draft.body, limits),
    ...checkRows(draft),
    ...checkAuthentication(draft.authentication, hasNewOrigin(draft)),
  };
}

/** A field with a maximum length would cut a pasted address into another one. */
export const isTooLong = (url: string, { urlCharsMax }: Pick<FormLimits, "urlCharsMax">): boolean =>
  url.trim().length > urlCharsMax;

function checkUrl(url: string, limits: FormLimits): FieldErrors {
  const { httpsOnly, urlCharsMax } = limits;
  if (url === "") return { url: "Enter the URL that should receive events." };
  if (isTooLong(url, limits)) {
    return { url: `The URL has ${inWords(url.length)} characters; at most ${inWords(urlCharsMax)} are taken.` };
  }
  if (!httpsOnly || !/^http:/i.test(url)) return {};
  return { url: "Write https:// in front: this service calls no http: address." };
}

const inWords = (count: number): string => count.toLocaleString("en");

/** RFC 9110 §5.6.2: the characters of a header's name. Which names are reserved is the service's to say. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function checkRows(draft: WebhookDraft): FieldErrors {
  const { rows } = toForm(draft);
  const taken = new Map<string, string>();
  const errors: Record<string, string> = {};
  for (const row of rows) {
    const name = withoutBlanks(row.name);
    const mistake = nameMistake(name, taken);
    if (mistake === null) taken.set(asRead(name), name.toLowerCase());
    else errors[`name:${row.id}`] = mistake;
    if (row.savedAs !== null && row.value === "" && !keepsSaved(draft, row)) {
      errors[`value:${row.id}`] = missingValue(draft);
    } else if (row.savedAs === null && row.isSecret && row.value === "" && mistake === null) {
      errors[`value:${row.id}`] = "Enter the secret value, or remove the row.";
    }
  }
  return errors;
}

function nameMistake(name: string, taken: ReadonlyMap<string, string>): string | null {
  if (name === "") return "Give the header a name, or remove the row.";
  if (!TOKEN.test(name)) return "Use letters, digits and hyphens; no spaces and no colon.";
  const pasted = pasteFault(name, { kind: "token" });
  if (pasted !== null) return `The name ${pasted}.`;
  const earlier = taken.get(asRead(name));
  if (earlier === undefined) return null;
  if (earlier === name.toLowerCase()) return "This name is used twice; each can be sent once.";
  return `Many servers read ${earlier} and this as one name; send one of them.`;
}

/** As the service compares them: many servers read `x_team` and `X-Team` as one. */
const asRead = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");

const missingValue = (draft: WebhookDraft): string =>
  hasNewOrigin(draft)
    ? "Enter the value again: the Webhook URL leads to another server now."
    : "Enter the new value, or keep the saved one.";

/** `rows` are those that were sent, in their order. */
export function errorsByField(problems: readonly FieldProblem[], rows: readonly HeaderRow[]): FieldErrors {
  const found = problems.map(({ path, message }): readonly [string, string] => {
    const [key, subject] = findField(path, rows);
    return [key, sentence(subject, message)];
  });
  // A field with several mistakes shows the first one.
  return Object.fromEntries(found.toReversed());
}

function findField(path: string, rows: readonly HeaderRow[]): readonly [key: string, subject: string] {
  const [, start = "", inside = ""] = /^(events\[\d+\]\.)(.+)$/.exec(path) ?? [];
  if (start !== "") {
    const [key, subject] = findField(inside, []);
    return [`${start}${key}`, subject];
  }
  const own = path.replace(/^(?:body\.)?webhook\./, "");
  const [, index, part] = /^headers\[(\d+)\](?:\.(\w+))?$/.exec(own) ?? [];
  const row = index === undefined ? undefined : rows[Number(index)];
  if (row !== undefined) return part === "name" ? [`name:${row.id}`, "The name"] : [`value:${row.id}`, "The value"];
  const [, place, of] = /^conditions\.list\[(\d+)\]\.(\w+)$/.exec(own) ?? [];
  if (place !== undefined && of === "values") return [`condition:${place}:value`, "The list"];
  if (place !== undefined) return [`condition:${place}:${of}`, of === "field" ? "This" : `The ${of}`];
  if (own.startsWith("conditions")) return ["conditions", "The list"];
  if (own === "url") return ["url", "The Webhook URL"];
  if (isKept(own)) return [own, `The ${KEPT[own].label.toLowerCase()}`];
  if (own === "template") return [own, "The template"];
  if (own.startsWith("headers")) return ["headers", "The list"];
  const subject = AUTHENTICATION_SUBJECTS[own];
  if (subject !== undefined) return [own, subject];
  // A list's entries have one field together.
  return [own.replace(/\[\d+\].*$/, ""), "It"];
}

/** The rules' messages go on from the field's name; whole sentences stay as they are. */
function sentence(subject: string, message: string): string {
  const whole = /^[a-z"]/.test(message) ? `${subject} ${message}` : message;
  return /[.?!]$/.test(whole) ? whole : `${whole}.`;
}
