/**
 * The outcome of an HTTP request, in words that the owner of a receiver can act on. Pure. Tests and attempts are alike:
 *
 *     an answer       → by its status, or in the words of the chat tool whose address it is (chat-answer.ts)
 *     none            → failure.ts, by what stood in the way
 *
 * Invariant: the class `success`, and a word of success, only for a 2xx or an acknowledgement that came. The words for
 * a fault of the service or of the operator's proxy never blame the receiver.
 */
import { retryAfterMs } from "../../delivery/send/judge.ts";
import type { AttemptOutcome, OutcomeKind, ReceiverResponse } from "../../domain/attempt.ts";
import { LIMITS } from "../../domain/limits.ts";
import { callTarget, parseWebhookUrl } from "../../egress/webhook-url.ts";
import { durationInWords } from "../../lib/written-times.ts";
import type { AnsweredClass, ExplainedOutcome, ResponseView } from "../contract/outcomes.ts";
import { type ChatWords, explainChat } from "./chat-answer.ts";
import { explainFailure } from "./failure.ts";
import { looksLikeSignIn } from "./sign-in-pages.ts";
import { type MetRequest, shortened, toBytesView, type Told, type Words } from "./words.ts";
import { STATUS_CODES } from "../../lib/node-http.ts";

export function explainOutcome(met: MetRequest): ExplainedOutcome {
  const { outcome, timings, address } = met.result;
  const told = { ...met, ...parseTarget(met.url), it: met.isTest ? "the test" : "the webhook" };
  const words =
    outcome.kind === "response"
      ? withOddity(explainResponse(outcome.response, told), outcome.message)
      : outcome.kind === "pulled"
        ? PULLED
        : explainFailure(outcome, told);
  return {
    remedy: null,
    ...words,
    response: outcome.kind === "response" ? toResponseView(outcome.response, met.isFresh) : null,
    phase: outcome.kind === "timeout" ? outcome.phase : null,
    technical: technicalWords(outcome),
    timings,
    address,
  };
}

const PULLED: Words = {
  class: "success",
  status: "Acknowledged",
  sentence: "Your program asked for it and acknowledged it.",
  advice: "",
};

/** The status counts, and the owner of a receiver learns what its answers do to other clients. */
const withOddity = (words: Words, oddity = ""): Words =>
  oddity === "" ? words : { ...words, advice: `${words.advice} ${oddity}`.trim() };

/** The target of a URL that was called; one that cannot be read any more is shown as it is. */
function parseTarget(url: string): { readonly host: string; readonly port: number } {
  const parsed = URL.parse(url);
  return parsed === null ? { host: url, port: 0 } : callTarget(parsed);
}

/**
 * Housekeeping empties old answers of headers and body. HTTP knows answers without both, but servers in use do not send
 * them: a `date` or `content-length` is always there.
 */
function toResponseView(response: ReceiverResponse, isFresh: boolean): ResponseView {
  const { status, headers, body, bodyCut } = response;
  const isPurged = !isFresh && body.length === 0 && Object.keys(headers).length === 0;
  return { status, headers, body: toBytesView(body, bodyCut), isCut: bodyCut, isPurged };
}

const SPEAKS_TO_PEOPLE: ReadonlySet<OutcomeKind> = new Set(["response", "blocked", "body_error", "not_acknowledged"]);

function technicalWords(outcome: AttemptOutcome): string {
  // The guard speaks to people, and so do a body and a claim: their words are the sentence already.
  if (!("message" in outcome) || SPEAKS_TO_PEOPLE.has(outcome.kind)) return "";
  return "code" in outcome ? `${outcome.code}: ${outcome.message}` : outcome.message;
}

/* The words for an answer, by its status. Every 2xx is a success and nothing else is. */

type Explained = Omit<Words, "status" | "class">;

function explainResponse(response: ReceiverResponse, told: Told): Words {
  const kind = classOfStatus(response.status);
  const chat = explainChat(response, told);
  const words = kind === "rate_limited" ? limited(response, told, chat) : (chat ?? explain(kind, response, told));
  const { sentence, advice, remedy } = words;
  const own = { class: kind, status: statusInWords(response.status), sentence, advice };
  return remedy === undefined ? own : { ...own, remedy };
}

/** `503 Service Unavailable`; the receiver's own reason phrase is not kept, and is not needed to know what it means. */
export function statusInWords(status: number): string {
  const phrase = STATUS_CODES[status];
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}

/** As nginx, Apache, Go and HAProxy say it. */
const HTTPS_PORT = /plain HTTP request was sent to HTTPS port|plain HTTP to an SSL|HTTP request to an HTTPS server/i;

const CLASS_OF_STATUS: Readonly<Record<number, AnsweredClass>> = {
  400: "bad_request",
  401: "rejected",
  403: "rejected",
  404: "not_found",
  405: "method_not_allowed",
  410: "gone",
  413: "too_large",
  422: "bad_request",
  429: "rate_limited",
};

export function classOfStatus(status: number): AnsweredClass {
  if (status >= 200 && status <= 299) return "success";
  if (status >= 300 && status <= 399) return "redirect";
  if (status >= 500 && status <= 599) return "server_error";
  return CLASS_OF_STATUS[status] ?? "other_status";
}

