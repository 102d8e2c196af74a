/** What addresses and channels have in common for the people of an account: they are listed and removed together. */
import type { Recipients, RemoveRecipient } from "../../contract/recipients.ts";
import type { SqlTransaction } from "../transaction.ts";
import { listChannels, removeChannel } from "./channels.ts";
import { listMailAddresses, removeMailAddress } from "./mail-addresses.ts";

export async function loadRecipients(
  tx: SqlTransaction,
  { accountId }: { readonly accountId: string },
): Promise<Recipients> {
  return { mailAddresses: await listMailAddresses(tx, accountId), channels: await listChannels(tx, accountId) };
}

export async function removeRecipient(tx: SqlTransaction, params: RemoveRecipient): Promise<"removed" | "missing"> {
  const isRemoved = (await removeChannel(tx, params)) || (await removeMailAddress(tx, params));
  return isRemoved ? "removed" : "missing";
}

/** Messages to addresses and channels of account `$1`. */
export const TO_RECIPIENTS = `recipient in (
    select m.id from mail_addresses m where m.account_id = $1
    union all
    select c.id from channels c where c.account_id = $1
  )`;

/** Links to addresses of account `$1`. */
export const OF_ADDRESSES = "address_id in (select m.id from mail_addresses m where m.account_id = $1)";
