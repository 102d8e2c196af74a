/**
 * The bodies of the page's calls, each said once: the server checks what arrives by the schema (closed, bounded, by
 * field), and `FormOf` is its type for handler and page.
 */
import Type from "typebox";
import { AFTER_PATTERN, PERSON_PATTERN } from "../../domain/person.ts";
import { ALERT_AUDIENCES } from "../../domain/alert.ts";
import { CHANNEL_KINDS } from "../../domain/channel.ts";
import { conditionsForm } from "../../domain/conditions-form.ts";
import { DELIVERY_STATES } from "../../domain/delivery.ts";
import { OWNER_KINDS, TYPE_NAME_PATTERN } from "../../domain/event.ts";
import { CLOSED, shownLine } from "../../domain/form.ts";
import { LIMITS } from "../../domain/limits.ts";
import { bodySettings, headerForm, tagForm, webhookForm } from "../../domain/webhook-form.ts";
import { EMAIL_CHARS_MAX } from "../../events/fields.ts";
import { KEY_KINDS } from "../../store/contract/read-keys.ts";

/** Forms, which people fill in by hand; the largest of them is an alert with a hundred demos and 20 headers. */
export const FORM_BYTES_MAX = 128 * 1024;

/** A form with an event's body in it: inside the form's JSON each of its characters may take a backslash. */
export const EVENT_FORM_BYTES_MAX = 2 * LIMITS.recordBytesMax + FORM_BYTES_MAX;

const conditions = Type.Union([conditionsForm, Type.Null()]);

/** The conditions of an alert; guesses at "more than anybody picks by hand". */
const CHOICES_MAX = 200;
const CHOICE_CHARS_MAX = 512;

const choices = Type.Array(Type.String({ minLength: 1, maxLength: CHOICE_CHARS_MAX }), { maxItems: CHOICES_MAX });

const demands = {
  audience: Type.Enum([...ALERT_AUDIENCES]),
  demos: choices,
  intentLevels: choices,
};

export const alertForm = Type.Object(
  {
    name: shownLine("a name", LIMITS.alertNameCharsMax),
    ...demands,
    /** Left out, those that are saved stay: a page of an older version takes none away. */
    conditions: Type.Optional(conditions),
    webhooksOn: Type.Boolean(),
    /** `null` leaves Webhook URL and headers as they are. */
    webhook: Type.Union([webhookForm, Type.Null()]),
  },
  CLOSED,
);

/** A guess, far above the event types that an operator may declare. */
const WANTED_TYPES_MAX = 1_000;
const wantedType = Type.Object(
  { type: Type.String({ maxLength: CHOICE_CHARS_MAX }), conditions: Type.Optional(conditions) },
  CLOSED,
);

export const ownWebhookForm = Type.Object(
  {
    name: shownLine("a name", LIMITS.webhookNameCharsMax),
    /** `all`: every type, also one that is declared later. */
    events: Type.Union([Type.Literal("all"), Type.Array(wantedType, { maxItems: WANTED_TYPES_MAX })]),
    webhook: webhookForm,
  },
  CLOSED,
);

export const assistantForm = Type.Object(
  { webhook: Type.Union([webhookForm, Type.Null()]), conditions: Type.Optional(conditions) },
  CLOSED,
);

export const alertPreviewForm = Type.Object({ ...demands, conditions }, CLOSED);

export const previewForm = Type.Object({ conditions }, CLOSED);

/** `shown`: the event that is answered whole; the newest where it is `null`. */
const bodyPreview = {
  ...bodySettings,
  shown: Type.Union([Type.String({ maxLength: CHOICE_CHARS_MAX }), Type.Null()]),
};

export const bodyPreviewForm = Type.Object(bodyPreview, CLOSED);

export const webhookBodyPreviewForm = Type.Object(
  {
    ...bodyPreview,
    types: Type.Union([
      Type.Literal("all"),
      Type.Array(Type.String({ maxLength: CHOICE_CHARS_MAX }), { maxItems: WANTED_TYPES_MAX }),
    ]),
  },
  CLOSED,
);

/**
 * `body`: the exact body to send in the sample's place, JSON of an object. `tests.ts` looks at it; here only the size
 * of what arrives is bounded.
 */
