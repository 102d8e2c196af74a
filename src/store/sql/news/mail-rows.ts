/** Rows of e-mail about failures as both stores read them, and what they mean. Pure. */
import type { DestinationOffReason } from "../../../domain/destination.ts";
import { type AddressTimes, type LetterState, stateOfAddress } from "../../../domain/mail-address.ts";
import type { DigestKind, DigestLine, StoredMailAddress, StoredMailLink } from "../../contract/mail.ts";

export interface AddressRow extends AddressTimes {
  readonly id: string;
  readonly address: string;
  readonly removedAtMs: number | null;
  readonly letterAtMs: number;
  readonly letterState: LetterState;
}

export const toStoredAddress = (row: AddressRow): StoredMailAddress => ({
  id: row.id,
  address: row.address,
  ...stateOfAddress(row),
  letter: { atMs: row.letterAtMs, state: row.letterState },
});

export interface LinkRow extends AddressTimes {
  readonly purpose: "confirm" | "stop";
  readonly addressId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly address: string;
  readonly removedAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly usedAtMs: number | null;
}

export function toStoredLink(row: LinkRow, nowMs: number): StoredMailLink {
  const { purpose, accountId, accountName, address } = row;
  return { purpose, accountId, accountName, address, found: foundAs(row, nowMs), state: stateOfAddress(row).state };
}

function foundAs({ removedAtMs, usedAtMs, expiresAtMs }: LinkRow, nowMs: number): StoredMailLink["found"] {
  if (removedAtMs !== null) return "removed";
  if (usedAtMs !== null) return "used";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "good";
}

export interface LineRow {
  readonly kind: DigestKind;
  readonly atMs: number;
  /** How many there are of its kind. */
  readonly total: number;
  readonly destinationId: string;
  readonly url: string;
  readonly ownerKind: "alert" | "assistant";
  readonly ownerId: string;
  readonly ownerName: string | null;
  readonly offReason: DestinationOffReason | null;
  readonly failingSinceMs: number | null;
  readonly lastFailureAtMs: number | null;
  readonly lastFailureOutcome: string | null;
  readonly lastFailureStatus: number | null;
  readonly incidentId: string | null;
  /** 0 where it presents none. */
  readonly certificateEndsAtMs: number | null;
}

export function toDigestLines(rows: readonly LineRow[]): {
  readonly lines: readonly DigestLine[];
  readonly counts: Readonly<Record<DigestKind, number>>;
} {
  const counts = { turned_off: 0, failing: 0, still_failing: 0, recovered: 0, certificate_ends: 0 };
  for (const { kind, total } of rows) counts[kind] = total;
  return { lines: rows.map(toDigestLine), counts };
}

function toDigestLine(row: LineRow): DigestLine {
  const { kind, atMs, lastFailureAtMs, lastFailureOutcome: outcome, lastFailureStatus: status } = row;
  return {
    kind,
    atMs,
    incidentId: kind === "certificate_ends" ? null : row.incidentId,
    certificateEndsAtMs: kind === "certificate_ends" ? row.certificateEndsAtMs : null,
    destination: {
      id: row.destinationId,
      url: row.url,
      owner: { kind: row.ownerKind, id: row.ownerId, name: row.ownerName ?? row.ownerId, isDeleted: false },
      offReason: row.offReason,
      failingSinceMs: row.failingSinceMs,
      lastFailure: lastFailureAtMs === null || outcome === null ? null : { atMs: lastFailureAtMs, outcome, status },
    },
  };
}
