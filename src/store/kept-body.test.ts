import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { EventType } from "../domain/event.ts";
import { EVENT_FAMILIES } from "../events/catalog.ts";
import { CHAT_CONVERSATION_SAMPLES } from "../events/chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES } from "../events/demo-viewed.ts";
import { readBody, shortenBody } from "./kept-body.ts";

function build(type: EventType, record: object): string {
  const parsed = EVENT_FAMILIES[type].parse(JSON.stringify(record));
  if (!parsed.ok) throw new Error(parsed.error.detail);
  return parsed.value.buildBody({ appUrl: "https://app.example.com" });
}

const { knownLead, unknownVisitor } = DEMO_VIEWED_SAMPLES;
const { textChat, voiceChat } = CHAT_CONVERSATION_SAMPLES;

const USUAL = {
  "a session of a known visitor": { body: build("demo_viewed", knownLead), share: 0.5, form: "A" },
  "a session of an unknown visitor": { body: build("demo_viewed", unknownVisitor), share: 0.3, form: "B" },
  "a conversation with a lead": { body: build("chat_conversation_completed", textChat), share: 0.6, form: "C" },
  "a conversation without one": { body: build("chat_conversation_completed", voiceChat), share: 0.4, form: "D" },
};

describe("a body is kept without what each body of its family has:", () => {
  for (const [name, { body, share, form }] of Object.entries(USUAL)) {
    test(name, () => {
      const kept = shortenBody(body);
      assert.equal(kept.charAt(1), form);
      assert.ok(kept.length <= share * body.length, `${kept.length} of ${body.length} characters`);
      assert.equal(readBody(kept), body);
    });
  }
});

test("a body that an earlier Bellwire has kept whole is read as it stands", () => {
  for (const { body } of Object.values(USUAL)) assert.equal(readBody(body), body);
  assert.equal(readBody(""), "");
});

/** Frozen: rows that were written with these forms stay for months. Each value is the number of its place. */
const FROZEN = {
  A: [
    '{"id":"<0>","analytics_url":"<1>/audience/sessions/<2>","buyer_reveal":{"company_name":"<3>","compan',
    'y_domain":"<4>","company_annual_revenue_range":"<5>","company_employee_range":"<6>","confidence_scor',
    'e":"<7>"},"checklist_completed":<8>,"completion":<9>,"cta_opened":<10>,"host_url":"<11>/share/<12>",',
    '"intent_level":"<13>","lead":{"id":"<14>","client_source":"<15>","client_tracking_id":<16>,"email":"',
    '<17>","first_name":"<18>","last_name":"<19>","lead_source":"<20>"},"link":"<21>/share/<22>","link_na',
    'me":"<23>","location":{"city":"<24>","country":"<25>","state":"<26>"},"name":"<27>","referers":[<28>',
    '],"time_spent":<29>,"utm_params":{<30>},"viewed_at":"<31>","event":"demo_viewed"}',
  ].join(""),
  B: [
    '{"id":"<0>","analytics_url":"<1>/audience/sessions/<2>","buyer_reveal":{"company_name":"<3>","compan',
    'y_domain":"<4>","company_annual_revenue_range":"<5>","company_employee_range":"<6>","confidence_scor',
    'e":"<7>"},"checklist_completed":<8>,"completion":<9>,"cta_opened":<10>,"host_url":"<11>/share/<12>",',
    '"intent_level":"<13>","lead":null,"link":"<14>/share/<15>","link_name":"<16>","location":{"city":"<1',
    '7>","country":"<18>","state":"<19>"},"name":"<20>","referers":[<21>],"time_spent":<22>,"utm_params":',
    '{<23>},"viewed_at":"<24>","event":"demo_viewed"}',
  ].join(""),
  C: [
    '{"id":"<0>","event":"chat_conversation_completed","transcript":"<1>","conversation_summary":"<2>","t',
    'opics":[<3>],"intent_level":"<4>","extracted_variables":{"email":"<5>","visitor_name":"<6>","phone_n',
    'umber":"<7>","qualified":<8>},"duration":<9>,"message_count":<10>,"messages_count":<11>,"started_at"',
    ':"<12>","completed_at":"<13>","cta_opened":<14>,"lead":{"id":"<15>","client_source":"<16>","client_t',
    'racking_id":<17>,"email":"<18>","first_name":"<19>","last_name":"<20>","lead_source":"<21>"},"buyer_',
    'reveal":{"company_name":"<22>","company_domain":"<23>","company_annual_revenue_range":"<24>","compan',
    'y_employee_range":"<25>","confidence_score":"<26>"},"location":{"city":"<27>","country":"<28>","stat',
    'e":"<29>"}}',
  ].join(""),
  D: [
    '{"id":"<0>","event":"chat_conversation_completed","transcript":"<1>","conversation_summary":"<2>","t',
    'opics":[<3>],"intent_level":"<4>","extracted_variables":{"email":"<5>","visitor_name":"<6>","phone_n',
    'umber":"<7>","qualified":<8>},"duration":<9>,"message_count":<10>,"messages_count":<11>,"started_at"',
    ':"<12>","completed_at":"<13>","cta_opened":<14>,"lead":null,"buyer_reveal":{"company_name":"<15>","c',
    'ompany_domain":"<16>","company_annual_revenue_range":"<17>","company_employee_range":"<18>","confide',
    'nce_score":"<19>"},"location":{"city":"<20>","country":"<21>","state":"<22>"}}',
  ].join(""),
};

