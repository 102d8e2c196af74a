/** How many bytes the bodies of the page's calls may have. All but the first are read for people who are signed in. */
import { LIMITS } from "../../domain/limits.ts";

/** The token of a link, and nothing else; anybody may send it. */
export const LINK_BYTES_MAX = 4 * 1024;

/** Forms, which people fill in by hand; the largest of them is an alert with a hundred demos and 20 headers. */
export const FORM_BYTES_MAX = 128 * 1024;

/** A form with an event's body in it: inside the form's JSON each of its characters may take a backslash. */
export const EVENT_FORM_BYTES_MAX = 2 * LIMITS.recordBytesMax + FORM_BYTES_MAX;
