/** The outcome of one HTTP request, in words and in facts: tests and attempts show it alike. */
import type { ChatToolName } from "../../domain/body.ts";
import type { AttemptPhase, AttemptTimings } from "../../domain/attempt.ts";

/** An answer, by its status. `success` is a 2xx and, of a program that asks, its acknowledgement. */
export type AnsweredClass =
  | "success"
  | "redirect"
  | "bad_request"
  | "rejected"
  | "not_found"
  | "method_not_allowed"
  | "gone"
  | "too_large"
  | "rate_limited"
  | "server_error"
  | "other_status";

/** The rows of the test-result table: an answer, or what stood in its way. */
export type OutcomeClass =
  | AnsweredClass
  | "timeout"
  | "name_not_found"
  | "connection"
  | "certificate"
  | "blocked"
  | "proxy"
  | "token"
  | "body"
  | "not_acknowledged"
  | "our_fault";

export interface ExplainedOutcome {
  readonly class: OutcomeClass;
  /** "401 Unauthorized", "Timed out", "Name not found", … */
  readonly status: string;
  /** The event in words: "Your endpoint rejected the request." */
  readonly sentence: string;
  /** The advice; empty when there is nothing to do. */
  readonly advice: string;
  /** The change of the settings that the answer asks for, as a button of a test; `null` when there is none. */
  readonly remedy: Remedy | null;
  readonly response: ResponseView | null;
  /** The step that was under way at the deadline. */
  readonly phase: AttemptPhase | null;
  /** The technical words behind the sentence (an error's code and message); empty when there are none. */
  readonly technical: string;
  readonly timings: AttemptTimings;
  /** The address that was connected to. */
  readonly address: string | null;
}

export type Remedy =
  /** A redirect that lasts points there, and it may be a Webhook URL. */
  | { readonly kind: "use_url"; readonly url: string }
  /** The port does not speak TLS: the same address with `http:`. */
  | { readonly kind: "use_http"; readonly url: string }
  /** It asks for an `Authorization` header of this scheme. */
  | { readonly kind: "add_authorization"; readonly scheme: "Bearer" | "Basic" }
  /** It is a chat tool's address, which takes messages of that tool. */
  | { readonly kind: "use_body"; readonly body: ChatToolName };

export interface ResponseView {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BytesView;
  /** More was sent than is kept. */
  readonly isCut: boolean;
  /** Deleted after the retention time: the body is empty because of that. */
  readonly isPurged: boolean;
}

/** Bytes from outside: text when they are valid UTF-8 without control characters, else base64. Never rendered. */
export type BytesView =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly base64: string; readonly bytes: number };
