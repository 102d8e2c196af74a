/** The service refuses one letter, so a word that has only begun is no search yet. */
export const canSearch = (text: string): boolean => text.trim() === "" || /[\p{L}\p{N}]{2}/u.test(text);
