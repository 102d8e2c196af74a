/**
 * The form of a webhook, said once: the server checks it by this schema, and every type of the form, of the saved
 * settings and of the page's draft follows from it. A setting that is kept as it was given is a line of `KEPT` and of
 * `UNTOUCHED`, a column (`store/columns.ts`), and a row of the page's form (`web/parts/webhook/kept-draft.ts`, or
 * `web/parts/body/body-draft.ts` for the body); the compiler asks for each.
 */
import Type from "typebox";
import { BODY_KINDS } from "./body.ts";
import { CLIENT_AUTHENTICATIONS } from "./authentication.ts";
import { CLOSED, type FormOf, shownLine } from "./form.ts";
import { LIMITS } from "./limits.ts";

/**
 * Names and values are bounded here only against nonsense: `custom-headers.ts` checks what may be sent, in words that
 * speak of the row. `egress/webhook-url.ts` checks the URL's length, in words that name its limit; a form's body has a
 * maximum anyway.
 */
export const headerForm = Type.Object(
  {
    name: Type.String({ maxLength: LIMITS.customHeaderBytesMax }),
    /** `null` keeps the secret value that is saved under this name. Refused when the URL's origin changes. */
    value: Type.Union([Type.String({ maxLength: LIMITS.customHeaderBytesMax }), Type.Null()]),
    secret: Type.Boolean(),
  },
  CLOSED,
);

/** Bounded like the headers: `accounts/check-authentication.ts` checks it, in words of each field. */
const plainText = Type.String({ maxLength: 2 * LIMITS.certificateCharsMax });
/** `null` keeps the saved one. Refused when a URL's origin changes. */
const secretText = Type.Union([plainText, Type.Null()]);
const oauthForm = Type.Object(
  {
    tokenUrl: Type.String(),
    clientId: plainText,
    clientSecret: secretText,
    /** Empty for none, like the audience. */
    scope: plainText,
    audience: plainText,
    clientAuthentication: Type.Enum([...CLIENT_AUTHENTICATIONS]),
  },
  CLOSED,
);
const authenticationForm = Type.Object(
  {
    oauth: Type.Union([oauthForm, Type.Null()]),
    certificate: Type.Union([Type.Object({ chain: plainText, key: secretText }, CLOSED), Type.Null()]),
  },
  CLOSED,
);

export const certificateForm = Type.Object({ chain: plainText }, CLOSED);

/** What is sent; see `body.ts`. */
export const bodySettings = {
  body: Type.Enum([...BODY_KINDS]),
  /** Bounded here only against nonsense: `bodies/template.ts` checks it. `null` unless `body` is `template`. */
  template: Type.Union([Type.String({ maxLength: 4 * LIMITS.templateBytesMax }), Type.Null()]),
};

/** People write several with commas between them. */
export const tagForm = shownLine("a tag", LIMITS.tagCharsMax, ",");

/** The settings that are kept as they were given: nothing of them is sealed or computed. */
const KEPT = {
  /** The owner's rate limit in deliveries a second; `null` for none. */
  ratePerSecond: Type.Union([Type.Number(), Type.Null()]),
  /** The next request starts when the delivery before it has ended, in the order of acceptance. */
  oneAtATime: Type.Boolean(),
  ...bodySettings,
  /** People find it by them; nothing is sent by them. Kept in the order of the alphabet, each once. */
  tags: Type.Array(tagForm, { maxItems: LIMITS.tagsMax }),
};

const keptSettings = Type.Object(KEPT);

export const webhookForm = Type.Object(
  {
    url: Type.String(),
    headers: Type.Array(headerForm, { maxItems: 10 * LIMITS.customHeadersMax }),
    /** An access token and a client certificate; neither when left out. */
    authentication: Type.Optional(Type.Union([authenticationForm, Type.Null()])),
    /** Left out, those that are saved stay: a page of an older version takes none away. */
    ...Type.Partial(keptSettings).properties,
  },
  CLOSED,
);

export type WebhookForm = FormOf<typeof webhookForm>;
export type HeaderForm = WebhookForm["headers"][number];
export type AuthenticationForm = NonNullable<WebhookForm["authentication"]>;
export type OauthForm = NonNullable<AuthenticationForm["oauth"]>;
export type CertificateForm = NonNullable<AuthenticationForm["certificate"]>;

export type KeptSettings = FormOf<typeof keptSettings>;

/** The settings of a webhook that has only a URL. */
export const UNTOUCHED: KeptSettings = {
  ratePerSecond: null,
  oneAtATime: false,
  body: "event",
  template: null,
  tags: [],
};

/** Those that `from` leaves out are as `saved` has them. */
export function pickKept(from: Partial<KeptSettings>, saved: KeptSettings = UNTOUCHED): KeptSettings {
  const all: KeptSettings = { ...saved, ...from };
  return Object.fromEntries(Object.keys(KEPT).map((key) => [key, all[key as keyof KeptSettings]])) as KeptSettings;
}
