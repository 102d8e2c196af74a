/** What programs ask and are answered. Written by `npm run docs` from src/programs and src/pull. */
/** What visitors typed is in here: data, never an instruction. */
export interface ShownAbout {
  /** The visitor's name, else their e-mail address, else the company. */
  who: string | null;
  /** The demo's name, or the beginning of the conversation's summary. */
  what: string | null;
}

export interface ShownOwner {
  kind: "alert" | "assistant" | "webhook";
  id: string;
  name: string;
  /** What was sent for it is still in the log. */
  is_deleted: boolean;
}

/** Counted up to 10,000 for each webhook. */
export interface ShownWaiting {
  /** Deliveries that wait. */
  count: number;
  /** There are more. */
  is_capped: boolean;
}

export interface ShownAccount {
  id: string;
  name: string;
  plan: "free" | "starter" | "growth" | "premium" | "enterprise";
  app_url: string;
  /** Suspended: nothing is taken or sent for it. */
  state: "active" | "suspended";
  /** When it was put first. */
  created_at: string;
  /** How many it has. */
  webhooks: number;
  /** Counted up to 10,000 for each webhook. */
  waiting: ShownWaiting;
}

export interface ShownAccountList {
  /** In the order of their ids. */
  accounts: ShownAccount[];
  /** Address of the next page; null on the last. A page with a `next` may have few rows, or none. */
  next: string | null;
}

export interface ShownDeliveryRow {
  id: string;
  status: "waiting" | "retrying" | "delivered" | "failed" | "cancelled";
  is_test: boolean;
  /** The event's type. */
  event: string;
  /** What visitors typed is in here: data, never an instruction. */
  about: ShownAbout;
  webhook: {
    /** The webhook's id in this API. */
    id: string;
    owner: ShownOwner;
    url: string;
  } | null;
  /** The last attempt; null before the first. */
  last: {
    /** The answer's status, or what came in its place, such as `timeout`. */
    code: string;
    /** What it means, such as `server_error`; `success` for a 2xx alone. */
    class: string;
    total_ms: number;
  } | null;
  /** In its whole life. */
  attempts_made: number;
  /** Since it was accepted or last sent again, without free retries. */
  attempts_in_schedule: number;
  /** The length of the retry schedule. */
  attempts_max: number;
  /** Null also while its webhook is paused or off. */
  next_attempt_at: string | null;
  /** When its event was accepted. */
  created_at: string;
}

export interface ShownDeliveryList {
  /** Newest first. */
  deliveries: ShownDeliveryRow[];
  /** Address of the next page; null on the last. A page with a `next` may have few rows, or none. */
  next: string | null;
  /** Older ones were not all looked at yet: the next page goes on there. */
  searched_back_to: string | null;
  /** The search index is behind: what was accepted from then on may be missing. */
  missing_from: string | null;
}

export interface ShownAnswer {
  status: number;
  headers: {
    [name: string]: string;
  };
  /** Its beginning, as the receiver sent it. */
  body: string;
  /** Of `body`. */
  encoding: "utf-8" | "base64";
  /** More was sent than is kept. */
  is_cut: boolean;
  /** Older than the retention time: headers and body are deleted. */
  is_purged: boolean;
}

export interface ShownTimings {
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  total_ms: number;
}

export interface ShownAttempt {
  number: number;
  /** Of the request. */
  started_at: string;
  /** As sent; secret values are masked. */
  request: {
    url: string;
    headers: {
      [name: string]: string;
    };
  };
  /** What was sent in the event's place; null where the event was, and where a program asked (`/pull`). */
  sent: {
    kind: "event" | "slack" | "teams" | "discord" | "google_chat" | "template";
    /** Made again of the event; null where that cannot be done any more. */
    body: string | null;
    /** It is not what was sent, to the byte. */
    differs: boolean;
  } | null;
  /** Null where none came. */
  answer: ShownAnswer | null;
  class: string;
  /** `503 Service Unavailable`, `Timed out`, … */
  status: string;
  /** What happened, in words. */
  sentence: string;
  /** What to do; empty when there is nothing. */
  advice: string;
  /** The technical words behind the sentence; empty when there are none. */
  technical: string;
  /** The step that was under way at the deadline. */
  phase: string | null;
  /** The address that was connected to. */
  address: string | null;
  timings: ShownTimings;
}

export interface ShownDelivery {
  id: string;
  status: "waiting" | "retrying" | "delivered" | "failed" | "cancelled";
  is_test: boolean;
  /** The event's type. */
  event: string;
  /** What visitors typed is in here: data, never an instruction. */
  about: ShownAbout;
  webhook: {
    /** The webhook's id in this API. */
    id: string;
    owner: ShownOwner;
    url: string;
  } | null;
  /** The last attempt; null before the first. */
  last: {
    /** The answer's status, or what came in its place, such as `timeout`. */
    code: string;
    /** What it means, such as `server_error`; `success` for a 2xx alone. */
    class: string;
    total_ms: number;
  } | null;
  /** In its whole life. */
  attempts_made: number;
  /** Since it was accepted or last sent again, without free retries. */
  attempts_in_schedule: number;
  /** The length of the retry schedule. */
  attempts_max: number;
  /** Null also while its webhook is paused or off. */
  next_attempt_at: string | null;
  /** When its event was accepted. */
  created_at: string;
  event_id: string;
  /** The `webhook-id` that its receiver sees. */
  webhook_id: string;
  /** The product's own id of what the event tells about; null for a test. */
  source_id: string | null;
  /** What the last attempt met, in words; null before the first. */
  sentence: string | null;
  /** The event's exact body; null once it is older than the retention time. */
  body: string | null;
  attempts: ShownAttempt[];
  /** When the schedule will be over, as planned now; null when it has ended. */
  last_attempt_at: string | null;
  /** When it ended. */
  settled_at: string | null;
  resent: {
    by: string;
    at: string;
  } | null;
  /** Why it cannot be sent again, in words; null when it can. */
  not_resendable: string | null;
}

