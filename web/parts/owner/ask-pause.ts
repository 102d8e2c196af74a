/** The page of an alert or a webhook that asks at once whether it is to be paused: where "Pause CRM…" leads. Pure. */

export const ASKS_PAUSE = "pause";

export const withPause = (page: string): string => `${page}?${ASKS_PAUSE}=1`;
