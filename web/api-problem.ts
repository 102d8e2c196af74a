/** The ends of a call without an answer: a refusal with its reasons, or no connection. */
import type { ProblemAnswer } from "../src/dashboard/contract/problem.ts";

/** One field that was refused: its path in the body and what is wrong with it. */
export type FieldProblem = NonNullable<ProblemAnswer["errors"]>[number];

/** The service refused (RFC 9457). Decide by `code`; `message` is written for the reader of the page. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  readonly code: ProblemAnswer["code"] | "unreadable_answer";
  /** Every field that was refused, by its path in the body; empty when it was not about fields. */
  readonly errors: readonly FieldProblem[];

  constructor(init: Pick<ApiProblem, "status" | "code" | "errors" | "message">) {
    super(init.message);
    this.status = init.status;
    this.code = init.code;
    this.errors = init.errors;
  }

  /** From an answer's status and JSON. Another document did not come from the service itself. */
  static of(status: number, document: unknown): ApiProblem {
    if (!isProblemDocument(document)) {
      const message = `The service could not be reached through what stands before it (status ${status}).`;
      return new ApiProblem({ status, code: "unreadable_answer", errors: [], message });
    }
    const { code, detail, errors = [] } = document;
    return new ApiProblem({ status, code, errors, message: detail });
  }
}

/** No answer came: the network is gone, the service is down, or a proxy closed the connection. */
export class NetworkLoss extends Error {
  override readonly name = "NetworkLoss";

  constructor(options: ErrorOptions) {
    super("The service did not answer. Check your connection.", options);
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}

/** The part of the database that holds the account is out of reach. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === "store_unavailable";
}

/** The service's own words are for programs that send records; these are for a person who looks at a page. */
export function toAway({ status, code, errors }: ApiProblem, method: string): ApiProblem {
  const message =
    method === "GET"
      ? "Nothing is lost: webhooks are kept, and go out once it is back. This page comes back by itself."
      : "Your account’s data can’t be reached right now, so nothing was changed or sent. Try again in a moment.";
  return new ApiProblem({ status, code, errors, message });
}

/** Whether asking again by itself can help: the service was out of reach, or said that it is busy. */
export function isPassing(error: unknown): boolean {
  return error instanceof NetworkLoss || (error instanceof ApiProblem && [502, 503, 504].includes(error.status));
}

function isProblemDocument(document: unknown): document is ProblemAnswer {
  if (typeof document !== "object" || document === null) return false;
  return "code" in document && typeof document.code === "string" && "detail" in document;
}
