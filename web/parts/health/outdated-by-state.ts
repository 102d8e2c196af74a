/** The answers that are old after a destination was paused or turned on. */
export const OUTDATED_BY_STATE = [
  "GET /destinations",
  "GET /destinations/:id",
  "GET /alerts",
  "GET /alerts/:id",
  "GET /assistants",
  "GET /assistants/:id",
] as const;
