/**
 * The words for an attempt that got no access token. The sentence is the outcome's own, which begins with the token
 * URL's host; here stands who has to do what. Pure.
 */
import type { Outcome } from "../../domain/attempt.ts";
import type { Told, Words } from "./words.ts";

const STAYS = "It is tried again by itself.";

const ADVICE: Readonly<Record<string, string>> = {
  TOKEN_TIMEOUT: `Is the token endpoint running, and does its firewall let this service in? ${STAYS}`,
  TOKEN_NAME: "Check the spelling of the token URL, and that its name has an address.",
  TOKEN_TLS: "The token endpoint needs a valid certificate of a known authority, with its intermediate certificates.",
  TOKEN_UNREACHABLE: `Is the token endpoint running, and does its firewall let this service in? ${STAYS}`,
  TOKEN_BLOCKED: "Use a token URL that can be reached from outside.",
  TOKEN_REDIRECT: "Enter the address that answers by itself as the token URL.",
  TOKEN_NOT_FOUND: "Check the path of the token URL; your identity provider's documentation names it.",
  TOKEN_UNAVAILABLE: `Look at your identity provider's status. ${STAYS}`,
  TOKEN_INVALID_CLIENT:
    "Check client id and client secret, and whether your identity provider wants them in the header or in the body.",
  TOKEN_UNAUTHORIZED_CLIENT: "Allow the grant “client credentials” for this client at your identity provider.",
  TOKEN_INVALID_SCOPE: "Check scope and audience: this client may have neither another nor none.",
  TOKEN_REFUSED: "Read its answer, and check client id, client secret, scope and audience.",
  TOKEN_MISSING: "Check the token URL: it must answer with JSON that has an access_token.",
  TOKEN_UNUSABLE: "Let your identity provider give out Bearer tokens that fit into a header.",
};

export function explainTokenFailure(
  { code, message }: Extract<Outcome, { kind: "token_error" }>,
  { it, isTest }: Told,
): Words {
  const advice = ADVICE[code] ?? "Check the webhook's authentication.";
  return {
    class: "token",
    status: "No access token",
    sentence: `Without an access token ${it} was not sent: ${message}`,
    advice: isTest ? advice.replace(` ${STAYS}`, "") : advice,
  };
}
