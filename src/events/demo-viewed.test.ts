import assert from "node:assert/strict";
import { test } from "node:test";
import { DEMO_VIEWED_SAMPLES, demoViewed } from "./demo-viewed.ts";

const { knownLead, unknownVisitor } = DEMO_VIEWED_SAMPLES;
const account = { appUrl: "https://app.example.com" };

function buildBody(record: object): Record<string, unknown> {
  const parsed = demoViewed.parse(JSON.stringify(record));
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.error.detail);
  return JSON.parse(parsed.value.buildBody(account)) as Record<string, unknown>;
}

function findErrors(record: unknown) {
  const parsed = demoViewed.parse(typeof record === "string" ? record : JSON.stringify(record));
  assert.ok(!parsed.ok, "was accepted");
  return parsed.error;
}

const known = buildBody(knownLead);
const unknown = buildBody(unknownVisitor);

/** Specification §2.1, in the order of its table: the fields in the known session's body. */
const FIELDS: [field: string, value: unknown][] = [
  ["id", "5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11"],
  ["analytics_url", "https://app.example.com/audience/sessions/5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11"],
  ["buyer_reveal", knownLead.buyer_reveal],
  ["checklist_completed", true],
  ["completion", 72.5],
  ["cta_opened", "https://example.com/book-a-call"],
  ["host_url", "https://app.example.com/share/q7Rk2mXa"],
  ["intent_level", "high"],
  ["lead", knownLead.lead],
  ["link", "https://app.example.com/share/q7Rk2mXa"],
  ["link_name", "Spring campaign"],
  ["location", knownLead.location],
  ["name", "Product tour"],
  ["referers", ["https://www.example.com/search?q=product+tour", "https://example.com/pricing"]],
  ["time_spent", 184],
  ["utm_params", { utm_source: "newsletter", utm_medium: "email", utm_campaign: "spring" }],
  ["viewed_at", "2026-11-20T12:00:00.000+00:00"],
  ["event", "demo_viewed"],
];

for (const [field, value] of FIELDS) {
  test(`carries ${field} of table 2.1`, () => assert.deepEqual(known[field], value));
}

const ORDER: [table: string, object: unknown, keys: string[]][] = [
  ["2.1 session", known, FIELDS.map(([field]) => field)],
  ["2.1 session of an unknown visitor", unknown, FIELDS.map(([field]) => field)],
  [
    "2.2 lead",
    known["lead"],
    ["id", "client_source", "client_tracking_id", "email", "first_name", "last_name", "lead_source"],
  ],
  [
    "2.3 company",
    unknown["buyer_reveal"],
    ["company_name", "company_domain", "company_annual_revenue_range", "company_employee_range", "confidence_score"],
  ],
  ["2.4 location", unknown["location"], ["city", "country", "state"]],
];

for (const [table, object, keys] of ORDER) {
  test(`has exactly the keys of table ${table}, in its order`, () => {
    assert.deepEqual(Object.keys(object as object), keys);
  });
}

const lead = { id: knownLead.lead.id, email: "ada@example.com" };
const noCompany = {
  company_name: "",
  company_domain: "",
  company_annual_revenue_range: "",
  company_employee_range: "",
  confidence_score: "",
};

