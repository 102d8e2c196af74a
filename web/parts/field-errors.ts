/**
 * Errors of a form by the field that shows them: `url`, `rate`, `headers`, `name:3` and `value:3` (a header row's id).
 * Every other field's key is its path in the body that is sent.
 */
export type FieldErrors = Readonly<Record<string, string>>;