function explain(kind: Exclude<AnsweredClass, "rate_limited">, response: ReceiverResponse, told: Told): Explained {
  switch (kind) {
    case "success":
      return { sentence: `Your endpoint accepted ${told.it}.`, advice: "" };
    case "redirect":
      return redirect(response, told);
    case "bad_request":
      if (told.url.startsWith("http:") && HTTPS_PORT.test(Buffer.from(response.body).toString("latin1"))) {
        return { sentence: "Your endpoint expects https on this port.", advice: "Write https:// in the Webhook URL." };
      }
      return { sentence: "Your endpoint didn't accept the body.", advice: "See what it says in its response." };
    case "rejected":
      return rejected(response, told);
    case "not_found":
      return { sentence: "Nothing answers at this path.", advice: "Check the path of the Webhook URL." };
    case "method_not_allowed":
      return {
        sentence: "This path doesn't accept POST.",
        advice: "Check the path of the Webhook URL, or let your endpoint take POST requests there.",
      };
    case "gone":
      return gone(told);
    case "too_large":
      return tooLarge(told);
    case "server_error":
      return { sentence: "Your endpoint had an error.", advice: "Look at its logs of that time." };
    case "other_status":
      return {
        sentence: `Your endpoint answered ${statusInWords(response.status)}. Only 200 to 299 count as received.`,
        advice: "See what it says in its response.",
      };
  }
}

/** RFC 9110 §11.6.1: a list of what it takes; the first that people can fill in by hand counts. */
const CHALLENGE = /(?:^|,)\s*(bearer|basic)(?=[\s,]|$)/i;

function rejected({ status, headers }: ReceiverResponse, { it }: Told): Explained {
  const sentence = `Your endpoint rejected ${it}.`;
  const asked = status === 401 ? CHALLENGE.exec(headers["www-authenticate"] ?? "")?.[1]?.toLowerCase() : undefined;
  if (asked === undefined) {
    return { sentence, advice: "Check the custom headers, and the signature check in your code." };
  }
  const scheme = asked === "bearer" ? "Bearer" : "Basic";
  return {
    sentence,
    advice: `It asks for an Authorization header that begins with ${scheme}: check the custom headers.`,
    remedy: { kind: "add_authorization", scheme },
  };
}

function gone({ isTest }: Told): Explained {
  return isTest
    ? {
        sentence: "Your endpoint said it's gone. Real deliveries would turn this webhook off.",
        advice: "Check the Webhook URL; a 410 means that nothing should be sent there any more.",
      }
    : {
        sentence: "Your endpoint said it's gone, so nothing more is sent there by itself.",
        advice: "Check the Webhook URL, then turn the webhook on again.",
      };
}

function tooLarge({ bodyBytes }: Told): Explained {
  const size = bodyBytes === null ? "" : ` This one had ${bodyBytes.toLocaleString("en")} bytes;`;
  const limit = `let it take bodies of up to ${LIMITS.recordBytesMax / 1024 / 1024} MiB.`;
  return {
    sentence: "Your endpoint says the body is too large.",
    advice: size === "" ? `Raise its limit: ${limit}` : `Raise its limit.${size} ${limit}`,
  };
}

function limited(response: ReceiverResponse, { startedAtMs, isTest }: Told, chat: ChatWords | null): Explained {
  const waitMs = Math.max(retryAfterMs({ kind: "response", response }, startedAtMs), chat?.waitMs ?? 0);
  const asked = waitMs === 0 ? "" : `It asked for ${durationInWords(waitMs)} of silence. `;
  const then = isTest ? "Real deliveries wait as asked and are tried again." : "We wait as asked and try again.";
  const { sentence = "Your endpoint is limiting requests.", advice = "" } = chat ?? {};
  const last = advice === "" ? "A rate limit in the settings keeps below what it takes." : advice;
  return { sentence, advice: `${asked}${then} ${last}` };
}

/** The same request is taken there. By 302 and 303 a browser is led on to a page (RFC 9110 §15.4). */
const SAME_REQUEST: ReadonlySet<number> = new Set([301, 307, 308]);

/** `Location` may be relative, and is the receiver's text: it is offered as a Webhook URL only when it could be one. */
function redirect({ status, headers }: ReceiverResponse, { url }: Told): Explained {
  const location = headers["location"];
  const target = location === undefined ? null : URL.parse(location, url);
  if (target === null) {
    return {
      sentence: "Your endpoint redirected, without an address that can be read. We don't follow redirects.",
      advice: "Enter the address that answers by itself.",
    };
  }
  target.hash = "";
  const sentence = `Your endpoint redirected to ${shortened(target.href)}. We don't follow redirects.`;
  if (looksLikeSignIn(target)) {
    const advice = "That looks like a sign-in page: let your endpoint take webhooks without one, or enter another URL.";
    return { sentence, advice };
  }
  const usable = parseWebhookUrl(target.href);
  if (!SAME_REQUEST.has(status) || !usable.ok || target.href === url) {
    return { sentence, advice: "Enter the address that answers by itself." };
  }
  return {
    sentence,
    advice: "Use that address if it is the one that takes webhooks.",
    remedy: { kind: "use_url", url: usable.value.href },
  };
}
