/**
 * The egress guard: every address that an account enters passes here, when a Webhook URL is saved and again whenever a
 * socket is opened. The check at save proves nothing later, since a name can point elsewhere by then.
 *
 * Invariants: a name is only called when every one of its addresses may be called; a DNS failure is a refusal, never a
 * skipped check; the address that was checked is the address that is connected to.
 */
import { isIP, isIPv6 } from "node:net";
import { ok, refuse } from "../lib/result.ts";
import type { AddressPolicy, AddressRefusal } from "./address-policy.ts";
import { callTarget } from "./webhook-url.ts";
import { type Connect, type ConnectorOptions, type VetFailure, type Vetting, createConnector } from "./connector.ts";
import type { Nat64 } from "./nat64.ts";
import { CAN_BE_ALLOWED, CLOSED, HELD, HTTPS_ONLY } from "../domain/refusal-words.ts";
import type { EgressProxy } from "./proxy-tunnel.ts";
import type { Resolver } from "./resolver.ts";

export interface EgressGuard {
  /** `null` when the URL may be called now; otherwise one or two sentences for the person who typed it. */
  checkUrl(url: URL): Promise<string | null>;
  /** Connects to checked addresses only. */
  connector(options: ConnectorOptions): Connect;
}

export interface EgressGuardOptions {
  readonly policy: AddressPolicy;
  readonly resolver: Resolver;
  /** The policy's knowledge of translators, brought up to date before it is asked about an IPv6 address. */
  readonly nat64?: Pick<Nat64, "refresh"> | null;
  /** The operator wants no webhook in clear text. */
  readonly httpsOnly?: boolean;
  /** Then nobody is called, and no name server asked. */
  readonly isHeld?: () => boolean;
  /**
   * The proxy, where this machine has no direct way out. Every address is still checked here. It is read again for each
   * connection, since its password may change.
   */
  readonly proxy?: EgressProxy | null;
}

export function createEgressGuard(setup: EgressGuardOptions): EgressGuard {
  const { policy, resolver, nat64 = null, httpsOnly = false, isHeld = () => false } = setup;
  const vetting: Vetting = {
    async vetHost({ host, port, isTls, owner }) {
      if (isHeld()) return refuse({ kind: "blocked", message: HELD });
      if (httpsOnly && !isTls) return refuse({ kind: "blocked", message: HTTPS_ONLY });
      const resolved = isIP(host) === 0 ? await resolver.resolve(host, owner) : ok([host]);
      if (!resolved.ok) return refuse({ kind: "dns_error", ...resolved.error });
      if (resolved.value.some((address) => isIPv6(address))) await nat64?.refresh();
      const refused = firstRefused(policy, resolved.value, { host, port });
      return refused === null ? resolved : refuse(refused);
    },
    vetReached: (address, port) => firstRefused(policy, [address], { host: address, port }),
    get proxy() {
      const { proxy = null } = setup;
      return proxy === null ? null : { proxy, resolver };
    },
  };
  return {
    async checkUrl(url) {
      const target = callTarget(url);
      const vetted = await vetting.vetHost({ ...target, owner: SAVING });
      return vetted.ok ? null : saveSentence(target.host, vetted.error);
    },
    connector: (options) => createConnector(vetting, options),
  };
}

/** The look-ups of all people who save share one owner: they are few, and each waits for an answer. */
const SAVING = "saving";

function firstRefused(
  policy: AddressPolicy,
  addresses: readonly string[],
  { host, port }: { host: string; port: number },
): { kind: "blocked"; message: string } | null {
  for (const address of addresses) {
    const refusal = policy.check(address, port);
    if (refusal !== null) return { kind: "blocked", message: refusalSentence({ host, address, port, refusal }) };
  }
  return null;
}

interface Refused {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly refusal: AddressRefusal;
}

/** Names host and address, because a person may not know the address behind the name that they typed. */
function refusalSentence({ host, address, port, refusal }: Refused): string {
  const what = host === address ? `${address} is` : `${host} points to ${address}, which is`;
  if (refusal.opened === "closed") {
    return `${what} ${refusal.is}: ${CLOSED}`;
  }
  const hint = refusal.opened === "by_allow" ? ` ${CAN_BE_ALLOWED}` : "";
  if (refusal.subject === "port") {
    return `Port ${port} of ${host} is ${refusal.is}; Bellwire does not call system and database ports.${hint}`;
  }
  return `${what} ${refusal.is}; Bellwire does not call private addresses.${hint}`;
}

function saveSentence(name: string, failure: VetFailure): string {
  if (failure.kind === "blocked") return failure.message;
  const advice = "Check the spelling; if the name was set up just now, try again in a few minutes.";
  return `${name} could not be resolved: ${failure.message} (${failure.code}). ${advice}`;
}
