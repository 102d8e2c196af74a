/** Whose webhooks an event goes to, and what a list says of an event first: who it is about, and what happened. */

/** Whose a destination is: a demo alert's, a chat assistant's, or that of a webhook of its own. */
export const OWNER_KINDS = ["alert", "assistant", "webhook"] as const;

export type OwnerKind = (typeof OWNER_KINDS)[number];

export interface Owner {
  readonly kind: OwnerKind;
  readonly id: string;
}

export interface NamedOwner extends Owner {
  readonly name: string;
}

/** In a sentence. */
export const OWNER_NOUNS: Readonly<Record<OwnerKind, string>> = {
  alert: "alert",
  assistant: "chat assistant",
  webhook: "webhook",
};

const OWNER_PAGES: Readonly<Record<OwnerKind, { readonly page: string; readonly form: string }>> = {
  alert: { page: "/settings/alerts/:id", form: "/settings/alerts/:id/edit" },
  assistant: { page: "/assistants/:id/webhook", form: "/assistants/:id/integrations" },
  webhook: { page: "/settings/webhooks/:id", form: "/settings/webhooks/:id/edit" },
};

/** In the dashboard: how an owner's destination does. */
export const ownerPage = ({ kind, id }: Owner): string =>
  OWNER_PAGES[kind].page.replace(":id", () => encodeURIComponent(id));

/** And its settings. */
export const ownerForm = ({ kind, id }: Owner): string =>
  OWNER_PAGES[kind].form.replace(":id", () => encodeURIComponent(id));

/** Whether a page of the dashboard is one of the two. */
export const isAbout = (path: string, owner: Owner): boolean => [ownerPage(owner), ownerForm(owner)].includes(path);

/** How an event type is called. */
export interface EventWords {
  /** Its name in bodies, addresses and rows. */
  readonly type: string;
  /** Its name on pages. */
  readonly title: string;
  /** The thing that it tells about, in a sentence; more of them end in "s". */
  readonly noun: string;
  /** A list shows this where the body names nothing. */
  readonly unnamed: string;
  /** The page of an event, with `:id`, `:type` and `:assistant` in it. */
  readonly page: string;
  /** Whose webhooks may get it. */
  readonly owners: readonly OwnerKind[];
}

export interface About {
  /** The lead's name, else an e-mail address, else the company; `null` when nothing of them is known. */
  readonly who: string | null;
  /** The demo's name, or the beginning of the conversation's summary. */
  readonly what: string | null;
}

export const NO_ABOUT: About = { who: null, what: null };

/** A type's name, as its declaration may give it. */
export const TYPE_NAME_PATTERN = "^(?=.{1,64}$)[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)*$";

export const TYPE_NAME = new RegExp(TYPE_NAME_PATTERN);

/* Groups of types by their names: `order.*` is every one that begins with `order.`, see `webhook.ts`. */

export const isGroup = (name: string): boolean => name.endsWith(".*");

export const isInGroup = (type: string, group: string): boolean =>
  isGroup(group) && type.startsWith(group.slice(0, -"*".length));

/** The group of a type's first word; `null` for a name without a dot. */
export function groupOf(type: string): string | null {
  const dot = type.indexOf(".");
  return dot === -1 ? null : `${type.slice(0, dot)}.*`;
}