/* Decisions §2, row by row; `undefined` leaves the field out of the record. */
const DECIDED: [sentence: string, given: object, field: string, value: unknown][] = [
  [
    "keeps the offset of viewed_at",
    { viewed_at: "2026-11-20T12:00:00-08:00" },
    "viewed_at",
    "2026-11-20T12:00:00.000-08:00",
  ],
  [
    "writes Z in viewed_at as +00:00",
    { viewed_at: "2026-11-20T12:00:00Z" },
    "viewed_at",
    "2026-11-20T12:00:00.000+00:00",
  ],
  ["takes completion 0", { completion: 0 }, "completion", 0],
  ["takes completion 100", { completion: 100 }, "completion", 100],
  ["passes a fraction of time_spent through", { time_spent: 0.25 }, "time_spent", 0.25],
  ["passes any intent_level through", { intent_level: "Très élevé" }, "intent_level", "Très élevé"],
  ["sends cta_opened null when left out", { cta_opened: undefined }, "cta_opened", null],
  ["sends cta_opened null when null", { cta_opened: null }, "cta_opened", null],
  ["sends lead null for an unknown visitor", { lead: null }, "lead", null],
  ["sends lead null when left out", { lead: undefined }, "lead", null],
  [
    "fills in what a lead lacks",
    { lead },
    "lead",
    { ...lead, client_source: "", client_tracking_id: null, first_name: "", last_name: "", lead_source: "" },
  ],
  [
    "takes null for what a lead lacks",
    {
      lead: {
        ...lead,
        client_source: null,
        client_tracking_id: null,
        first_name: null,
        last_name: null,
        lead_source: null,
      },
    },
    "lead",
    { ...lead, client_source: "", client_tracking_id: null, first_name: "", last_name: "", lead_source: "" },
  ],
  ["sends an empty buyer_reveal when null", { buyer_reveal: null }, "buyer_reveal", noCompany],
  ["sends an empty buyer_reveal when left out", { buyer_reveal: undefined }, "buyer_reveal", noCompany],
  [
    "fills in what a company lacks",
    { buyer_reveal: { company_name: "Example", company_domain: null } },
    "buyer_reveal",
    { ...noCompany, company_name: "Example" },
  ],
  ["sends an empty location when null", { location: null }, "location", { city: "", country: "", state: "" }],
  [
    "fills in what a location lacks",
    { location: { country: "PT", city: null } },
    "location",
    { city: "", country: "PT", state: "" },
  ],
  ["sends no referers when left out", { referers: undefined }, "referers", []],
  ["sends empty utm_params when left out", { utm_params: undefined }, "utm_params", {}],
  ["sends the session's id in lower case", { id: knownLead.id.toUpperCase() }, "id", knownLead.id],
  [
    "sends analytics_url with the id in lower case",
    { id: knownLead.id.toUpperCase() },
    "analytics_url",
    `https://app.example.com/audience/sessions/${knownLead.id}`,
  ],
  [
    "sends the lead's id in lower case",
    { lead: { ...knownLead.lead, id: knownLead.lead.id.toUpperCase() } },
    "lead",
    knownLead.lead,
  ],
  ["sends any text of cta_opened as it came", { cta_opened: "Book a call" }, "cta_opened", "Book a call"],
  ["sends an empty cta_opened as it came", { cta_opened: "" }, "cta_opened", ""],
  [
    "sends an exotic address as it came",
    { cta_opened: "HTTP://exämple.com:80/a b?q=%zz#x" },
    "cta_opened",
    "HTTP://exämple.com:80/a b?q=%zz#x",
  ],
  ["sends any texts of referers as they came", { referers: ["/pricing", "", "x"] }, "referers", ["/pricing", "", "x"]],
  ["takes an unnamed link", { link_name: "" }, "link_name", ""],
  [
    "takes a share code with every legal sign",
    { share_code: "a.B_9~-" },
    "link",
    "https://app.example.com/share/a.B_9~-",
  ],
];

for (const [sentence, given, field, value] of DECIDED) {
  test(sentence, () => assert.deepEqual(buildBody({ ...knownLead, ...given })[field], value));
}

test("host_url and link are always the same address", () => assert.equal(unknown["host_url"], unknown["link"]));

test("keeps __proto__ as a campaign parameter", () => {
  const text = JSON.stringify(knownLead).replace('"utm_source"', '"__proto__"');
  const parsed = demoViewed.parse(text);
  assert.ok(parsed.ok && parsed.value.buildBody(account).includes('"utm_params":{"__proto__":"newsletter",'));
});

test("names the session in lower case, whatever the record's case", () => {
  const parsed = demoViewed.parse(JSON.stringify({ ...knownLead, id: knownLead.id.toUpperCase() }));
  assert.ok(parsed.ok);
  assert.equal(parsed.value.sourceId, knownLead.id);
});

const FACTS: [title: string, given: object, hasLead: boolean, hasCompany: boolean][] = [
  ["a lead and a company", {}, true, true],
  ["nothing known", { lead: null, buyer_reveal: null }, false, false],
  ["a company's domain alone", { lead: null, buyer_reveal: { company_domain: "example.com" } }, false, true],
  ["a company's size alone", { lead: null, buyer_reveal: { company_employee_range: "1 - 10" } }, false, false],
  ["an empty company", { buyer_reveal: { company_name: "", company_domain: "" } }, true, false],
];

for (const [title, given, hasLead, hasCompany] of FACTS) {
  test(`routes by ${title}`, () => {
    const parsed = demoViewed.parse(JSON.stringify({ ...knownLead, ...given }));
    assert.ok(parsed.ok);
    const session = { demoName: "Product tour", intentLevel: "high", hasLead, hasCompany };
    const { toPayload, ...facts } = parsed.value.facts;
    assert.equal(toPayload({ appUrl: "" })["id"], parsed.value.sourceId);
    assert.deepEqual(facts, { type: "demo_viewed", plan: "starter", assistantId: null, session });
  });
}

const EMAIL_MESSAGE = "must be an e-mail address, such as ada@example.com";
const UUID_MESSAGE = "must be a UUID, such as 5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11";
const CODE_MESSAGE = "must be a code of 1 to 128 characters, each one of A-Z a-z 0-9 . _ ~ -, and not just dots";
const TIME_MESSAGE = "must be an ISO 8601 time that exists, with an offset, such as 2026-11-20T12:00:00.000+00:00";

