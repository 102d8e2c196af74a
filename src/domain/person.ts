/** How a person of an account's events is named: patterns of the calls that are about one. */

/** An e-mail address, however odd its parts are. */
export const PERSON_PATTERN = "^[^\\s@]{1,64}@[^\\s@]{1,255}$";

/** The place where erasing goes on. */
export const AFTER_PATTERN = "^(?:evt_[0-9a-z]{1,40}|inbox\\.\\d{1,15}\\.\\d{1,15}|end\\.\\d{1,9})$";
