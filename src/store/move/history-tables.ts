/** The tables with the history of destinations: how their state changed, and when they were in trouble. */
import type { MovedTable } from "./cells.ts";

const OF_CODE = { account_id: "text", destination_id: "text", code: "text" } as const;

export const HISTORY_TABLES: readonly MovedTable[] = [
  {
    name: "destination_changes",
    order: { seq: "whole" },
    key: ["seq"],
    columns: {
      seq: "whole",
      account_id: "text",
      destination_id: "text",
      at: "whole",
      from_state: "text",
      to_state: "text",
      reason: "text",
      actor: "text",
    },
    isNumbered: true,
  },
  {
    name: "incidents",
    order: { account_id: "text", destination_id: "text", id: "text" },
    key: ["account_id", "destination_id", "id"],
    columns: {
      account_id: "text",
      id: "text",
      destination_id: "text",
      from_at: "whole",
      ended_at: "whole",
      end_reason: "text",
      off_reason: "text",
      interruptions: "whole",
      responses: "text",
    },
  },
  {
    name: "failure_responses",
    order: OF_CODE,
    key: ["account_id", "destination_id", "code"],
    columns: { ...OF_CODE, count: "whole" },
  },
];
