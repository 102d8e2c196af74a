/** Builds the guards of a running service: one from the operator's settings, and one for the operator's own address. */
import type { Clock } from "../lib/clock.ts";
import { createAddressPolicy, createOwnAddresses } from "./address-policy.ts";
import { type EgressGuard, createEgressGuard } from "./guard.ts";
import { nameServers, systemNames } from "./name-sources.ts";
import { createNat64 } from "./nat64.ts";
import type { NetworkEntry } from "./parse-networks.ts";
import type { EgressProxy } from "./proxy-tunnel.ts";
import { createResolver } from "./resolver.ts";

/** The settings of the same names. */
export interface EgressSettings {
  readonly egressAllow: readonly NetworkEntry[];
  readonly egressDeny: readonly NetworkEntry[];
  readonly egressProxy: EgressProxy | null;
  readonly httpsOnly: boolean;
}

export function createGuard(settings: EgressSettings, clock: Clock, isHeld: () => boolean): EgressGuard {
  const { egressAllow: allow, egressDeny: deny, httpsOnly } = settings;
  const resolver = createResolver({ clock, names: nameServers({ clock }) });
  const nat64 = createNat64({ clock, resolver });
  const ownAddresses = createOwnAddresses(clock);
  const policy = createAddressPolicy({ allow, deny, ownAddresses, nat64Prefixes: nat64.prefixes });
  return createEgressGuard({
    policy,
    resolver,
    nat64,
    httpsOnly,
    isHeld,
    get proxy() {
      return settings.egressProxy;
    },
  });
}

/**
 * The guard for an address that only the operator can set: every address may be called, private ones and this machine's
 * own among them, by names as this machine knows them. An address that an account enters never passes here.
 */
export function createTrustedGuard(clock: Clock): EgressGuard {
  const policy = { check: () => null };
  return createEgressGuard({ policy, resolver: createResolver({ clock, names: systemNames({ clock }) }) });
}
