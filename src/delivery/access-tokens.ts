/**
 * Access tokens that this node holds, each for one destination and one version of its credentials:
 *
 *     none ──get──► being fetched ──given──► held ──used up, evicted, or dropped──► none
 *                        └──refused, unreachable──► none, and everyone who waited has the failure
 *
 * Invariants: one fetch at a time for a destination, however many deliveries wait for it; a token is never used beyond
 * its time; at most `TOKENS_MAX` are held, and what was not used for longest goes first. Tokens are in memory only.
 */
import { createHash } from "node:crypto";
import type { Outcome } from "../domain/attempt.ts";
import type { ClientCredentials } from "../domain/authentication.ts";
import type { Result } from "../domain/problem.ts";
import { ok } from "../lib/result.ts";
import type { Clock } from "../lib/clock.ts";
import type { DeliveryContext } from "./context.ts";
import type { WebhookRequest } from "./send/request.ts";
import { readTokenAnswer, buildTokenRequest } from "./token-request.ts";

export interface AccessToken {
  readonly text: string;
  /** On the monotonic clock. */
  readonly usableUntilMs: number;
}

/** `null`: the fetch was not allowed to start. */
type Fetched = Result<AccessToken, Outcome> | null;

export interface WantedToken {
  readonly oauth: ClientCredentials;
  /** The webhook that needs it. */
  readonly request: WebhookRequest;
  readonly mayStart: () => boolean;
}

/** Guess: tokens have 1 to 2 KB, so this is some 10 MB. */
const TOKENS_MAX = 4_096;

export class AccessTokens {
  readonly #send: DeliveryContext["send"];
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** In the order of their last use. */
  readonly #held = new Map<string, AccessToken>();
  readonly #fetching = new Map<string, Promise<Fetched>>();

  constructor({ send, clock }: { send: DeliveryContext["send"]; clock: Pick<Clock, "monotonicMs"> }) {
    this.#send = send;
    this.#clock = clock;
  }

  /** The token that is held, if it may still be used. */
  find(wanted: WantedToken): AccessToken | null {
    const key = keyOf(wanted);
    const token = this.#held.get(key);
    this.#held.delete(key);
    if (token === undefined || this.#clock.monotonicMs() >= token.usableUntilMs) return null;
    this.#held.set(key, token);
    return token;
  }

  /** Waits for the fetch that is under way, or begins one. */
  fetch(wanted: WantedToken): Promise<Fetched> {
    const key = keyOf(wanted);
    const running = this.#fetching.get(key);
    if (running !== undefined) return running;
    const fetching = this.#fetch(wanted, key).finally(() => this.#fetching.delete(key));
    this.#fetching.set(key, fetching);
    return fetching;
  }

  /** The receiver has refused it. One that was renewed meanwhile stays. */
  drop(wanted: WantedToken, token: AccessToken): void {
    const key = keyOf(wanted);
    if (this.#held.get(key) === token) this.#held.delete(key);
  }

  count(): number {
    return this.#held.size;
  }

  async #fetch({ oauth, request, mayStart }: WantedToken, key: string): Promise<Fetched> {
    const askedMs = this.#clock.monotonicMs();
    const answer = await this.#send(buildTokenRequest(oauth, request), mayStart);
    if (answer === null) return null;
    const read = readTokenAnswer(answer, oauth);
    if (!read.ok) return read;
    // Its time counts from the question: the answer may have been on its way for a while.
    const token = { text: read.value.text, usableUntilMs: askedMs + read.value.usableMs };
    this.#held.set(key, token);
    const [oldest] = this.#held.keys();
    if (this.#held.size > TOKENS_MAX && oldest !== undefined) this.#held.delete(oldest);
    return ok(token);
  }
}

/** Another secret, scope or token URL is another token. */
const keyOf = ({ oauth, request }: WantedToken): string => `${request.lane} ${computeDigest(oauth)}`;

/** The credentials are the same object for as long as their account does not change. */
const digests = new WeakMap<ClientCredentials, string>();

function computeDigest(oauth: ClientCredentials): string {
  const known = digests.get(oauth);
  if (known !== undefined) return known;
  const { tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication } = oauth;
  const text = JSON.stringify([tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication]);
  const digest = createHash("sha256").update(text).digest("base64url");
  digests.set(oauth, digest);
  return digest;
}
