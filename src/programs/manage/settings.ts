/**
 * What a webhook is set up as, whoever owns it: to be compared field by field, and shown without a secret. Its ETag is
 * its revision, its id, and a short hash of each field, so that a writer who comes too late is told which changed.
 * Pure.
 */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Authentication } from "../../domain/authentication.ts";
import type { CustomHeader } from "../../domain/destination.ts";
import type { OwnerKind } from "../../domain/event.ts";
import { type KeptSettings, pickKept } from "../../domain/webhook-form.ts";
import type { AccountView, DestinationView, OwnerView } from "../../accounts/account-view.ts";
import { toSnake } from "./forms.ts";

/** An owner with its webhook. */
export interface Owned extends Pick<OwnerView, "revision" | "changed"> {
  readonly kind: OwnerKind;
  /** The owner's. */
  readonly ownerId: string;
  readonly name: string;
  readonly destination: DestinationView;
  readonly settings: Settings;
}

/** As its form has it, secret values too. */
export interface Settings {
  readonly kind: OwnerKind;
  readonly webhook: KeptSettings & {
    readonly url: string;
    readonly headers: readonly CustomHeader[];
    readonly authentication: Authentication | null;
  };
  readonly [field: string]: unknown;
}

interface SetUp extends KeptSettings {
  /** A text, or a URL. */
  readonly url: unknown;
  readonly headers: readonly CustomHeader[];
  readonly authentication: Authentication | null;
}

/** `own`: the owner's fields. */
export const toSettings = (
  kind: OwnerKind,
  own: object,
  { url, headers, authentication, ...kept }: SetUp,
): Settings => ({
  kind,
  ...own,
  webhook: {
    ...pickKept(kept),
    url: String(url),
    headers: headers.map(({ name, value, secret }) => ({ name, value, secret })),
    authentication,
  },
});

/** Every owner of the account that has a webhook. */
export function* listOwned({ alerts, assistants, webhooks }: AccountView): Generator<Owned> {
  for (const { alert, destination, revision, changed } of alerts) {
    const { id: ownerId, ...own } = alert;
    if (destination !== null) yield toOwned("alert", own, { ownerId, name: own.name, destination, revision, changed });
  }
  for (const { webhook, destination, revision, changed } of webhooks) {
    const { id: ownerId, ...own } = webhook;
    yield toOwned("webhook", own, { ownerId, name: own.name, destination, revision, changed });
  }
  for (const [ownerId, { name, conditions, destination, revision, changed }] of assistants) {
    const own = { assistantId: ownerId, conditions };
    if (destination !== null) yield toOwned("assistant", own, { ownerId, name, destination, revision, changed });
  }
}

const toOwned = (kind: OwnerKind, own: object, rest: Omit<Owned, "kind" | "settings">): Owned => ({
  kind,
  ...rest,
  settings: toSettings(kind, own, rest.destination),
});

/** `id`: the one that a program gave it, or the webhook's own (`dst_…`). */
export function findOwned(view: AccountView, id: string): Owned | null {
  for (const owned of listOwned(view)) {
    if (owned.destination.callerId === id || owned.destination.id === id) return owned;
  }
  return null;
}

/** The fields that differ, as the API names them: `name`, `webhook.url`. */
export function listChanges(before: Settings, after: Settings): readonly string[] {
  const fields = fieldsOf(after);
  const differing = [...fieldsOf(before)].filter(([name, value]) => !isDeepStrictEqual(value, fields.get(name)));
  return differing.map(([name]) => toSnake(name));
}

/** By name, those of the webhook each for itself. */
function fieldsOf({ webhook, ...own }: Settings): ReadonlyMap<string, unknown> {
  const called = Object.entries(webhook).map(([name, value]) => [`webhook.${name}`, value] as const);
  return new Map([...Object.entries(own), ...called].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function hideSecrets({ webhook, ...own }: Settings) {
  const { headers, authentication, ...rest } = webhook;
  return {
    ...own,
    webhook: {
      ...rest,
      headers: headers.map((header) => (header.secret ? { ...header, value: null } : header)),
      authentication: authentication === null ? null : hideKeys(authentication),
    },
  };
}

const hideKeys = ({ oauth, certificate }: Authentication) => ({
  oauth: oauth === null ? null : { ...oauth, clientSecret: null },
  certificate: certificate === null ? null : { chain: certificate.chain, key: null },
});

/* ETags. A hash is of what is shown: one of a secret's value would let others guess it. */

const PRINT_CHARS = 4;

type Tagged = Pick<Owned, "revision" | "settings"> & { readonly destination: Pick<DestinationView, "id"> };

export function writeEtag({ revision, destination, settings }: Tagged): string {
  return `"${revision}.${destination.id}.${[...prints(settings).values()].join("")}"`;
}

/** What has changed since the writer looked; `null` where their ETag does not say. */
export function readChanges({ destination, settings }: Owned, given: string): readonly string[] | null {
  const [, id, written = ""] = /^"\d+\.(\w+)\.([\w-]*)"$/.exec(given) ?? [];
  const now = [...prints(settings)];
  if (id !== destination.id || written.length !== now.length * PRINT_CHARS) return null;
  const isOther = (print: string, place: number): boolean => !written.startsWith(print, place * PRINT_CHARS);
  return now.filter(([, print], place) => isOther(print, place)).map(([name]) => toSnake(name));
}

function prints(settings: Settings): ReadonlyMap<string, string> {
  const fields = fieldsOf(hideSecrets(settings) as unknown as Settings);
  const toPrint = (value: unknown): string => hash("sha256", inOrder(value), "base64url").slice(0, PRINT_CHARS);
  return new Map([...fields].map(([name, value]) => [name, toPrint(value)]));
}

/** JSON that does not depend on the order of members. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value ?? null, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
