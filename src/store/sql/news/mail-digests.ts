/** Digests for the readers of confirmed addresses. */
import { LIMITS } from "../../../domain/limits.ts";
import type { ClaimDigests, ClaimedDigest, SettleDigest } from "../../contract/mail.ts";
import { createDigests } from "./news-digests.ts";
import type { SqlTransaction } from "../transaction.ts";

const digests = createDigests<Pick<ClaimedDigest, "address" | "sealedStop">>({
  table: "mail_addresses",
  columns: `r.address, r.sealed_stop as "sealedStop"`,
  wanting: "r.confirmed_at is not null and r.stopped_at is null and r.removed_at is null",
  gapMs: LIMITS.digestGapMs,
});

export async function claimDigests(tx: SqlTransaction, params: ClaimDigests): Promise<ClaimedDigest[]> {
  const claimed = await digests.claim(tx, params);
  return claimed.map((row) => {
    const { readerId: addressId, certificatesToldMs: _, ...digest } = row;
    return { addressId, ...digest };
  });
}

export async function settleDigestIfClaimed(
  tx: SqlTransaction,
  { addressId: readerId, ...settle }: SettleDigest,
): Promise<void> {
  await digests.settleIfClaimed(tx, { readerId, ...settle });
}
