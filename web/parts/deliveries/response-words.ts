/** The answer in the few words that a list has room for. The service makes the sentences (explain/outcome.ts). */
import { duration } from "../../words.ts";

/** Kinds of outcomes without an answer, as the log codes them. */
const NO_ANSWER: Readonly<Record<string, string>> = {
  timeout: "Timed out",
  dns_error: "Name not found",
  tls_error: "Certificate",
  network_error: "No connection",
  blocked: "Blocked",
  proxy_error: "Proxy",
  token_error: "No token",
  internal_error: "Not sent",
};

/** "503" stays what it is; "timeout" is "Timed out". A code of a later version is shown as it came. */
export function responseLabel(code: string): string {
  return NO_ANSWER[code] ?? code;
}

/** The filter that finds more of the same: the status itself, or all that got no answer. */
export function toResponseFilter(code: string): string {
  return /^\d{3}$/.test(code) ? code : "none";
}

/** "212 ms"; what took no whole millisecond did take some time. */
export function responseTime(ms: number): string {
  return ms < 1 ? "< 1 ms" : duration(ms);
}

const CLASSES: Readonly<Record<string, string>> = {
  "2xx": "2xx, received",
  "3xx": "3xx, redirected",
  "4xx": "4xx, refused",
  "5xx": "5xx, endpoint error",
  none: "No answer",
};

export const RESPONSE_CLASSES: readonly { readonly value: string; readonly label: string }[] = Object.entries(
  CLASSES,
).map(([value, label]) => ({ value, label }));

/** A filter's value in a chip: "5xx", "No answer", "503". */
export function responseFilterLabel(value: string): string {
  return value === "none" ? "No answer" : value;
}
