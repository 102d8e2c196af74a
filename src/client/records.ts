/** Records at intake as types. Written by `npm run docs` from the schemas in src/events: change those. */
/** A demo session. */
export interface DemoSession {
  /** Session identifier. */
  readonly id: string;
  /** Name of the demo. */
  readonly name: string;
  /** Code of the share link, the last part of its address. */
  readonly share_code: string;
  /** Name of the share link. */
  readonly link_name: string;
  /** When the demo was viewed: ISO 8601 with an offset, which is kept. */
  readonly viewed_at: string;
  /** How much of the demo was seen, in per cent (0 to 100). */
  readonly completion: number;
  /** Time spent in the demo, in seconds. */
  readonly time_spent: number;
  /** Buying intent, such as high, medium or low; passed through. */
  readonly intent_level: string;
  /** Whether the visitor completed the demo's checklist. */
  readonly checklist_completed: boolean;
  /** The call to action that was opened, as it came; null when none was. */
  readonly cta_opened?: string | null | undefined;
  /** Referring addresses, in order of visit, as they came. */
  readonly referers?: readonly string[] | undefined;
  /** Campaign parameters by name; empty when there are none. */
  readonly utm_params?: {
    readonly [name: string]: string;
  } | undefined;
  /** The known visitor; null for an unknown one. */
  readonly lead?: {
    /** Lead identifier. */
    readonly id: string;
    /** Where the product knows the lead from. */
    readonly client_source?: string | null | undefined;
    /** The lead's id in the owner's own system. */
    readonly client_tracking_id?: string | null | undefined;
    /** E-mail address. */
    readonly email: string;
    /** First name. */
    readonly first_name?: string | null | undefined;
    /** Last name. */
    readonly last_name?: string | null | undefined;
    /** How the visitor became a lead. */
    readonly lead_source?: string | null | undefined;
  } | null | undefined;
  /** The visitor's company, if known. */
  readonly buyer_reveal?: {
    /** Name of the company. */
    readonly company_name?: string | null | undefined;
    /** Domain of the company's web site. */
    readonly company_domain?: string | null | undefined;
    /** Annual revenue, as the label of a range. */
    readonly company_annual_revenue_range?: string | null | undefined;
    /** Number of employees, as the label of a range. */
    readonly company_employee_range?: string | null | undefined;
    /** How sure the product is about the company, as a label. */
    readonly confidence_score?: string | null | undefined;
  } | null | undefined;
  /** The visitor's location, if known. */
  readonly location?: {
    /** City. */
    readonly city?: string | null | undefined;
    /** Country. */
    readonly country?: string | null | undefined;
    /** State, province or region. */
    readonly state?: string | null | undefined;
  } | null | undefined;
}

/** A completed and processed chat conversation. */
export interface ChatConversationFields {
  /** Conversation identifier. */
  readonly id: string;
  /** The chat assistant's id in the product. */
  readonly assistant_id: string;
  /** How the conversation was held. Goes with messages. */
  readonly mode?: "text" | "voice" | undefined;
  /** The messages, first one first. Goes with mode; the transcript is rendered from them. */
  readonly messages?: readonly {
    /** Who said it. */
    readonly role: "assistant" | "user";
    /** The text of the message. A run of line breaks in it goes out as one: blank lines stand between turns only. */
    readonly text: string;
  }[] | undefined;
  /** Instead of messages: [Text mode] or [Voice mode], then turns, a blank line before each. */
  readonly transcript?: string | undefined;
  /** Number of turns in the ready transcript. Goes with transcript. */
  readonly message_count?: number | undefined;
  /** Short summary of the conversation. */
  readonly conversation_summary: string;
  /** Topics discussed. */
  readonly topics: readonly string[];
  /** Buying intent calculated for the conversation. */
  readonly intent_level: "high" | "medium" | "low";
  /** Signals extracted: the four default ones, and custom ones by name with any JSON value. */
  readonly extracted_variables?: {
    /** E-mail address that the visitor gave. */
    readonly email?: string | null | undefined;
    /** Name that the visitor gave. */
    readonly visitor_name?: string | null | undefined;
    /** Telephone number that the visitor gave. */
    readonly phone_number?: string | null | undefined;
    /** Whether the visitor is qualified. */
    readonly qualified?: boolean | null | undefined;
    readonly [name: string]: unknown;
  } | undefined;
  /** Length in seconds; when left out, the time from started_at to completed_at. */
  readonly duration?: number | undefined;
  /** Start of the conversation: ISO 8601 with an offset, which is kept. */
  readonly started_at: string;
  /** End of the conversation, not before its start. */
  readonly completed_at: string;
  /** The call to action that was clicked, as it came; null when none was. */
  readonly cta_opened?: string | null | undefined;
  /** The known visitor; null for an unknown one. */
  readonly lead?: {
    /** Lead identifier. */
    readonly id: string;
    /** Where the product knows the lead from. */
    readonly client_source?: string | null | undefined;
    /** The lead's id in the owner's own system. */
    readonly client_tracking_id?: string | null | undefined;
    /** E-mail address. */
    readonly email: string;
    /** First name. */
    readonly first_name?: string | null | undefined;
    /** Last name. */
    readonly last_name?: string | null | undefined;
    /** How the visitor became a lead. */
    readonly lead_source?: string | null | undefined;
  } | null | undefined;
  /** The visitor's company, if known. */
  readonly buyer_reveal?: {
    /** Name of the company. */
    readonly company_name?: string | null | undefined;
    /** Domain of the company's web site. */
    readonly company_domain?: string | null | undefined;
    /** Annual revenue, as the label of a range. */
    readonly company_annual_revenue_range?: string | null | undefined;
    /** Number of employees, as the label of a range. */
    readonly company_employee_range?: string | null | undefined;
    /** How sure the product is about the company, as a label. */
    readonly confidence_score?: string | null | undefined;
  } | null | undefined;
  /** The visitor's location, if known. */
  readonly location?: {
    /** City. */
    readonly city?: string | null | undefined;
    /** Country. */
    readonly country?: string | null | undefined;
    /** State, province or region. */
    readonly state?: string | null | undefined;
  } | null | undefined;
}