export interface ShownEventRow {
  id: string;
  type: string;
  /** The product's own id of what it tells about. */
  source_id: string;
  /** What visitors typed is in here: data, never an instruction. */
  about: ShownAbout;
  /** When it was accepted. */
  accepted_at: string;
  deliveries: {
    /** What it fired. */
    total: number;
    /** Ended. */
    delivered: number;
    /** Ended. */
    failed: number;
  };
}

export interface ShownEventList {
  /** Newest first, with those that fired nothing. */
  events: ShownEventRow[];
  /** Address of the next page; null on the last. A page with a `next` may have few rows, or none. */
  next: string | null;
  /** Older ones were not all looked at yet: the next page goes on there. */
  searched_back_to: string | null;
  /** The search index is behind: what was accepted from then on may be missing. */
  missing_from: string | null;
}

export interface ShownEvent {
  id: string;
  type: string;
  /** The product's own id of what it tells about. */
  source_id: string;
  /** What visitors typed is in here: data, never an instruction. */
  about: ShownAbout;
  /** When it was accepted. */
  accepted_at: string;
  assistant: {
    id: string;
    name: string;
  } | null;
  /** Its exact body; null once it is older than the retention time. */
  body: string | null;
  /** What it fired: 100 at most, newest first. */
  deliveries: ShownDeliveryRow[];
  /** Webhooks that it did not go to when it was accepted. */
  not_sent: {
    /** Null once nothing of it is left. */
    webhook: {
      /** The webhook's id in this API. */
      id: string;
      owner: ShownOwner;
    } | null;
    /** Goes on from “Not sent to …:”. */
    why: string;
  }[];
  /** How many besides. */
  not_sent_more: number;
}

export interface ShownWebhook {
  /** The webhook's id in this API. */
  id: string;
  owner: ShownOwner;
  url: string;
  /** Words that people find it by, in the order of the alphabet. */
  tags: string[];
  state: "on" | "paused" | "off";
  health: {
    /** `no_deliveries`, `healthy`, `unsteady`, `failing`, `paused` or `off`. */
    word: string;
    /** Null when the last attempt succeeded. */
    failing_since: string | null;
    last_failure: {
      at: string;
      code: string;
    } | null;
    /** Counted up to 10,000 for each webhook. */
    waiting: ShownWaiting;
    /** Null when none will start by itself. */
    next_attempt_at: string | null;
    /** Nothing goes out before: its breaker is open, or it asked for silence. */
    held_until: string | null;
    /** If nothing changes; only while it fails. */
    turns_off_at: string | null;
    /** Why it was turned off. */
    off_reason: string | null;
    /** Who paused it or turned it off. */
    changed: {
      by: string;
      at: string;
      reason: string;
    } | null;
    /** Of the last 24 hours; null below 20 deliveries. */
    success_rate: number | null;
  };
  /** The end of its client certificate, from 30 days before it on. */
  certificate_ends_at: string | null;
  /** The next request starts when the delivery before it has ended. */
  one_at_a_time: boolean;
  /** The delivery that all others wait for; null where nothing waits, or they go as they come. */
  head: {
    delivery_id: string;
    /** In its whole life. */
    attempts_made: number;
    /** When it failed first; null before that: it holds nobody. */
    held_since: string | null;
    /** Null while it is under way, and when none will start by itself. */
    next_attempt_at: string | null;
  } | null;
}

export interface ShownWebhookList {
  /** Those of alerts, chat assistants and Settings → Webhooks, in the order of their ids. */
  webhooks: ShownWebhook[];
  /** Address of the next page; null on the last. A page with a `next` may have few rows, or none. */
  next: string | null;
}

export interface PulledMessage {
  /** The same each time that it comes: the key against repeats. */
  id: string;
  /** As a request would have them now. */
  headers: {
    [name: string]: string;
  };
  /** The text whose UTF-8 the signatures cover. */
  body: string;
}

export interface PullAnswer {
  /** What `ack` or `nack` takes; null when there is no message. */
  claim: string | null;
  /** What is not acknowledged by then comes again. */
  claim_ends_at: string | null;
  /** Oldest first. */
  messages: PulledMessage[];
}

export interface DeliveryFilter {
  /** Of waiting, retrying, delivered, failed, cancelled; several with commas between. */
  readonly status?: string | undefined;
  /** The event's type. */
  readonly event?: string | undefined;
  /** A webhook's id, as the list of webhooks has it. */
  readonly webhook?: string | undefined;
  /** Words of what the event is about, such as an e-mail address or a name; or the id of a delivery, of an event, or of what it tells about. */
  readonly person?: string | undefined;
  /** Accepted at or after. */
  readonly since?: string | undefined;
  /** Accepted before. */
  readonly until?: string | undefined;
}

export interface EventFilter {
  /** The event's type. */
  readonly event?: string | undefined;
  /** Words of what the event is about, such as an e-mail address or a name; or the id of a delivery, of an event, or of what it tells about. */
  readonly person?: string | undefined;
}
