/**
 * An account as deciding and delivering see it: configuration with its secrets opened, looked up by id. Held in memory
 * only, never logged. A view belongs to one `configVersion`: the store refuses an accept decided with an old one.
 */
import type { Account } from "../domain/account.ts";
import type { DemoAlert } from "../domain/alert.ts";
import type { CustomHeader, DestinationState, Target } from "../domain/destination.ts";
import type { Sealer } from "../lib/seal.ts";
import type { StoredAccount, StoredDestination, StoredHeader } from "../store/store.ts";

export interface DestinationView {
  readonly id: string;
  readonly url: string;
  readonly headers: readonly CustomHeader[];
  readonly state: DestinationState;
  /** The owner's limit, deliveries a second; `null` for none. */
  readonly ratePerSecond: number | null;
}

export interface AccountView {
  readonly account: Account;
  readonly configVersion: number;
  readonly secrets: readonly string[];
  readonly alerts: readonly {
    readonly alert: DemoAlert;
    readonly revision: number;
    readonly destination: DestinationView | null;
  }[];
  /** Chat assistants by their id. */
  readonly assistants: ReadonlyMap<string, { readonly name: string; readonly destination: DestinationView | null }>;
  readonly destinations: ReadonlyMap<string, DestinationView>;
}

/** Opens what is sealed. Throws when the encryption key is not the one that sealed it. */
export function openAccount(stored: StoredAccount, sealer: Sealer): AccountView {
  const destinations = new Map<string, DestinationView>();
  const open = (destination: StoredDestination | null): DestinationView | null => {
    if (destination === null) return null;
    const view = openDestination(destination, sealer);
    destinations.set(view.id, view);
    return view;
  };
  const { id, name, plan, appUrl, configVersion } = stored;
  return {
    account: { id, name, plan, appUrl },
    configVersion,
    secrets: [sealer.open(stored.sealedSecret, secretContext(id))],
    alerts: stored.alerts.map(({ destination, revision, ...alert }) => ({
      alert,
      revision,
      destination: open(destination),
    })),
    assistants: new Map(
      stored.assistants.map((assistant) => [
        assistant.id,
        { name: assistant.name, destination: open(assistant.destination) },
      ]),
    ),
    destinations,
  };
}

/** Where a delivery to this destination goes now, or `null` when the account no longer has it. */
export function targetOf(view: AccountView, destinationId: string): (Target & { state: DestinationState }) | null {
  const destination = view.destinations.get(destinationId);
  if (destination === undefined) return null;
  const { url, headers, state } = destination;
  return { destinationId, url, headers, state, secrets: view.secrets };
}

/** The AAD of an account's verification secret: a sealed value copied to another row does not open there. */
export const secretContext = (accountId: string): string => `verification_secrets|current|${accountId}`;

export const headerContext = (destinationId: string, name: string): string =>
  `destinations|headers|${destinationId}|${name.toLowerCase()}`;

function openDestination(destination: StoredDestination, sealer: Sealer): DestinationView {
  const { id, url, state, ratePerSecond } = destination;
  return {
    id,
    url,
    state,
    ratePerSecond,
    headers: destination.headers.map((header) => openHeader(id, header, sealer)),
  };
}

function openHeader(destinationId: string, header: StoredHeader, sealer: Sealer): CustomHeader {
  if (!header.secret) return header;
  return { ...header, value: sealer.open(header.value, headerContext(destinationId, header.name)) };
}

/** The other way round: what may be written to the store. */
export function sealHeader(destinationId: string, header: CustomHeader, sealer: Sealer): StoredHeader {
  if (!header.secret) return header;
  return { ...header, value: sealer.seal(header.value, headerContext(destinationId, header.name)) };
}
