/**
 * The family `lead_identified`: a visitor of a demo who became known, sent to the webhooks of the demo alerts that fire
 * for the demo. Record at intake and body are the same but for `event` and the spelling of id and time.
 */
import Type, { type Static } from "typebox";
import { type Problem, type Result, ok } from "../domain/problem.ts";
import { beyondSchema } from "./beyond-schema.ts";
import type { Exactly } from "./exact-json.ts";
import type { EventFamily, ParsedRecord } from "./family.ts";
import { EXAMPLE_UUID, LABEL_CHARS_MAX, bodyTimestamp, bodyUuid, text, timestamp, uuid } from "./fields.ts";
import { SAMPLE_LEAD, leadBody, leadBodySchema, leadRecordSchema } from "./lead.ts";
import type { Payload } from "./payload.ts";
import { readRecord } from "./read-record.ts";
import { bodyTimestampText } from "./timestamp.ts";
import { createValidator } from "./validate.ts";

const same = {
  name: text(LABEL_CHARS_MAX, { description: "Name of the demo.", examples: ["Product tour"] }),
  intent_level: text(LABEL_CHARS_MAX, { description: "Buying intent; passed through.", examples: ["high"] }),
};

const recordSchema = Type.Object(
  {
    id: uuid({ description: "Identifier of the identification." }),
    ...same,
    identified_at: timestamp({ description: "When the visitor became known: ISO 8601 with an offset." }),
    lead: leadRecordSchema,
  },
  { additionalProperties: false, description: `An identified lead. ${beyondSchema("demo_session")}` },
);

const bodySchema = Type.Object(
  {
    id: bodyUuid({ description: "Identifier of the identification." }),
    ...same,
    identified_at: bodyTimestamp({ description: "When the visitor became known, with the offset given at intake." }),
    lead: leadBodySchema,
    event: Type.Literal("lead_identified", { description: "Always lead_identified." }),
  },
  { additionalProperties: false, description: "Body of the webhook for an identified lead." },
);

type GivenRecord = Static<typeof recordSchema>;
type LeadRecord = Exactly<GivenRecord>;

const validate = createValidator(recordSchema);

function parse(recordText: string, errorsMax?: number): Result<ParsedRecord, Problem> {
  const read = readRecord<GivenRecord>(recordText, { validate, errorsMax });
  if (!read.ok) return read;
  const record = read.value;
  return ok({
    sourceId: record.id.toLowerCase(),
    facts: {
      type: "lead_identified",
      owner: "alert",
      session: readFacts(record),
      toPayload: () => toBody(record) as unknown as Payload,
    },
    buildBody: () => JSON.stringify(toBody(record)),
  });
}

const readFacts = ({ name, intent_level: intentLevel }: Pick<LeadRecord, "name" | "intent_level">) => ({
  demoName: name,
  intentLevel,
  hasLead: true,
  hasCompany: false,
});

const toBody = (record: LeadRecord) => ({
  id: record.id.toLowerCase(),
  name: record.name,
  intent_level: record.intent_level,
  identified_at: bodyTimestampText(record.identified_at),
  lead: leadBody(record.lead),
  event: "lead_identified",
});

const sampleRecord = {
  id: EXAMPLE_UUID,
  name: "Product tour",
  intent_level: "high",
  identified_at: "2026-11-20T12:00:00.000+00:00",
  lead: SAMPLE_LEAD,
};

export const leadIdentified: EventFamily = {
  type: "lead_identified",
  summary: "Sent when a visitor of a demo becomes known and a demo alert fires for the demo.",
  recordSchema,
  bodySchema,
  sampleRecord,
  toTimes: (nowMs) => ({ identified_at: new Date(nowMs).toISOString() }),
  readSession: (body) => readFacts(body as unknown as LeadRecord),
  parse,
};