const test = { webhook: webhookForm, body: Type.Optional(Type.String({ maxLength: 2 * LIMITS.recordBytesMax })) };

export const testForm = Type.Object(test, CLOSED);

/** `type`: the one whose sample is sent. */
export const eventTestForm = Type.Object({ ...test, type: Type.String({ maxLength: CHOICE_CHARS_MAX }) }, CLOSED);

/** Things that a person has chosen in a list, or that one trouble has. */
export const selectionForm = Type.Object(
  {
    ids: Type.Array(Type.String({ maxLength: 128 }), { minItems: 1, maxItems: LIMITS.selectionMax }),
  },
  CLOSED,
);

/** The delivery that the person saw at the head of the order. */
export const skipForm = Type.Object({ deliveryId: Type.String({ maxLength: 128 }) }, CLOSED);

export const destinationStateForm = Type.Object(
  {
    state: Type.Enum(["on", "paused"]),
    /** Turning on: send what waited (the default) or cancel it. */
    backlog: Type.Optional(Type.Enum(["send", "cancel"])),
  },
  CLOSED,
);

/* What is done with many webhooks at once. They are named by their owners: one of an alert may not be there yet. */

const owner = Type.Object({ kind: Type.Enum([...OWNER_KINDS]), id: Type.String({ maxLength: 128 }) }, CLOSED);
const owners = Type.Array(owner, { minItems: 1, maxItems: LIMITS.selectionMax });

/** To another host: the part of each URL before its path changes. */
export const moveForm = Type.Object(
  {
    step: Type.Literal("move"),
    origin: Type.String({ maxLength: LIMITS.urlCharsMax }),
    /** Saved secrets stay with the host that they were saved for: these are sent to the new one, by header. */
    secrets: Type.Record(Type.String({ maxLength: LIMITS.headerNameCharsMax }), headerForm.properties.value, {
      maxProperties: LIMITS.customHeadersMax,
    }),
  },
  CLOSED,
);

const stepForm = Type.Union([
  Type.Object({ step: Type.Literal("pause") }, CLOSED),
  Type.Object({ step: Type.Literal("turn_on"), backlog: Type.Enum(["send", "cancel"]) }, CLOSED),
  Type.Object({ step: Type.Literal("delete") }, CLOSED),
  Type.Object({ step: Type.Literal("header"), header: headerForm }, CLOSED),
  Type.Object({ step: Type.Literal("tag"), tag: tagForm, isOn: Type.Boolean() }, CLOSED),
  moveForm,
]);

export const chosenForm = Type.Object({ owners }, CLOSED);
export const chosenStepForm = Type.Object({ owners, change: stepForm }, CLOSED);
export const moveTestForm = Type.Object({ owner, move: moveForm }, CLOSED);

const instant = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
const responseForm = Type.Union([
  Type.Literal("none"),
  Type.Object({ hundreds: Type.Integer({ minimum: 1, maximum: 5 }) }, CLOSED),
  Type.Object({ status: Type.Integer({ minimum: 100, maximum: 599 }) }, CLOSED),
]);

/** Freezes the filter; the answer's count is exact, and nothing is sent until its state is set to `running`. */
export const replayForm = Type.Object(
  {
    filter: Type.Object(
      {
        destinationId: Type.Optional(Type.String({ maxLength: 128 })),
        type: Type.Optional(Type.String({ pattern: TYPE_NAME_PATTERN })),
        states: Type.Array(Type.Enum([...DELIVERY_STATES]), { minItems: 1, maxItems: DELIVERY_STATES.length }),
        response: Type.Optional(responseForm),
        q: Type.Optional(Type.String({ maxLength: 200 })),
        createdFromMs: instant,
        createdToMs: instant,
      },
      CLOSED,
    ),
    ratePerSecond: Type.Number({ minimum: 1, maximum: LIMITS.replayRatePerSecondMax }),
  },
  CLOSED,
);

/** `search`: as it stands in the address; `null` takes the view away. */
export const viewForm = Type.Object(
  {
    name: shownLine("a name", LIMITS.viewNameCharsMax),
    search: Type.Union([Type.String({ minLength: 1, maxLength: 2_000 }), Type.Null()]),
  },
  CLOSED,
);

