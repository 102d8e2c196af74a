/** A refusal as the page reads it: the members of the problem document (RFC 9457) that it decides by and shows. */
import type { FieldError, ProblemCode } from "../../domain/problem.ts";

export interface ProblemAnswer {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}
