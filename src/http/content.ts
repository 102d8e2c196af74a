/**
 * The form of a body, as its headers say. Bodies are taken as they are, in UTF-8: a compressed one is refused with the
 * reason, because inflating it would let a small call fill the memory.
 */
import type { preParsingHookHandler } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";
import { sendProblem } from "./problem-response.ts";

/** Behind the auth hooks, so that only callers with a key learn it. */
// oxlint-disable-next-line max-params -- Fastify's own signature, without a promise for each request
export const refuseOtherContent: preParsingHookHandler = (request, reply, payload, done) => {
  const { "content-encoding": coding, "content-type": type } = request.headers;
  const refusal = findOtherCoding(coding) ?? findOtherCharset(type);
  if (refusal === null) return done(null, payload);
  // RFC 9110 §15.5.16: with it the caller knows that the coding is the reason.
  if (coding !== undefined) void reply.header("accept-encoding", "identity");
  void sendProblem(reply, refusal);
};

/** Some callers name a charset there, and see in the words what they sent. */
const CODING_CHARS_SHOWN = 40;

function findOtherCoding(coding: string | undefined): Problem | null {
  if (coding === undefined || coding.split(",").every((each) => ["", "identity"].includes(each.trim().toLowerCase())))
    return null;
  const named = coding.slice(0, CODING_CHARS_SHOWN).replaceAll(/[^\w, .-]/g, "");
  const detail = `The body is encoded (\`content-encoding: ${named}\`). Send it as it is, without that header.`;
  return problem("unsupported_media_type", detail);
}

function findOtherCharset(type: string | undefined): Problem | null {
  // Forms say the charset of their page, such as the one by which mail programs unsubscribe.
  const [, charset] = /^application\/[^;]*json[^;]*;.*\bcharset\s*=\s*["']?([^\s"';]*)/i.exec(type ?? "") ?? [];
  if (charset === undefined || /^(?:utf-?8|us-ascii)?$/i.test(charset)) return null;
  return problem("unsupported_media_type", "The body has another charset. Send it in UTF-8, as JSON has to be.");
}