const REFUSED: [given: object, path: string, message: string][] = [
  [{ id: "session-17" }, "id", UUID_MESSAGE],
  [{ id: undefined }, "id", `is missing: ${UUID_MESSAGE}`],
  [{ name: "" }, "name", "must not be empty"],
  [{ name: "x".repeat(513) }, "name", "must have at most 512 characters, not 513"],
  [{ share_code: "a/b" }, "share_code", CODE_MESSAGE],
  [{ share_code: ".." }, "share_code", CODE_MESSAGE],
  [{ share_code: "" }, "share_code", CODE_MESSAGE],
  [{ link_name: undefined }, "link_name", "is missing: must be a string"],
  [{ viewed_at: "2026-11-20T12:00:00" }, "viewed_at", TIME_MESSAGE],
  [{ viewed_at: 1_795_176_000 }, "viewed_at", "must be a string, not a number"],
  [{ completion: 100.1 }, "completion", "must be a number from 0 to 100"],
  [{ completion: "72" }, "completion", "must be a number, not a string"],
  [{ time_spent: -1 }, "time_spent", "must be a number of at least 0"],
  [{ intent_level: "" }, "intent_level", "must not be empty"],
  [{ intent_level: "x".repeat(65) }, "intent_level", "must have at most 64 characters, not 65"],
  [{ checklist_completed: null }, "checklist_completed", "must be true or false, not null"],
  [{ cta_opened: 7 }, "cta_opened", "must be a string or null, not a number"],
  [
    { cta_opened: `https://example.com/${"x".repeat(8_173)}` },
    "cta_opened",
    "must have at most 8192 characters, not 8193",
  ],
  [{ referers: null }, "referers", "must be an array, not null"],
  [{ referers: ["https://example.com", null] }, "referers[1]", "must be a string, not null"],
  [{ referers: ["x".repeat(8_193)] }, "referers[0]", "must have at most 8192 characters, not 8193"],
  [{ referers: Array(1_001).fill("https://e.com") }, "referers", "must have at most 1000 items, not 1001"],
  [{ utm_params: { utm_term: 7 } }, "utm_params.utm_term", "must be a string, not a number"],
  [{ utm_params: [] }, "utm_params", "must be an object, not an array"],
  [{ lead: {} }, "lead.email", `is missing: ${EMAIL_MESSAGE}`],
  [{ lead: { ...lead, email: "ada" } }, "lead.email", EMAIL_MESSAGE],
  [{ lead: { ...lead, email: "a b@example.com" } }, "lead.email", EMAIL_MESSAGE],
  [
    { lead: { ...lead, email: `${"x".repeat(309)}@example.com` } },
    "lead.email",
    "must have at most 320 characters, not 321",
  ],
  [{ lead: { ...lead, id: 7 } }, "lead.id", "must be a string, not a number"],
  [{ lead: { ...lead, first_name: 7 } }, "lead.first_name", "must be a string or null, not a number"],
  [{ lead: { ...lead, firstname: "" } }, "lead.firstname", "is not a known field; did you mean first_name?"],
  [
    { buyer_reveal: { confidence_score: 0.9 } },
    "buyer_reveal.confidence_score",
    "must be a string or null, not a number",
  ],
  [
    { buyer_reveal: { name: "" } },
    "buyer_reveal.name",
    `is not a known field; known here are ${Object.keys(noCompany).join(", ")}`,
  ],
  [{ location: "Lisbon" }, "location", "must be an object or null, not a string"],
  [{ location: { zip: "" } }, "location.zip", "is not a known field; known here are city, country, state"],
  [{ viewedAt: "", viewed_at: undefined }, "viewedAt", "is not a known field; did you mean viewed_at?"],
];

for (const [given, path, message] of REFUSED) {
  test(`refuses ${JSON.stringify(given).slice(0, 60)} at ${path}`, () => {
    const { code, errors = [], detail } = findErrors({ ...knownLead, ...given });
    assert.equal(code, "invalid_record");
    assert.equal(errors.find((error) => error.path === path)?.message, message);
    assert.ok(detail.startsWith(`${errors[0]?.path} ${errors[0]?.message}`));
  });
}

test("refuses what is not one record", () => {
  assert.deepEqual(findErrors([]).errors, [{ path: "", message: "must be an object, not an array" }]);
  assert.equal(findErrors("null").detail, "The record must be an object, not null.");
  assert.equal(findErrors("{").code, "invalid_json");
});

test("refuses a number that is too large for a float", () => {
  const text = JSON.stringify(knownLead).replace('"time_spent":184', '"time_spent":1e400');
  assert.equal(findErrors(text).errors?.[0]?.message, "must be a number between -1.8e308 and 1.8e308");
});

test("says in the detail how many other fields are wrong", () => {
  assert.match(findErrors({ ...knownLead, completion: -1, name: 7 }).detail, / 1 more field is listed in errors\.$/);
  assert.match(findErrors({}).detail, /^id is missing: .*\. 8 more fields are listed in errors\.$/);
});