export const replayStateForm = Type.Object({ state: Type.Enum(["running", "paused", "cancelled"]) }, CLOSED);

/** `secret` for the Webhook Verification Secret, `key` for the key pair. */
const kind = Type.Enum(["secret", "key"]);
export const rotateForm = Type.Object(
  {
    kind,
    /** `none`: the one from before stops at once. */
    overlap: Type.Union([Type.Enum(["none", "24h", "7d"]), Type.Object({ untilMs: Type.Integer() }, CLOSED)]),
  },
  CLOSED,
);
/** `current` stops the previous one now; `previous` goes back to it. */
export const endRotationForm = Type.Object({ kind, keep: Type.Enum(["current", "previous"]) }, CLOSED);

export const revealForm = Type.Object({ which: Type.Enum(["current", "previous"]) }, CLOSED);
export const signingKeyForm = Type.Object({ isOn: Type.Boolean() }, CLOSED);

/** As pasted; twice what a webhook may have: a body that was written anew with indents is larger. */
export const checkSignatureForm = Type.Object(
  {
    /** `Name: value` lines. */
    headers: Type.String({ maxLength: 64 * 1024 }),
    body: Type.String({ maxLength: 2 * LIMITS.recordBytesMax }),
  },
  CLOSED,
);

/** A person of an account's events; left out, `cursor` and `after` are the first page and the first part. */
const email = Type.String({
  pattern: PERSON_PATTERN,
  maxLength: EMAIL_CHARS_MAX,
  "x-message": "must be one e-mail address, such as jane@example.com",
});

export const personForm = Type.Object({ email, cursor: Type.Optional(Type.String({ maxLength: 200 })) }, CLOSED);

export const personReplayForm = Type.Object(
  { email, states: Type.Array(Type.Enum([...DELIVERY_STATES]), { minItems: 1, maxItems: DELIVERY_STATES.length }) },
  CLOSED,
);

export const erasePersonForm = Type.Object(
  {
    email,
    after: Type.Optional(Type.String({ pattern: AFTER_PATTERN, "x-message": "must be the next of the part before" })),
  },
  CLOSED,
);

export const addressForm = Type.Object(
  {
    address: Type.String({
      // One address and nothing else: no name, no list, and no line break that could begin another header.
      pattern: '^[^\\s@<>,;:"]+@[^\\s@<>,;:"]+\\.[^\\s@<>,;:".]+$',
      maxLength: EMAIL_CHARS_MAX,
      "x-message": "must be an e-mail address, such as ada@example.com",
    }),
  },
  CLOSED,
);

export const channelForm = Type.Object(
  {
    kind: Type.Enum([...CHANNEL_KINDS]),
    name: shownLine("a name", LIMITS.channelNameCharsMax),
    // Its length is told in the words of every Webhook URL.
    url: Type.String({ maxLength: 4 * LIMITS.urlCharsMax }),
  },
  CLOSED,
);

const keyName = shownLine("a name", LIMITS.readKeyNameCharsMax);
export const readKeyForm = Type.Object({ name: keyName }, CLOSED);
/** Where managing is open; `read` unless given. */
export const programKeyForm = Type.Object({ name: keyName, kind: Type.Optional(Type.Enum([...KEY_KINDS])) }, CLOSED);

/** A record as the product's back end would send it: JSON text. */
export const playgroundForm = Type.Object(
  { type: Type.String({ pattern: TYPE_NAME_PATTERN }), record: Type.String({ maxLength: LIMITS.recordBytesMax }) },
  CLOSED,
);

/** Of a link in an e-mail. */
const token = Type.String({ maxLength: 256 });
export const signInForm = Type.Object(
  {
    token,
    /** The page stands in a frame, so its cookie is kept for the site around it alone. */
    isFramed: Type.Optional(Type.Boolean()),
  },
  CLOSED,
);
const action = Type.Union([Type.Literal("confirm"), Type.Literal("stop"), Type.Literal("start")]);
export const mailLinkForm = Type.Object({ token }, CLOSED);
export const useMailLinkForm = Type.Object({ token, action }, CLOSED);
