/** What all clients have in common: where the service is, by which key, and for how long each call is tried. */
import { pasteFault } from "../lib/pasted.ts";
import { createCall, type MakeCall } from "./call.ts";
import { type Outside, systemOutside } from "./outside.ts";

export interface AskingOptions {
  /** The service's address, such as `https://hooks.example.com`; it may have a path. */
  readonly url: string;
  /**
   * The time for which a call is retried while the service cannot be reached or refuses for now; a minute when left
   * out.
   */
  readonly retryForMs?: number;
  /** The longest duration of one attempt; 30 seconds when left out. */
  readonly attemptMs?: number;
  readonly outside?: Partial<Outside>;
}

const RETRY_FOR_MS = 60_000;
const ATTEMPT_MS = 30_000;

/** `what` and `name`: the key in words, and where it is told from. */
export interface KeyOf {
  readonly key: string;
  readonly what: string;
  readonly name: string;
}

/** Throws where address or key cannot be one. */
export function createAsking(options: AskingOptions, { key, what, name }: KeyOf): MakeCall {
  const { retryForMs = RETRY_FOR_MS, attemptMs = ATTEMPT_MS } = options;
  const url = baseAddress(options.url);
  if (key === "") throw new Error(`the ${what} is empty: give ${name}`);
  const keyFault = pasteFault(key, { kind: "token", name, isSecret: true });
  if (keyFault !== null) throw new Error(`the ${what} ${keyFault}`);
  return createCall({ url, key, retryForMs, attemptMs, outside: { ...systemOutside, ...options.outside } });
}

function baseAddress(url: string): string {
  const fault = pasteFault(url, { kind: "url" });
  if (fault !== null) throw new Error(`the service's address ${fault}`);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`the service's address ${JSON.stringify(url)} is not an http or https address`);
  }
  return url.replace(/\/+$/, "");
}
