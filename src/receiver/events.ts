/** The bodies of webhooks as types. Written by `npm run docs` from the schemas in src/events: change those. */
/** Body of the webhook for a viewed demo. */
export interface DemoViewed {
  /** Session identifier. */
  id: string;
  /** Address of the session in the analytics area. */
  analytics_url: string;
  /** The company, resolved from the visitor's IP address or e-mail. Unknown values are "". */
  buyer_reveal: {
    /** Name of the company. */
    company_name: string;
    /** Domain of the company's web site. */
    company_domain: string;
    /** Annual revenue, as the label of a range. */
    company_annual_revenue_range: string;
    /** Number of employees, as the label of a range. */
    company_employee_range: string;
    /** How sure the product is about the company, as a label. */
    confidence_score: string;
  };
  /** Whether the visitor completed the demo's checklist. */
  checklist_completed: boolean;
  /** How much of the demo was seen, in per cent (0 to 100). */
  completion: number;
  /** The call to action that was opened, as it came; null when none was. */
  cta_opened: string | null;
  /** Address of the shared demo. */
  host_url: string;
  /** Buying intent, such as high, medium or low; passed through. */
  intent_level: string;
  /** The known visitor; null for an unknown one. */
  lead: {
    /** Lead identifier. */
    id: string;
    /** Where the product knows the lead from; "" when not known. */
    client_source: string;
    /** The lead's id in the owner's own system; null when absent. */
    client_tracking_id: string | null;
    /** E-mail address. */
    email: string;
    /** First name; may be "". */
    first_name: string;
    /** Last name; may be "". */
    last_name: string;
    /** How the visitor became a lead; "" when not known. */
    lead_source: string;
  } | null;
  /** Address of the shared demo, the same as host_url. */
  link: string;
  /** Name of the share link. */
  link_name: string;
  /** The visitor's location. Unknown values are "". */
  location: {
    /** City. */
    city: string;
    /** Country. */
    country: string;
    /** State, province or region. */
    state: string;
  };
  /** Name of the demo. */
  name: string;
  /** Referring addresses, in order of visit, as they came. */
  referers: string[];
  /** Time spent in the demo, in seconds. */
  time_spent: number;
  /** Campaign parameters by name; empty when there are none. */
  utm_params: {
    [name: string]: string;
  };
  /** When the demo was viewed: milliseconds and the offset given at intake. */
  viewed_at: string;
  /** Always demo_viewed. */
  event: "demo_viewed";
}

/** Body of the webhook for a completed conversation. */
export interface ChatConversationCompleted {
  /** Conversation identifier. */
  id: string;
  /** Always chat_conversation_completed. */
  event: "chat_conversation_completed";
  /** The mode in brackets, then each message as an Assistant: or User: turn, with blank lines between. */
  transcript: string;
  /** Short summary of the conversation. */
  conversation_summary: string;
  /** Topics discussed. */
  topics: string[];
  /** Buying intent calculated for the conversation. */
  intent_level: "high" | "medium" | "low";
  /** Signals extracted: always the four default ones, then the owner's custom ones as they came. */
  extracted_variables: {
    /** E-mail address that the visitor gave; "" when not extracted. */
    email: string;
    /** Name that the visitor gave; "" when not extracted. */
    visitor_name: string;
    /** Telephone number that the visitor gave; "" when not extracted. */
    phone_number: string;
    /** Whether the visitor is qualified; false when not extracted. */
    qualified: boolean;
    [name: string]: unknown;
  };
  /** Length of the conversation, in seconds. */
  duration: number;
  /** Number of messages exchanged. */
  message_count: number;
  /** The same as message_count, always. */
  messages_count: number;
  /** Start of the conversation, with the offset given at intake. */
  started_at: string;
  /** End of the conversation, with the offset given at intake. */
  completed_at: string;
  /** The call to action that was clicked, as it came; null when none was. */
  cta_opened: string | null;
  /** The known visitor; null for an unknown one. */
  lead: {
    /** Lead identifier. */
    id: string;
    /** Where the product knows the lead from; "" when not known. */
    client_source: string;
    /** The lead's id in the owner's own system; null when absent. */
    client_tracking_id: string | null;
    /** E-mail address. */
    email: string;
    /** First name; may be "". */
    first_name: string;
    /** Last name; may be "". */
    last_name: string;
    /** How the visitor became a lead; "" when not known. */
    lead_source: string;
  } | null;
  /** The company, resolved from the visitor's IP address or e-mail. Unknown values are "". */
  buyer_reveal: {
    /** Name of the company. */
    company_name: string;
    /** Domain of the company's web site. */
    company_domain: string;
    /** Annual revenue, as the label of a range. */
    company_annual_revenue_range: string;
    /** Number of employees, as the label of a range. */
    company_employee_range: string;
    /** How sure the product is about the company, as a label. */
    confidence_score: string;
  };
  /** The visitor's location. Unknown values are "". */
  location: {
    /** City. */
    city: string;
    /** Country. */
    country: string;
    /** State, province or region. */
    state: string;
  };
}

/** Every body of a built-in type; `event` says which it is. */
export type WebhookEvent = DemoViewed | ChatConversationCompleted;
