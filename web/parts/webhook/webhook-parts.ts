/**
 * The fields of a webhook that two people may have changed at once. Headers are told apart by name; authentication is
 * one field. What was typed for one server is never sent to another one that somebody else has entered since, unless
 * the person who typed it says so.
 */
import { shortened } from "../../words.ts";
import { toAuthenticationForm } from "../authentication/authentication-draft.ts";
import { toBodySettings } from "../body/body-draft.ts";
import { BODIES } from "../body/body-kinds.ts";
import { type Drafts, type FormField, LINE, propertyField } from "../form-fields.ts";
import type { HeaderRow } from "../headers/rows.ts";
import { type HasWebhook, hasNewOrigin, keepsSaved, parseOrigin, type WebhookDraft } from "./draft.ts";
import { KEPT, KEPT_KEYS, type KeptDraft } from "./kept-draft.ts";

/** As fields of any form with a webhook in it. */
export function listWebhookParts<Draft extends HasWebhook>(drafts: readonly Draft[]): readonly FormField<Draft>[] {
  const names = new Map(
    drafts.flatMap(({ webhook: { rows } }) => rows.filter(isNamed).map(({ name }) => [toKey(name), name.trim()])),
  );
  const parts: readonly FormField<WebhookDraft>[] = [
    propertyField<WebhookDraft, "url">("url", "Webhook URL", LINE),
    ...Array.from(names, ([key, name]) => headerField(key, name)),
    AUTHENTICATION,
    BODY,
    ...KEPT_KEYS.map(keptField),
  ];
  return parts.map(({ sends, show, take, isTied, ...part }) => ({
    ...part,
    sends: ({ webhook }) => sends(webhook),
    show: ({ webhook }) => show(webhook),
    take: (into, from) => ({ ...into, webhook: take(into.webhook, from.webhook) }),
    ...(isTied !== undefined && {
      isTied: ({ base, mine, theirs }) =>
        isTied({ base: base?.webhook ?? null, mine: mine.webhook, theirs: theirs.webhook }),
    }),
  }));
}

const toKey = (name: string): string => name.trim().toLowerCase();
const isNamed = ({ name }: HeaderRow): boolean => name.trim() !== "";
const findRow = ({ rows }: WebhookDraft, key: string): HeaderRow | undefined =>
  rows.find(({ name }) => toKey(name) === key);

/** They have entered another address, and it leads to another server than mine. */
const areServersApart = ({ base, mine, theirs }: Drafts<WebhookDraft>): boolean =>
  base?.url.trim() !== theirs.url.trim() && parseOrigin(mine.url) !== parseOrigin(theirs.url);

function headerField(key: string, name: string): FormField<WebhookDraft> {
  return {
    key: `header ${key}`,
    label: `Header ${name}`,
    isTied: areServersApart,
    sends(draft) {
      const row = findRow(draft, key);
      if (row === undefined) return "";
      return JSON.stringify([row.name.trim(), keepsSaved(draft, row) ? null : row.value, row.isSecret]);
    },
    show(draft) {
      const row = findRow(draft, key);
      if (row === undefined) return "Not sent";
      return row.isSecret ? (keepsSaved(draft, row) ? "A saved secret" : "A new secret") : LINE.show(row.value);
    },
    take: (into, from) => takeHeader(into, findRow(from, key), key),
  };
}

/**
 * What the service has for the row is what stands in `into`: without it a secret has to be entered again, and where the
 * row came to its name by being renamed, what was typed for it replaces that.
 */
function takeHeader(into: WebhookDraft, row: HeaderRow | undefined, key: string): WebhookDraft {
  const place = into.rows.findIndex(({ name }) => toKey(name) === key);
  const before = into.rows[place];
  if (row === undefined) return { ...into, rows: into.rows.filter((each) => each !== before) };
  const savedAs = before?.savedAs ?? null;
  const isReplaced = savedAs !== null && (row.savedAs !== row.name || row.isReplaced);
  if (before === undefined) {
    return { ...into, rows: [...into.rows, { ...row, id: into.nextId, savedAs, isReplaced }], nextId: into.nextId + 1 };
  }
  return { ...into, rows: into.rows.with(place, { ...row, id: before.id, savedAs, isReplaced }) };
}

const AUTHENTICATION: FormField<WebhookDraft> = {
  key: "authentication",
  label: "Authentication",
  isTied: areServersApart,
  sends: (draft) => JSON.stringify(toAuthenticationForm(draft.authentication, hasNewOrigin(draft))),
  show({ authentication: { hasToken, tokenUrl, hasCertificate } }) {
    const ways = [...(hasToken ? [`Access token from ${tokenUrl.trim()}`] : []), ...(hasCertificate ? [MTLS] : [])];
    return ways.length === 0 ? "None" : ways.join(", ");
  },
  take: (into, { authentication }) => ({
    ...into,
    authentication: { ...authentication, saved: into.authentication.saved },
  }),
};

const MTLS = "Client certificate";

const BODY: FormField<WebhookDraft> = {
  key: "body",
  label: "Body",
  sends: ({ body }) => JSON.stringify(toBodySettings(body)),
  show: ({ body: { kind, template } }) =>
    kind === "template" ? `A template: ${shortened(template.trim(), SHOWN_CHARS_MAX)}` : BODIES[kind].label,
  take: (into, { body }) => ({ ...into, body }),
};

/** A template may be long; two people who choose between theirs know them by their beginning. Guess. */
const SHOWN_CHARS_MAX = 400;

const keptField = (key: keyof KeptDraft): FormField<WebhookDraft> => ({
  key,
  label: KEPT[key].label,
  sends: ({ kept }) => kept[key].trim(),
  show: ({ kept }) => KEPT[key].show(kept[key].trim()),
  take: (into, { kept }) => ({ ...into, kept: { ...into.kept, [key]: kept[key] } }),
});