describe("a row that was kept is read by every later Bellwire: form", () => {
  for (const [letter, body] of Object.entries(FROZEN)) {
    test(letter, () => {
      const places = body.match(/<\d+>/g) ?? [];
      assert.equal(readBody(`\u0001${letter}${places.join("\u0001")}`), body);
    });
  }

  test("an earlier value is found where a mark stands for it", () => {
    const { body } = USUAL["a session of a known visitor"];
    const values = shortenBody(body).slice(2).split("\u0001");
    assert.deepEqual(
      [2, 11, 21, 22].map((place) => values[place]),
      ["\u0002", "\u0002", "\u0002", "\u0002"],
    );
  });
});

test("a text too long to look through is kept as it is", () => {
  const long = build("chat_conversation_completed", { ...textChat, conversation_summary: "x".repeat(1_900) });
  assert.ok(shortenBody(long).length < long.length);
  const { body } = USUAL["a conversation with a lead"];
  const longer = body.replace("Looks for", "Looks for ".repeat(2_000));
  assert.equal(shortenBody(longer), longer);
});

/** Also with what forms are made of in its values. */
const odd = fc.oneof(
  fc.constantFrom("\u0001", "\u0002", "\u0001A", "", '","link":"', ',"lead":null', "é", "日本", "\0", '"', "\\"),
  fc.string({ unit: "binary" }),
);
const records = fc.oneof(
  fc
    .tuple(odd, odd)
    .map(([name, city]) => build("demo_viewed", { ...knownLead, link_name: `n${name}`, location: { city } })),
  fc.tuple(odd, odd).map(([summary, signal]) =>
    build("chat_conversation_completed", {
      ...voiceChat,
      conversation_summary: `s${summary}`,
      extracted_variables: { visitor_name: signal, [`x${signal}`]: { lead: { id: summary }, link: signal } },
    }),
  ),
);
const texts = fc.oneof(
  records,
  odd,
  fc.tuple(fc.constantFrom(...Object.values(USUAL)), odd, fc.nat(1_200)).map(([{ body }, text, at]) => {
    return body.slice(0, at) + text + body.slice(at);
  }),
  fc.constantFrom(...Object.values(USUAL)).map(({ body }) => shortenBody(body)),
);

test("any text comes back to the character", () => {
  fc.assert(
    fc.property(texts, (text) => assert.equal(readBody(shortenBody(text)), text)),
    { numRuns: 3_000 },
  );
});
