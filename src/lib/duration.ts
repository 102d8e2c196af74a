/** Durations with their unit in the name, always carried as milliseconds. */
export const secondsMs = (count: number): number => count * 1000;
export const minutesMs = (count: number): number => secondsMs(count * 60);
export const hoursMs = (count: number): number => minutesMs(count * 60);
export const daysMs = (count: number): number => hoursMs(count * 24);
