/** The service refuses one letter and a quote that does not end, so what has only begun is no search yet. */
export const canSearch = (text: string): boolean =>
  text.trim() === "" || (/[\p{L}\p{N}]{2}/u.test(text) && text.split('"').length % 2 === 1);
