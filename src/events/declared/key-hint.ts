/** Whether a type says that something has changed while its key is that thing's id, as far as names can tell. Pure. */

/** Each change of such a thing has the same key, so only the first of them would make an event. */
export const namesTheThing = (type: string, key: string): boolean => isChange(type) && !TELLS_APART.test(key);

export const isChange = (type: string): boolean => CHANGES.test(type);

const CHANGES = /(?:^|[_.-])(?:updated?|changed?|edit(?:ed)?|modified)(?=[_.-]|$)/;
/** The id of an event, of a delivery or of a state, rather than of a thing. */
const TELLS_APART = /event|change|update|edit|modif|version|revision|delivery|message|webhook|_at$/i;
