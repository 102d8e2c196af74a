/** The tables of those who are notified of failures, addresses and channels, and of the messages that wait. */
import type { MovedTable } from "./cells.ts";

const ID = { id: "text" } as const;
const SEQ = { seq: "whole" } as const;
const TOKEN = { token_hash: "text" } as const;

export const RECIPIENT_TABLES: readonly MovedTable[] = [
  {
    name: "mail_addresses",
    order: ID,
    key: ["id"],
    columns: {
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
      asked_at: "whole",
      asked_state: "text",
    },
  },
  {
    name: "channels",
    order: ID,
    key: ["id"],
    columns: {
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
    },
  },
  {
    name: "confirmation_requests",
    order: SEQ,
    key: ["seq"],
    columns: { ...SEQ, account_id: "text", mailbox: "text", at: "whole" },
    isNumbered: true,
  },
  {
    name: "mail_links",
    order: TOKEN,
    key: ["token_hash"],
    columns: {
      ...TOKEN,
      address_id: "text",
      expires_at: "whole",
      used_at: "whole",
    },
  },
  {
    name: "messages",
    order: SEQ,
    key: ["seq"],
    columns: {
      ...SEQ,
      account_id: "text",
      route: "text",
      recipient: "text",
      kind: "text",
      subject: "text",
      body: "text",
      at: "whole",
      due_at: "whole",
      expires_at: "whole",
      claim_token: "text",
      held_until: "whole",
      refusals: "whole",
    },
    isNumbered: true,
  },
];
