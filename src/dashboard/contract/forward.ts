/**
 * Forwarding: copies of an account's webhooks for the machine of the developer who writes the receiver. The page makes
 * a code; the other answers are for `bellwire forward`, which changes the code for a token and sends that as a bearer.
 */

export interface ForwardCode {
  /** Works once. */
  readonly code: string;
  readonly expiresAtMs: number;
  /** The service's address, as `--url` of the command wants it. */
  readonly serviceUrl: string;
  /** Of the service's file `forward.mjs`, in hexadecimal digits; `null` where there is none. */
  readonly fileSha256: string | null;
}

export interface OpenForwardBody {
  readonly code: string;
}

/** `POST dashboard/forward` */
export interface ForwardOpened {
  readonly token: string;
  readonly account: string;
  readonly expiresAtMs: number;
  /** The service's clock: what came before is not forwarded. */
  readonly nowMs: number;
}

export interface ForwardedRow {
  readonly id: string;
  readonly eventType: string;
  readonly isTest: boolean;
  /** The alert's or assistant's name; `null` for a test of a webhook that was not saved. */
  readonly destination: string | null;
}

/** `GET dashboard/forward/deliveries?from=`: newest first. */
export interface ForwardedList {
  readonly nowMs: number;
  readonly deliveries: readonly ForwardedRow[];
  readonly nextCursor: string | null;
}

/** `GET dashboard/forward/deliveries/:id`: the request as it would be sent now, without secret header values. */
export interface ForwardedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Names of custom headers that are left out, because their values are secret. */
  readonly secretHeaders: readonly string[];
}
