/**
 * A webhook's settings as programs write and read them: the page's own forms in the API's spelling (`rate_per_second`
 * for `ratePerSecond`), with what people choose by leaving a field alone. So a field of a form is one of the API too.
 * Pure.
 */
import Type, { type TSchema } from "typebox";
import { type FormOf, CLOSED } from "../../domain/form.ts";
import { type Problem, problem, type Result } from "../../domain/problem.ts";
import { UNTOUCHED, type WebhookForm, webhookForm } from "../../domain/webhook-form.ts";
import { createValidator } from "../../events/validate.ts";
import { readBody } from "../../dashboard/call/operation.ts";
import { alertForm, assistantForm, ownWebhookForm } from "../../dashboard/forms/bodies.ts";
import { ok } from "../../lib/result.ts";

/** `null` for a webhook is the page's way to leave it, or to take it away. */
interface OfKind<Kind extends string, Form> {
  readonly kind: Kind;
  readonly webhook: WebhookForm;
  readonly own: Omit<Form, "webhook">;
}

export type SettingsForm =
  | OfKind<"alert", FormOf<typeof alertForm>>
  | OfKind<"webhook", FormOf<typeof ownWebhookForm>>
  | OfKind<"assistant", FormOf<typeof assistantForm> & { readonly assistantId: string }>;

const webhook = optionalBut(webhookForm, ["url"]);
const kind = <Name extends string>(name: Name) => Type.Literal(name);

/** The kind is part of what is written, and stays. */
export const settingsForm = inSnake(
  Type.Union(
    [
      Type.Object(
        { kind: kind("webhook"), ...optionalBut(ownWebhookForm, ["name", "events"]).properties, webhook },
        CLOSED,
      ),
      Type.Object({ kind: kind("alert"), ...optionalBut(alertForm, ["name"]).properties, webhook }, CLOSED),
      Type.Object(
        {
          kind: kind("assistant"),
          assistantId: Type.String({ maxLength: 128, description: "The product's own id of the chat assistant." }),
          ...optionalBut(assistantForm, []).properties,
          webhook,
        },
        CLOSED,
      ),
    ],
    {
      description:
        "Of a webhook of its own, of a demo alert, or of a chat assistant. What is left out is as it is in a form " +
        "that nobody touched. A secret value is null in answers; null in a call keeps it.",
    },
  ),
);

/** Each field but these may be left out. */
function optionalBut(form: TSchema, needed: readonly string[]): { properties: Record<string, TSchema> } & TSchema {
  const { properties } = form as unknown as { readonly properties: Record<string, TSchema> };
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    needed.includes(name) ? schema : Type.Optional(schema),
  ]);
  return Type.Object(Object.fromEntries(fields) as Record<string, TSchema>, CLOSED);
}

const validate = createValidator(settingsForm);

export function readSettings(request: Parameters<typeof readBody>[0]): Result<SettingsForm> {
  const body = readBody(request, validate);
  return body.ok ? ok(toForm(withNames(body.value, toCamel) as Given)) : body;
}

interface Given {
  readonly kind: SettingsForm["kind"];
  readonly webhook: Pick<WebhookForm, "url"> & Partial<WebhookForm>;
  readonly events?: "all" | readonly object[];
}

const NO_CONDITIONS = { conditions: null };
const OWN_DEFAULTS: Readonly<Record<SettingsForm["kind"], object>> = {
  alert: { audience: "all", demos: [], intentLevels: [], ...NO_CONDITIONS, webhooksOn: true },
  assistant: NO_CONDITIONS,
  webhook: {},
};

/** The schema has looked at it. */
function toForm({ kind: of, webhook: called, events, ...given }: Given): SettingsForm {
  const own = {
    ...OWN_DEFAULTS[of],
    ...given,
    ...(events !== undefined && {
      events: events === "all" ? events : events.map((wanted) => ({ ...NO_CONDITIONS, ...wanted })),
    }),
  };
  return {
    kind: of,
    own,
    webhook: { headers: [], authentication: null, ...UNTOUCHED, ...called },
  } as unknown as SettingsForm;
}

/* The API's spelling. */

/** Of a name, or of a path: `webhook.ratePerSecond` → `webhook.rate_per_second`. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const toCamel = (name: string): string => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

/** The same value with other names of its members, at any depth; texts stay. */
function withNames(value: unknown, toName: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((member) => withNames(member, toName));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toName(name), withNames(member, toName)]));
}

export const showInSnake = (value: unknown): unknown => withNames(value, toSnake);

/** A refusal of a form's check names fields as the page does. */
export function refusalInSnake(refusal: Problem): Problem {
  if (refusal.errors === undefined) return refusal;
  const errors = refusal.errors.map(({ path, message }) => ({ path: toSnake(path), message }));
  return problem(refusal.code, refusal.detail, errors);
}

/** A schema's own words have no capital letters in them where they are names of fields. */
function inSnake(schema: TSchema): TSchema {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    const { properties, required, ...rest } = part as Readonly<Record<string, unknown>>;
    const members = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, walk(member)]));
    if (typeof properties !== "object" || properties === null) return members;
    const named = Object.entries(properties).map(([name, member]) => [toSnake(name), walk(member)]);
    const needed = Array.isArray(required) ? { required: required.map((name) => toSnake(String(name))) } : {};
    return { ...members, properties: Object.fromEntries(named), ...needed };
  };
  return walk(schema) as TSchema;
}
