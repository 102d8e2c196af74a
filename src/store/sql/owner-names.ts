/** The name of a destination's owner, whichever it is, in statements that read `destinations d`. */

/** `null` where the owner's row is gone. Needs `OWNERS`. */
export const OWNER_NAME = "coalesce(l.name, c.name, w.name)";

/** Stands behind `destinations d`. */
export const OWNERS = `
  left join alerts l on d.owner_kind = 'alert' and l.account_id = d.account_id and l.id = d.owner_id
  left join chat_assistants c on d.owner_kind = 'assistant' and c.account_id = d.account_id and c.id = d.owner_id
  left join webhooks w on d.owner_kind = 'webhook' and w.account_id = d.account_id and w.id = d.owner_id`;
