/**
 * The lead: the visitor, where the product knows them. Both payloads carry it, as an object or as `null` for an unknown
 * visitor. Source: specification §2.2; decisions §2 (the substitute for an absent value).
 */
import Type from "typebox";
import type { Static } from "typebox";
import { LABEL_CHARS_MAX, bodyUuid, email, nullable, optionalText, uuid } from "./fields.ts";

export const SAMPLE_LEAD = {
  id: "0d9f2f0e-8f5e-4f0b-8d5f-6a1f4c1b7e21",
  client_source: "website",
  client_tracking_id: "crm-48211",
  email: "ada@example.com",
  first_name: "Ada",
  last_name: "Lovelace",
  lead_source: "demo_form",
};

/** The lead as intake accepts it: only `id` and `email` are required. */
export const leadRecordSchema = Type.Object(
  {
    id: uuid({ description: "Lead identifier.", examples: [SAMPLE_LEAD.id] }),
    client_source: optionalText(LABEL_CHARS_MAX, { description: "Where the product knows the lead from." }),
    client_tracking_id: optionalText(LABEL_CHARS_MAX, { description: "The lead's id in the owner's own system." }),
    email: email({ description: "E-mail address.", examples: [SAMPLE_LEAD.email] }),
    first_name: optionalText(LABEL_CHARS_MAX, { description: "First name." }),
    last_name: optionalText(LABEL_CHARS_MAX, { description: "Last name." }),
    lead_source: optionalText(LABEL_CHARS_MAX, { description: "How the visitor became a lead." }),
  },
  { additionalProperties: false, description: "The known visitor.", examples: [SAMPLE_LEAD] },
);

/** The lead as receivers get it: every key, in the order of the specification's table. */
export const leadBodySchema = Type.Object(
  {
    id: bodyUuid({ description: "Lead identifier.", examples: [SAMPLE_LEAD.id] }),
    client_source: Type.String({ description: 'Where the product knows the lead from; "" when not known.' }),
    client_tracking_id: nullable(Type.String(), {
      description: "The lead's id in the owner's own system; null when absent.",
    }),
    email: Type.String({ description: "E-mail address.", examples: [SAMPLE_LEAD.email] }),
    first_name: Type.String({ description: 'First name; may be "".' }),
    last_name: Type.String({ description: 'Last name; may be "".' }),
    lead_source: Type.String({ description: 'How the visitor became a lead; "" when not known.' }),
  },
  { additionalProperties: false, description: "The known visitor.", examples: [SAMPLE_LEAD] },
);

type LeadRecord = Static<typeof leadRecordSchema>;
type LeadBody = Static<typeof leadBodySchema>;

/** Fills in absent values; `null` and a missing lead both mean an unknown visitor. */
export function leadBody(lead: LeadRecord | null | undefined): LeadBody | null {
  if (lead === null || lead === undefined) return null;
  return {
    id: lead.id.toLowerCase(),
    client_source: lead.client_source ?? "",
    client_tracking_id: lead.client_tracking_id ?? null,
    email: lead.email,
    first_name: lead.first_name ?? "",
    last_name: lead.last_name ?? "",
    lead_source: lead.lead_source ?? "",
  };
}
