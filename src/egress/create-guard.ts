/** Builds the guard of a running service from the operator's settings. */
import type { Clock } from "../lib/clock.ts";
import { createAddressPolicy } from "./address-policy.ts";
import { type EgressGuard, createEgressGuard } from "./guard.ts";
import { nameServers } from "./name-servers.ts";
import { createNat64 } from "./nat64.ts";
import { createOwnAddresses } from "./own-addresses.ts";
import type { NetworkEntry } from "./parse-networks.ts";
import type { EgressProxy } from "./parse-proxy.ts";
import { createResolver } from "./resolver.ts";

/** The settings of the same names. */
export interface EgressSettings {
  readonly egressAllow: readonly NetworkEntry[];
  readonly egressDeny: readonly NetworkEntry[];
  readonly egressProxy: EgressProxy | null;
  readonly httpsOnly: boolean;
}

export function createGuard(settings: EgressSettings, clock: Clock): EgressGuard {
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
    get proxy() {
      return settings.egressProxy;
    },
  });
}
