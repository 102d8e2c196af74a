/**
 * A declared type beside the built-in one, for what a webhook of it costs: the same members under the same schema, in a
 * body of as many bytes, so that only the way to it differs. Each of 8 accounts has one webhook that wants the type,
 * one that wants sessions under conditions that hold, one that makes a body of its own of them, or one alert that fires
 * for every session.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoViewed } from "../../src/events/demo-viewed.ts";
import type { SetUp } from "../../test/kit/process/account.ts";
import { bodyText, DECLARED_TYPE } from "../record.ts";

export const ACCOUNTS = Array.from({ length: 8 }, (_, number) => `account-${number}`);

/** Makes the folder of the types' files, and returns its path. */
export function declareTypes(folder: string, types: readonly string[] = [DECLARED_TYPE]): string {
  const events = join(folder, "events");
  mkdirSync(events);
  const { event: _, ...example } = JSON.parse(bodyText(0)) as Record<string, unknown>;
  for (const type of types) {
    writeFileSync(join(events, `${type}.json`), JSON.stringify({ type, ...DECLARATION, schema: toSchema(), example }));
  }
  return events;
}

const DECLARATION = {
  title: "A session as a declared type",
  key: "/id",
  occurred_at: "/viewed_at",
  headline: ["/lead/email", "/name"],
  search: ["/lead/first_name", "/lead/last_name", "/lead/email", "/buyer_reveal/company_name", "/name"],
};

/** What makes a body large. */
const NOTES = {
  type: "array",
  items: { type: "object", properties: { by: { type: "string" }, text: { type: "string", maxLength: 1_000 } } },
} as const;

function toSchema(): object {
  const { properties, required, ...schema } = JSON.parse(JSON.stringify(demoViewed.bodySchema)) as {
    readonly properties: Record<string, object>;
    readonly required: readonly string[];
  };
  const { event: _, ...members } = properties;
  return {
    ...schema,
    properties: { ...members, viewed_at: { type: "string", format: "date-time" }, notes: NOTES },
    required: required.filter((name) => name !== "event"),
  };
}

/** Twenty placeholders; the id stands first, where the receiver reads it. */
const TEMPLATE = JSON.stringify({
  id: "{{id}}",
  contact: {
    email: "{{lead.email}}",
    name: "{{lead.first_name}} {{lead.last_name}}",
    phone: "{{lead.phone_number|none}}",
    company: "{{buyer_reveal.company_name}} ({{buyer_reveal.company_domain}})",
    country: "{{location.country}}",
  },
  demo: { title: "{{name}}: {{link_name}}", seen: "{{completion}}", seconds: "{{time_spent}}", at: "{{viewed_at}}" },
  campaign: "{{utm_params.utm_source}}/{{utm_params.utm_medium}}/{{utm_params.utm_campaign}}",
  links: ["{{analytics_url}}", "{{link}}", "{{referers.0}}"],
  level: "{{intent_level}}",
  delivery: "{{webhook_id}}",
});

/** What webhooks of each kind want; an alert takes every session. */
export function wantedBy(
  arrangement: "built-in" | "declared" | "conditions" | "template",
  url: string,
): Pick<SetUp, "alerts" | "webhooks"> {
  if (arrangement === "built-in") return { alerts: [{ url }] };
  if (arrangement === "template") {
    return { webhooks: [{ url, events: [{ type: demoViewed.type }], body: "template", template: TEMPLATE }] };
  }
  const conditions = { join: "all", list: HOLDING } as const;
  const wanted = arrangement === "declared" ? { type: DECLARED_TYPE } : { type: demoViewed.type, conditions };
  return { webhooks: [{ url, events: [wanted] }] };
}

/** They hold for each record of the bench. */
const HOLDING = [
  { field: "lead.email", operator: "known" },
  { field: "name", operator: "begins_with", value: "demo" },
  { field: "completion", operator: "at_least", value: "1" },
] as const;
