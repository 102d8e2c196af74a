/** The tables of those who are told about failures: addresses with their letters, channels, and what waits for them. */
import { bucketBy, OF_ACCOUNT } from "./buckets.ts";
import type { MovedTable } from "./moved-table.ts";

const ID = { id: "text" } as const;
/** An address or a channel. */
const READER = `(
  select a.account_id
  from mail_addresses a
  where a.id = t.address_id
  union all
  select c.account_id
  from news_channels c
  where c.id = t.address_id
)`;
const TOKEN = { token_hash: "text" } as const;

export const READER_TABLES: readonly MovedTable[] = [
  {
    name: "mail_addresses",
    order: ID,
    key: ["id"],
    columns: {
      bucket: OF_ACCOUNT,
      ...ID,
      account_id: "text",
      address: "text",
      address_key: "text",
      mailbox: "text",
      added_at: "whole",
      confirmed_at: "whole",
      stopped_at: "whole",
      removed_at: "whole",
      stop_hash: "text",
      sealed_stop: "text",
      letter_at: "whole",
      letter_state: "text",
      digest_token: "text",
      quiet_until: "whole",
      remind_at: "whole",
      certificates_told_at: "whole",
      certificates_claimed_at: "whole",
    },
  },
  {
    name: "news_channels",
    order: ID,
    key: ["id"],
    columns: {
      bucket: OF_ACCOUNT,
      ...ID,
      account_id: "text",
      kind: "text",
      name: "text",
      origin: "text",
      sealed_url: "text",
      added_at: "whole",
      answered_at: "whole",
      answer_outcome: "text",
      answer_status: "whole",
      is_taken: "boolean",
      refused_since: "whole",
      refusals: "whole",
      digest_token: "text",
      quiet_until: "whole",
      remind_at: "whole",
      certificates_told_at: "whole",
      certificates_claimed_at: "whole",
    },
  },
  {
    name: "confirmation_letters",
    order: ID,
    key: ["id"],
    columns: {
      ...ID,
      account_id: "text",
      address_id: "text",
      mailbox: "text",
      at: "whole",
      is_open: "boolean",
      claim_token: "text",
      claimed_until: "whole",
    },
  },
  {
    name: "mail_links",
    order: TOKEN,
    key: ["token_hash"],
    columns: {
      bucket: bucketBy("(select a.account_id from mail_addresses a where a.id = t.address_id)"),
      ...TOKEN,
      address_id: "text",
      expires_at: "whole",
      used_at: "whole",
    },
  },
  {
    name: "failure_news",
    order: { address_id: "text", destination_id: "text" },
    key: ["address_id", "destination_id"],
    columns: {
      bucket: bucketBy(READER),
      address_id: "text",
      destination_id: "text",
      kind: "text",
      at: "whole",
      claim_token: "text",
    },
  },
];
