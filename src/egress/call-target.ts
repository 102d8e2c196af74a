/** Host, port and TLS of a call, read from a `URL`. Pure. */
export interface CallTarget {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** `port` is empty for the protocol's own. The protocol must be `http:` or `https:`. */
export function callTarget({ hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">): CallTarget {
  const isTls = protocol === "https:";
  const ownPort = isTls ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? ownPort : Number(port), isTls };
}
